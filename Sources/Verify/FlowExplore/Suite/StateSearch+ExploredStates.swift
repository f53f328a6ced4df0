import FlowKernel

extension StateSearch {
  /// Plays a move of a state and tells each action that it has come to; nil where there is no such move.
  func tell(
    _ trie: UInt32, _ values: Values, _ draws: [Int]
  ) throws -> (move: ExploredMove, told: ExploredTelling)? {
    guard let move = move(trie, values), let told = try tell(move, values, draws) else {
      return nil
    }
    return (move, told)
  }

  /// The same of a move; nil where there is nothing for it to do.
  func tell(
    _ move: ExploredMove, _ values: Values, _ draws: [Int]
  ) throws -> ExploredTelling? {
    if isStoppedAfterwards, let error { throw error }
    return try engines.withFirst { pair in
      let told = try pair.check(
        in: values, self,
        stays: { told in
          if case .action = move, case .refused = told.ending { true } else { false }
        }
      ) { try $0.tell(move, draws: draws) }
      if case .idle = told.ending { return nil }
      return told
    }
  }

  /// The effects that have begun in a move and wait, or are none of the state's: those that a scenario is to hold.
  func effects(begun told: ExploredTelling) -> [String] {
    let silent = told.steps.flatMap { step -> [String] in
      guard case .passed(let commit) = step.outcome,
        let action = flow.flow.action(named: commit.action)
      else { return [] }
      return action.effects.map { flow.flow.effects[$0] }
        .filter { setup.silentEffects.contains($0.title) }.map(\.function.name)
    }
    return silent + told.canonical.effects.map(\.name)
  }

  /// Whether a scenario can make a move: of effects that have all got the same it ends the oldest, and which one that
  /// is no state says.
  func isPlayable(_ move: ExploredMove, _ values: Values) -> Bool {
    guard case .end(let effect, _, _) = move else { return true }
    return canonical(values).effects.allSatisfy {
      $0 == effect || $0.name != effect.name || $0.payload != effect.payload
    }
  }

  /// Whether all invariants hold in the state to which a move has led.
  func holds(_ told: ExploredTelling) throws -> Bool {
    guard case .passed = told.ending else { return true }
    return try engines.withFirst { pair in
      for number in flow.flow.invariants.indices {
        let broken = try pair.check(standingIn: told.tree, told.canonical) {
          try $0.checkExplored(invariant: number)
        }
        if broken != nil { return false }
      }
      return true
    }
  }
}
