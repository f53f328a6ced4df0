import FlowKernel
import LuaRuntime

/// The parts that the cases of a replay share: the flow, the events, and the outcomes of earlier cases.
final class KnownCases {
  let events: LogEvents
  let print: @Sendable (String) -> Void
  /// True if the outcomes of cases are stored.
  let remembers: Bool
  /// True if a flow that is opened later needs the times of the events before.
  ///
  /// A passage of a gatekeeper stores its time, for whoever reads it later.
  let needsTimes: Bool
  @exclusivity(unchecked) var tree = CaseTree()
  private let flow: LoadedFlow
  private let limits: Limits
  /// The stage on which all cases are played, once there is one that can be shared.
  private var stage: CaseStage?

  init(
    _ flow: LoadedFlow, _ events: LogEvents, _ limits: Limits, remembers: Bool,
    print: @escaping @Sendable (String) -> Void
  ) {
    (self.flow, self.events, self.limits, self.print) = (flow, events, limits, print)
    (self.remembers, needsTimes) = (remembers, !flow.flow.gatekeepers.isEmpty)
  }

  /// Returns a player with a flow that has started.
  func open(isSilent: Bool) throws -> CasePlayer {
    if let stage {
      stage.printStart(isSilent: isSilent)
      return CasePlayer(on: stage, isSilent: isSilent)
    }
    let new = try CaseStage(flow, limits, isSilent: isSilent, print: print)
    if new.isShared { stage = new }
    return CasePlayer(on: new, isSilent: isSilent)
  }

  /// Stores the outcome of the event that was read last; returns its node, or nil if the tree is full.
  func note(_ outcome: EventOutcome, at node: Int) -> Int? {
    tree.child(of: node, events.bytes) ?? tree.add(events.bytes, to: node, outcome)
  }
}
