import CExplore
import FlowKernel

/// The states of a finished exploration, for suites, coverage and comparisons.
package final class ExploredStates {
  let session: StateSearch
  /// The way in which the exploration ended.
  package let ending: ExplorationReport.Ending
  /// The behaviours of these states, in the order in which they are found.
  package private(set) var behaviours: [Behaviour] = []
  /// The first occurrence of each behaviour.
  private(set) var first: [(state: UInt32, edge: explore_edge)] = []
  private var numbers: [Behaviour: Int] = [:]
  private let reader: BehaviourReader
  /// The behaviours of the leaves that were played.
  private var leaves: [Leaf: Found] = [:]

  private struct Leaf: Hashable {
    let mover, leaf: UInt32
  }

  private struct Found {
    let numbers: [Int]
    var times = 1
    /// True if the leaf showed other behaviours at another time: different runs can have equal writes.
    var differs = false
  }

  /// The number of equal results after which a leaf is not played again.
  private static let played = 64

  init(_ session: StateSearch, _ ending: ExplorationReport.Ending) {
    (self.session, self.ending) = (session, ending)
    reader = BehaviourReader(session.flow.flow)
  }

  var states: Range<UInt32> { 0..<explore_states(session.search) }

  /// Finds the behaviours of all states.
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

  /// The decision of a mover in a state, with the behaviours that it shows there.
  struct Decision {
    let edge: explore_edge
    let behaviours: [Int]
    var isRefusal: Bool { edge.kind == EXPLORE_REFUSED }
  }

  /// Returns the decisions of all movers in a state, except failures.
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
    // A move to a state that is not expanded may have broken an invariant.
    let leadsOut = edge.kind == EXPLORE_PASSES && edge.state == EXPLORE_NONE
    let leaf =
      edge.leaf == EXPLORE_NONE || leadsOut ? nil : Leaf(mover: edge.mover, leaf: edge.leaf)
    if case .end = session.asked[Int(edge.mover)] {
      // Each state has to be asked if a scenario can make the same move.
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

  /// Returns the number of the behaviour of an outcome in another run; nil if no reached state shows it.
  func number(_ outcome: Outcome, _ steps: [MicrostepRecord], isFromQueue: Bool) -> Int? {
    guard
      let behaviour = reader.behaviour(outcome, steps, isFromQueue: isFromQueue),
      let number = numbers[behaviour]
    else { return nil }
    return number < first.count ? number : nil
  }

  /// Returns the shortest path to a behaviour, one string per step.
  package func steps(to behaviour: Int) -> [String] {
    let (state, edge) = first[behaviour]
    var lines = session.path(to: state).map { session.title($0.trie, in: $0.state) }
    if let part = session.given(before: state), part != [:] {
      lines.insert("given \(part)", at: 0)
    }
    return lines + [session.title(edge.mover, in: state)]
  }
}
