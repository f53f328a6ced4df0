/// An error of a host that was asked for something that it cannot do.
///
/// ```swift
/// do {
///   try host.advance(.seconds(60))
/// } catch let error as HostError where error.kind == .realClock {
///   // time passes by itself
/// }
/// ```
public struct HostError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The reason why the host cannot do it.
  public enum Kind: Sendable, Hashable {
    /// The clock moves by itself.
    case realClock
    /// A time that is below 0, or not finite.
    case invalidTime
    /// A replay on a host that records no transcript.
    case noTranscript
    /// A transcript that was made with another seed than the host has.
    case otherSeed
    /// A transcript for a host to which something has happened already.
    case alreadyBegun
    /// There is no scope of that name, or it is not one that the host has declared.
    case undeclaredScope(String)
    /// There is a scope of that name already.
    case declaredScope(String)
    /// The flow declares no action of that name.
    case undeclaredAction(String)
    /// Another scope owns the action of that name.
    case ownedAction(String)
    /// The scope of that name is open already, with an equal key.
    case openScope(String)
    /// The scope of that name cannot be opened: the one around it is locked, or does not let it.
    case lockedScope(String)
    /// A capability has not as many names of parameters as parameters.
    case parameters
  }

  /// The reason why the host cannot do it.
  public let kind: Kind
  /// The host's id, if it was given one (`HostOptions.id`).
  public package(set) var host: String?
  /// The message, without the host.
  public let message: String

  package init(_ kind: Kind, _ message: String) { (self.kind, self.message) = (kind, message) }

  /// The message; it begins with the host's id if the host was given one.
  public var description: String { host.map { "\($0): \(message)" } ?? message }
}
