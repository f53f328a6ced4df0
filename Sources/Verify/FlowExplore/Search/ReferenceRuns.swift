import FlowKernel
import LuaRuntime

/// The runs through a graph of states and moves that `ReferenceSearch` has found.
///
/// A promise about runs is judged by the strongly connected components. A component has a fair run that stays in it if,
/// and only if, each group of fair moves takes a step within it, passes without changing anything, or cannot pass in
/// some state of it.
struct ReferenceRuns {
  struct Step {
    let move: ExploredMove
    /// The target state; nil if it is not expanded.
    let target: Int?
    /// The number of a target that is not expanded; nil otherwise.
    let beyond: Int?
  }

  /// The steps from each expanded state.
  private(set) var steps: [[Step]] = []

  /// Adds the steps from the next state.
  mutating func append(_ steps: [Step]) { self.steps.append(steps) }

  /// Judges whether each state in `given` is always followed by a state in `wanted`.
  ///
  /// - Parameters:
  ///   - wanted: for each state, true if the promise is kept there.
  ///   - given: for each state, true if the promise is made there.
  ///   - wantedBeyond: for each target that is not expanded, true if the promise is kept there.
  ///   - fair: the moves that are treated fairly, in groups.
  func outcome(
    wanted: [Bool], given: [Bool], wantedBeyond: [Bool], fair: [Fairness]
  ) -> Verdict.Outcome {
    let open = reached(from: steps.indices.filter { given[$0] && !wanted[$0] }, without: wanted)
    let groups = groups(fair)
    for component in components(of: open) {
      let members = Set(component)
      if groups.allSatisfy({ isFair(members, to: $0) }) { return .fails }
    }
    let leaves = open.contains {
      steps[$0].contains { $0.beyond.map { !wantedBeyond[$0] } ?? false }
    }
    return leaves ? .open : .holds
  }

  /// Returns true if a run that stays among these states, which may be a single state, is fair to a group of moves.
  private func isFair(_ members: Set<Int>, to group: Set<ExploredMove>) -> Bool {
    members.contains { state in
      let own = steps[state].filter { group.contains($0.move) }
      return own.isEmpty || own.contains { $0.target.map(members.contains) ?? false }
    }
  }

  private func reached(from first: [Int], without wanted: [Bool]) -> Set<Int> {
    var (reached, rest) = (Set(first), first)
    while let state = rest.popLast() {
      for case let target? in steps[state].map(\.target)
      where !wanted[target] && reached.insert(target).inserted { rest.append(target) }
    }
    return reached
  }

  /// The strongly connected components of some states (Kosaraju's algorithm).
  private func components(of states: Set<Int>) -> [[Int]] {
    var before: [Int: [Int]] = [:]
    for state in states {
      for case let target? in steps[state].map(\.target) where states.contains(target) {
        before[target, default: []].append(state)
      }
    }
    var left = states
    return finishing(states).reversed().compactMap { first in
      guard left.remove(first) != nil else { return nil }
      var (component, rest) = ([first], [first])
      while let state = rest.popLast() {
        for earlier in before[state] ?? [] where left.remove(earlier) != nil {
          component.append(earlier)
          rest.append(earlier)
        }
      }
      return component
    }
  }

  /// Returns the states in the order in which a depth-first search leaves them.
  private func finishing(_ states: Set<Int>) -> [Int] {
    var (seen, order): (Set<Int>, [Int]) = ([], [])
    for first in states.sorted() where seen.insert(first).inserted {
      var path = [(state: first, next: 0)]
      while let (state, next) = path.last {
        guard next < steps[state].count else {
          order.append(state)
          path.removeLast()
          continue
        }
        path[path.count - 1].next += 1
        if let target = steps[state][next].target, states.contains(target),
          seen.insert(target).inserted
        {
          path.append((target, 0))
        }
      }
    }
    return order
  }

  /// Returns the groups of fair moves: one per entry, or one per combination of values of its named fields.
  private func groups(_ fair: [Fairness]) -> [Set<ExploredMove>] {
    let moves = Set(steps.joined().map(\.move))
    return fair.flatMap { fair in
      Dictionary(grouping: moves.filter(fair.covers)) { move -> [Value] in
        guard case .action(_, let payload) = move else { return [] }
        return fair.fields.map { payload[$0] ?? .nil }
      }.values.map { Set($0) }
    }
  }
}

extension Fairness {
  /// Returns true if the move is one of those that are treated fairly.
  fileprivate func covers(_ move: ExploredMove) -> Bool {
    switch move {
    case .action(name, let given): payload.allSatisfy { given[$0.key] ?? .nil == $0.value }
    case .action: false
    case .time: name == Property.timePasses
    case .end: name == Property.effectsEnd
    }
  }
}
