/// A kind of member that a scope can declare.
public enum MemberKind: String, Sendable {
  /// A factory, which makes a new thing for each call.
  case factory
  /// A capability, a function that the scope lends.
  case capability
  /// A lock, which opens a child scope for a key.
  case lock

  /// The advice on the use of a member of this kind, for error messages.
  var advice: String {
    switch self {
    case .factory: return "`make` it"
    case .capability: return "`call` or `lend` it"
    case .lock: return "`unlock` it with its key"
    }
  }
}

/// The description of a member of a scope, for scripts and for people.
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
  /// The type of a capability's input, or of a lock's key; nil for a factory.
  public let input: String?
  /// The type of a factory's product, or of a capability's result; nil for a lock.
  public let output: String?
  /// True if child scopes do not see the member.
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
