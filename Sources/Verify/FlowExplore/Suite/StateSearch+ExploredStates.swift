import FlowKernel

extension StateSearch {
  /// Plays the move of a trie in a state, and returns each action that came up; nil if there is no such move.
  func tell(
    _ trie: UInt32, _ values: Values, _ draws: [Int]
  ) throws -> (move: ExploredMove, told: ExploredTelling)? {
    guard let move = move(trie, values), let told = try tell(move, values, draws) else {
      return nil
    }
    return (move, told)
  }

  /// Plays a move in a state, and returns each action that came up; nil if the move has nothing to do there.
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

  /// Returns the effects that a move has started and a scenario must hold: those that wait, and those outside the
  /// state.
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

  /// Returns true if a scenario can make a move.
  ///
  /// Of effects with equal payloads a scenario ends the oldest, and the state does not show which one that is.
  func isPlayable(_ move: ExploredMove, _ values: Values) -> Bool {
    guard case .end(let effect, _, _) = move else { return true }
    return canonical(values).effects.allSatisfy {
      $0 == effect || $0.name != effect.name || $0.payload != effect.payload
    }
  }

  /// Returns true if all invariants hold in the state to which a move has led.
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
