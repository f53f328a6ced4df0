import FlowLanguage

/// Why an action did not pass.
///
/// ```swift
/// if let refusal = try host.dispatch("push").refusal, refusal.by == .gate("push") {
///   print(refusal.reason ?? "")
/// }
/// ```
public struct Refusal: Error, Sendable, Hashable {
  /// Who refuses an action.
  public enum Refuser: Sendable, Hashable {
    /// The action's declaration: it is internal, so that effects and timers alone dispatch it.
    case `internal`
    /// The scope that owns the action, which is not open.
    case scope(String)
    /// A machine, in whose state the action is not possible.
    case machine(String)
    /// A gatekeeper, some option of which is held.
    case gatekeeper(String)
    /// A gate rule, in the flow or in Swift: that of one action has the action's name, one of several
    /// actions its own.
    case gate(String)

    /// The name, without what it is the name of.
    public var name: String {
      switch self {
      case .internal: "internal"
      case .scope(let name), .machine(let name), .gatekeeper(let name), .gate(let name): name
      }
    }
  }

  /// The action's name.
  public let action: String
  /// Who refused.
  public let rejectedBy: Refuser
  /// What the rule said, if it said anything.
  public let reason: String?
  /// Where the rule is declared.
  public let place: SourcePlace
  /// The state that postpones the action until it is left; nil for a refusal that stands.
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
  /// `refused rejectedBy gate push: insert a coin first`.
  public var description: String {
    reason.map { "refused by \(rejectedBy): \($0)" } ?? "\(rejectedBy) gave no reason (\(place))"
  }
}

extension Refusal.Refuser: CustomStringConvertible {
  /// `gate push`.
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
