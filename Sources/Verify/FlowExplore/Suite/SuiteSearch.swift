import CExplore
import FlowKernel

/// A run through the states that shows some behaviours.
struct SuiteRun {
  struct Step {
    let state: UInt32
    let edge: explore_edge
  }

  var steps: [Step] = []
  /// The behaviours that no earlier run shows, in order.
  var new: [Int] = []
  /// All behaviours that the run shows.
  var shown: Set<Int> = []
  /// The last state; nil if it is not expanded.
  var end: UInt32?

  var passes: Int { steps.count { $0.edge.kind == EXPLORE_PASSES } }
}

/// A search for few runs that together show all behaviours.
///
/// Each run goes to the nearest missing behaviour, and then on to the next ones, as long as a person would still read
/// it.
struct SuiteSearch {
  /// The number of steps after which a run is not extended.
  private static let longest = 8
  /// The maximum distance of the next behaviour; a more distant one gets a run of its own.
  private static let furthest = 4
  /// The maximum number of states that are searched for the next behaviour.
  private static let mostStates = 1_000

  private let states: ExploredStates
  private var missing: Set<Int>
  private(set) var runs: [SuiteRun] = []

  init(_ states: ExploredStates) throws {
    self.states = states
    missing = Set(states.first.indices)
    // Behaviours were found in the order of their distance, so that the least number is the nearest.
    while let nearest = missing.min() {
      var run = SuiteRun()
      let goal = states.first[nearest]
      try visit(beginning(of: goal.state), &run)
      for step in states.session.path(to: goal.state) {
        try followEdge(edge(step), from: step.state, &run)
      }
      if missing.contains(nearest) { try followEdge(goal.edge, from: goal.state, &run) }
      while run.passes < SuiteSearch.longest, let end = run.end,
        let transition = try pathOn(from: end)
      {
        for step in transition { try followEdge(step.edge, from: step.state, &run) }
      }
      runs.append(run)
    }
    dropRepeated()
  }

  private func beginning(of state: UInt32) -> UInt32 {
    states.session.path(to: state).first?.state ?? state
  }

  private func edge(_ step: (state: UInt32, trie: UInt32, next: UInt32)) -> explore_edge {
    states.session.edges(from: step.state).first {
      $0.mover == step.trie && $0.state == step.next
    } ?? explore_edge()
  }

  /// Adds the refusals in a state that show a missing behaviour.
  private mutating func visit(_ state: UInt32, _ run: inout SuiteRun) throws {
    run.end = state
    for decision in try states.decisions(in: state) where decision.isRefusal {
      if missing.isDisjoint(with: decision.behaviours) { continue }
      show(decision, in: state, &run)
    }
  }

  private mutating func followEdge(
    _ edge: explore_edge, from state: UInt32, _ run: inout SuiteRun
  ) throws {
    let decision = try states.decisions(in: state).first {
      $0.edge.mover == edge.mover && $0.edge.outcomes == edge.outcomes
    }
    guard let decision else { return }
    // The refusal was added by `visit` already.
    if decision.isRefusal, missing.isDisjoint(with: decision.behaviours) { return }
    show(decision, in: state, &run)
    if decision.isRefusal { return }
    guard edge.state != EXPLORE_NONE else {
      run.end = nil
      return
    }
    try visit(edge.state, &run)
  }

  private mutating func show(
    _ decision: ExploredStates.Decision, in state: UInt32, _ run: inout SuiteRun
  ) {
    run.steps.append(.init(state: state, edge: decision.edge))
    run.new += decision.behaviours.filter { missing.contains($0) }
    run.shown.formUnion(decision.behaviours)
    missing.subtract(decision.behaviours)
  }

  /// Returns the shortest path to a missing behaviour; nil if none is near.
  private func pathOn(from start: UInt32) throws -> [SuiteRun.Step]? {
    if missing.isEmpty { return nil }
    var reached: [UInt32: SuiteRun.Step?] = [start: nil]
    var level = [start]
    var looked = 0
    for _ in 0..<SuiteSearch.furthest {
      var next: [UInt32] = []
      for state in level {
        looked += 1
        if looked > SuiteSearch.mostStates { return nil }
        let decisions = try states.decisions(in: state)
        if let found = decisions.first(where: { !missing.isDisjoint(with: $0.behaviours) }) {
          var transition = [SuiteRun.Step(state: state, edge: found.edge)]
          var at = state
          while let step = reached[at] ?? nil {
            transition.append(step)
            at = step.state
          }
          return transition.reversed()
        }
        for decision in decisions where decision.edge.state != EXPLORE_NONE {
          if reached[decision.edge.state] != nil { continue }
          reached[decision.edge.state] = .init(state: state, edge: decision.edge)
          next.append(decision.edge.state)
        }
      }
      level = next
    }
    return nil
  }

  /// Removes runs whose behaviours are all shown by others.
  private mutating func dropRepeated() {
    var counts: [Int: Int] = [:]
    for run in runs { for number in run.shown { counts[number, default: 0] += 1 } }
    runs.removeAll { run in
      guard run.shown.allSatisfy({ counts[$0, default: 0] > 1 }) else { return false }
      for number in run.shown { counts[number, default: 0] -= 1 }
      return true
    }
  }
}
