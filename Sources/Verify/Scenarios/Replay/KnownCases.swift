import FlowKernel
import LuaRuntime

/// What the cases of a replay share: the flow, the events, and what is known of earlier cases.
final class KnownCases {
  let events: LogEvents
  let print: @Sendable (String) -> Void
  /// Whether what cases came to is remembered.
  let remembers: Bool
  /// Whether a flow that is opened later needs the times of the events before: a passage keeps its
  /// time, for whoever asks later.
  let needsTimes: Bool
  @exclusivity(unchecked) var tree = CaseTree()
  private let flow: LoadedFlow
  private let limits: Limits
  /// Where all cases are played, once there is one that is for all.
  private var stage: CaseStage?

  init(
    _ flow: LoadedFlow, _ events: LogEvents, _ limits: Limits, remembers: Bool,
    print: @escaping @Sendable (String) -> Void
  ) {
    (self.flow, self.events, self.limits, self.print) = (flow, events, limits, print)
    (self.remembers, needsTimes) = (remembers, !flow.flow.gatekeepers.isEmpty)
  }

  /// A life of the flow that has begun.
  func open(isSilent: Bool) throws -> CasePlayer {
    if let stage {
      stage.printStart(isSilent: isSilent)
      return CasePlayer(on: stage, isSilent: isSilent)
    }
    let new = try CaseStage(flow, limits, isSilent: isSilent, print: print)
    if new.isShared { stage = new }
    return CasePlayer(on: new, isSilent: isSilent)
  }

  /// Notes what the event that was read last came to; gives the node of it, nil if the tree is full.
  func note(_ outcome: EventOutcome, at node: Int) -> Int? {
    tree.child(of: node, events.bytes) ?? tree.add(events.bytes, to: node, outcome)
  }
}
