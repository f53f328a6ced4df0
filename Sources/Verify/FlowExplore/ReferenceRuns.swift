import FlowKernel
import LuaRuntime

/// The runs through a graph of states and moves, as `ReferenceSearch` has found it.
///
/// A promise about runs is judged by the largest loops: a component in which each group of fair moves takes a step, passes
/// without changing anything, or has nothing to do in some state, has a fair run that stays in it, and no other does.
struct ReferenceRuns {
  struct Step {
    let move: ExploredMove
    /// The state that it leads to; nil if that is not explored.
    let target: Int?
    /// The number of a target that is not explored.
    let beyond: Int?
  }

  /// The steps from each state that is gone on from.
  private(set) var steps: [[Step]] = []

  /// Adds the steps from the next state.
  mutating func append(_ steps: [Step]) { self.steps.append(steps) }

  /// Judges whether a state that is wanted always follows on one of those that are given.
  ///
  /// - Parameters:
  ///   - wanted: for each state whether it is wanted; likewise `given`.
  ///   - wantedBeyond: the same for the targets that are not explored.
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

  /// Each state by itself may be stayed in, so it is asked like a loop.
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

  /// The states in the order in which a search depth-first is done with them.
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

  /// The moves of each group: one group, or one for each value of the fields that are named.
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
  /// True if the move is one of those that are treated fairly.
  fileprivate func covers(_ move: ExploredMove) -> Bool {
    switch move {
    case .action(name, let given): payload.allSatisfy { given[$0.key] ?? .nil == $0.value }
    case .action: false
    case .time: name == Property.timePasses
    case .end: name == Property.effectsEnd
    }
  }
}
