/// The kinds of things that a scope has.
public enum MemberKind: String, Sendable {
  /// It makes a new thing for each call.
  case factory
  /// It is a function that the scope lends.
  case capability
  /// It opens a child scope to whoever has its key.
  case lock

  /// How to use a member of this kind.
  var advice: String {
    switch self {
    case .factory: return "`make` it"
    case .capability: return "`call` or `lend` it"
    case .lock: return "`unlock` it with its key"
    }
  }
}

/// A member of a scope, as a script or a person may ask for it.
///
/// ```swift
/// for member in app.any.members { print(member) }  // imageLoader: makes ImageLoader
/// ```
public struct MemberDescription: Hashable, Sendable, CustomStringConvertible {
  /// The name.
  public let name: String
  /// The kind.
  public let kind: MemberKind
  /// The path of the scope that declares it.
  public let scope: String
  /// What a capability takes, and what a lock needs; nil for a factory.
  public let input: String?
  /// What a factory makes, and what a capability returns; nil for a lock.
  public let output: String?
  /// Whether children do not see it.
  public let isPrivate: Bool

  /// The member in a few words.
  public var description: String {
    let hidden = isPrivate ? ", private" : ""
    switch kind {
    case .factory: return "\(name): makes \(output ?? "")\(hidden)"
    case .capability: return "\(name): takes \(input ?? ""), returns \(output ?? "")\(hidden)"
    case .lock: return "\(name): needs a key of type \(input ?? "")\(hidden)"
    }
  }
}
