import CExplore
import FlowKernel

/// The states of an exploration that is over, for whoever asks more of them.
package final class ExploredStates {
  let session: StateSearch
  /// How the exploration came to its end.
  package let ending: ExplorationReport.Ending
  /// Each behaviour that there is in them, in the order in which they are found.
  package private(set) var behaviours: [Behaviour] = []
  /// Where each is found first.
  private(set) var first: [(state: UInt32, edge: explore_edge)] = []
  private var numbers: [Behaviour: Int] = [:]
  private let reader: BehaviourReader
  /// What was found of leaves.
  private var leaves: [Leaf: Found] = [:]

  private struct Leaf: Hashable {
    let mover, leaf: UInt32
  }

  private struct Found {
    let numbers: [Int]
    var times = 1
    /// Whether it came to something else once: different runs may write the same.
    var differs = false
  }

  /// A leaf that has come to the same so often is not played any more.
  private static let played = 64

  init(_ session: StateSearch, _ ending: ExplorationReport.Ending) {
    (self.session, self.ending) = (session, ending)
    reader = BehaviourReader(session.flow.flow)
  }

  var states: Range<UInt32> { 0..<explore_states(session.search) }

  /// Goes through all states for the behaviours that there are.
  package func findBehaviours() throws {
    guard first.isEmpty else { return }
    for state in states {
      for decision in try decisions(in: state) {
        for number in decision.behaviours where number == first.count {
          first.append((state, decision.edge))
        }
      }
    }
  }

  /// What a mover does in a state, and the behaviours that it shows there.
  struct Decision {
    let edge: explore_edge
    let behaviours: [Int]
    var isRefusal: Bool { edge.kind == EXPLORE_REFUSED }
  }

  /// What movers do in a state, but for what is at fault.
  func decisions(in state: UInt32) throws -> [Decision] {
    let edges = session.decisions(in: state)
    if let error = session.error { throw error }
    if edges.isEmpty { return [] }
    return try session.values(of: state).withUnsafeBufferPointer { values in
      try edges.compactMap { edge in
        if edge.kind == EXPLORE_FAILED { return nil }
        return try behaviours(of: edge, values).map { Decision(edge: edge, behaviours: $0) }
      }
    }
  }

  private func behaviours(of edge: explore_edge, _ values: StateSearch.Values) throws -> [Int]? {
    // Where nothing was gone on from, an invariant may be broken.
    let leadsOut = edge.kind == EXPLORE_PASSES && edge.state == EXPLORE_NONE
    let leaf =
      edge.leaf == EXPLORE_NONE || leadsOut ? nil : Leaf(mover: edge.mover, leaf: edge.leaf)
    if case .end = session.asked[Int(edge.mover)] {
      // Whether a scenario can do the same is to be looked at in each state.
    } else if let leaf, let found = leaves[leaf], !found.differs,
      found.times >= ExploredStates.played
    {
      return found.numbers
    }
    guard let (move, told) = try session.tell(edge.mover, values, edge.outcomes),
      session.isPlayable(move, values), try !leadsOut || session.holds(told)
    else { return nil }
    var numbers: [Int] = []
    for step in told.steps {
      guard
        let behaviour = reader.behaviour(
          step.outcome, step.machineSteps, isFromQueue: step.isFromQueue)
      else { continue }
      let number = self.number(of: behaviour)
      if !numbers.contains(number) { numbers.append(number) }
    }
    if let leaf {
      leaves[leaf, default: Found(numbers: numbers, times: 0)].times += 1
      if leaves[leaf]?.numbers != numbers { leaves[leaf]?.differs = true }
    }
    return numbers
  }

  func number(of behaviour: Behaviour) -> Int {
    if let known = numbers[behaviour] { return known }
    numbers[behaviour] = behaviours.count
    behaviours.append(behaviour)
    return behaviours.count - 1
  }

  /// The number of what an action came to in a run of somebody else's; nil where no state that was reached has it.
  func number(_ outcome: Outcome, _ steps: [MicrostepRecord], isFromQueue: Bool) -> Int? {
    guard
      let behaviour = reader.behaviour(outcome, steps, isFromQueue: isFromQueue),
      let number = numbers[behaviour]
    else { return nil }
    return number < first.count ? number : nil
  }

  /// The shortest way to a behaviour, a line each.
  package func steps(to behaviour: Int) -> [String] {
    let (state, edge) = first[behaviour]
    var lines = session.path(to: state).map { session.title($0.trie, in: $0.state) }
    if let part = session.given(before: state), part != [:] {
      lines.insert("given \(part)", at: 0)
    }
    return lines + [session.title(edge.mover, in: state)]
  }
}
