import FlowLanguage

/// The refusal of an action: who refused it, and why.
///
/// ```swift
/// if let refusal = try host.dispatch("push").refusal, refusal.rejectedBy == .gate("push") {
///   print(refusal.reason ?? "")
/// }
/// ```
public struct Refusal: Error, Sendable, Hashable {
  /// The source of a refusal.
  public enum Refuser: Sendable, Hashable {
    /// The action's declaration: the action is internal, so only effects and timers dispatch it.
    case `internal`
    /// The scope that owns the action: it is closed, or the instance is closed in which the chain of causes ran.
    case scope(String)
    /// A machine that does not accept the action in its current configuration.
    case machine(String)
    /// A gatekeeper: an option is held, or a reset comes from a chain whose passage is no longer held.
    case gatekeeper(String)
    /// A gate rule of the flow or of the host: a rule of one action has the action's name, one of several its own.
    case gate(String)

    /// The name alone, without its kind.
    public var name: String {
      switch self {
      case .internal: "internal"
      case .scope(let name), .machine(let name), .gatekeeper(let name), .gate(let name): name
      }
    }
  }

  /// The action's name.
  public let action: String
  /// The source of the refusal.
  public let rejectedBy: Refuser
  /// The reason that the rule gave; nil if it gave none.
  public let reason: String?
  /// The place of the rule's declaration.
  public let place: SourcePlace
  /// The state that postpones the action until the state is left; nil for a final refusal.
  package var postponedIn: ActiveState?

  package init(
    action: String, rejectedBy: Refuser, reason: String?, place: SourcePlace,
    postponedIn: ActiveState? = nil
  ) {
    self.action = action
    self.rejectedBy = rejectedBy
    self.reason = reason
    self.place = place
    self.postponedIn = postponedIn
  }
}

extension Refusal: CustomStringConvertible {
  /// The refusal in words, such as `refused by gate push: insert a coin first`.
  public var description: String {
    reason.map { "refused by \(rejectedBy): \($0)" } ?? "\(rejectedBy) gave no reason (\(place))"
  }
}

extension Refusal.Refuser: CustomStringConvertible {
  /// The kind and the name, such as `gate push`.
  public var description: String {
    switch self {
    case .internal: "internal"
    case .scope(let name): "scope \(name)"
    case .machine(let name): "machine \(name)"
    case .gatekeeper(let name): "gatekeeper \(name)"
    case .gate(let name): "gate \(name)"
    }
  }
}
