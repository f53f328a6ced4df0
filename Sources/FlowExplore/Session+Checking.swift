import CExplore
import LuaRuntime
import Moonlatch

/// Self-check: what was learned is played once more on an engine that traces nothing.
extension Session {
  func check(
    _ trie: UInt32, _ values: Values, _ draws: Values, _ leaf: UInt32
  ) -> Bool {
    switch asked[Int(trie)] {
    case .property(let number):
      return isStill(leaf) {
        try self.ask(setup.said.properties[number], values, by: draws.first).verdict
      }
    case .when(let number):
      guard let when = setup.said.properties[number].when else { return true }
      return isStill(leaf) { try self.ask(when, values).verdict }
    case .said(let function): return isStill(leaf) { try self.ask(function, values).verdict }
    case .move, .end, .invariant, .ends: break
    }
    guard case .move = asked[Int(trie)], let move = move(trie, values) else { return true }
    do {
      try checker.stand(in: tree(values), ledger(values))
      let run = try checker.check(move, draws: draws.map(Int.init))
      let known = explore_leaf_at(search, leaf)
      switch (run.ending, known.kind) {
      case (.passed, EXPLORE_PASSES):
        var after = Array(values)
        for write in UnsafeBufferPointer(start: known.writes, count: Int(known.write_count)) {
          while after.count <= Int(write.slot) { after.append(0) }
          after[Int(write.slot)] = write.value
        }
        return after.withUnsafeBufferPointer { after in
          if tree(after) == run.tree && ledger(after) == run.ledger { return true }
          differs(
            move, values,
            learned: "leads to \(shown(after)) \(ledger(after).parts)",
            found: "\(StateForm.decoded(run.tree)) \(run.ledger.parts)")
          return false
        }
      case (.refused, EXPLORE_REFUSED), (.idle, EXPLORE_REFUSED), (.failed, EXPLORE_FAILED):
        return true
      default:
        differs(
          move, values, learned: "comes to \(known.kind.rawValue)", found: "\(run.ending)")
        return false
      }
    } catch {
      differs(move, values, learned: "can be played", found: "\(error)")
      return false
    }
  }

  private func differs(
    _ move: ExploredMove, _ values: Values, learned: String, found: String
  ) {
    error = ExplorationError(
      .difference,
      "a decision that was learned is not what the flow does, which is a fault of Moonlatch's: \(move) in "
        + "\(shown(values)) \(ledger(values).parts) \(learned), as was learned, and the engine gives \(found)"
    )
  }

  /// Whether what a function said is what was learned.
  private func isStill(_ leaf: UInt32, _ ask: () throws -> AskedFunction.Verdict) -> Bool {
    guard let verdict = try? ask() else { return false }
    let known = explore_leaf_at(search, leaf)
    return verdict.holds == (known.kind == EXPLORE_PASSES)
      && number(of: verdict.reason) == known.reason
  }
}
