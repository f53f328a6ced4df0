import CExplore
import FlowKernel
import FlowLanguage

/// The amount of learned decisions that are played again, as a check, when they are used.
enum SelfCheck {
  case none, some, all
}

/// Self-check: learned decisions are played again on an engine that traces nothing.
extension StateSearch {
  /// A difference between a learned decision and the result of playing it.
  private struct Difference {
    let what: String
    let learned: String
    let played: String
  }

  /// Returns true if a leaf agrees with what the flow does; records an error otherwise.
  func check(
    _ thread: UInt32, _ trie: UInt32, _ values: Values, _ draws: Values, _ leaf: UInt32
  ) -> Bool {
    if ending.isDue { explore_stop(search) }
    do {
      let difference = try engines.with(thread) { pair in
        try self.difference(trie, values, draws, leaf, pair)
      }
      // Another thread may have decided meanwhile to play the trie each time; the learned decision is obsolete then.
      guard let difference, lock.locked({ played[trie] == nil }) else { return true }
      let state = "\(shown(values)) \(lock.locked { canonical(values).parts })"
      end(
        with: ExplorationError(
          .impure,
          "a learned decision is not what the flow does: the flow stores something outside of its state, such as "
            + "a local that a function changes (if it does not, this is an internal error: please report it): "
            + "\(difference.what) in \(state) \(difference.learned), as learned, but when played it "
            + difference.played))
    } catch let error as ExplorationError {
      end(with: error)
    } catch {
      end(with: ExplorationError(.flow, "\(error)"))
    }
    return false
  }

  private func difference(
    _ trie: UInt32, _ values: Values, _ draws: Values, _ leaf: UInt32, _ pair: EnginePair
  ) throws -> Difference? {
    let known = explore_leaf_at(search, leaf)
    switch asked[Int(trie)] {
    case .property(let number):
      let property = setup.said.properties[number]
      return difference(
        property.title, known, try ask(property, values, by: draws.first, pair).verdict)
    case .when(let number):
      guard let when = setup.said.properties[number].when else { return nil }
      return difference(when.title, known, try ask(when, values, pair).verdict)
    case .said(let function):
      return difference(function.title, known, try ask(function, values, pair).verdict)
    case .invariant(let number): return try difference(known, values, invariant: number, pair)
    case .ends:
      let isEnd = lock.locked { self.isEnd(values) }
      if isEnd == (known.kind == EXPLORE_PASSES) { return nil }
      return Difference(
        what: "whether it may end", learned: "is \(!isEnd)", played: "is \(isEnd)")
    case .part: return nil
    case .effects:
      let isWithin = lock.locked { isWithinEffects(values) }
      if isWithin == (known.kind == EXPLORE_PASSES) { return nil }
      return Difference(
        what: "the number of running effects", learned: describe(known),
        played: "is \(isWithin ? "within" : "beyond") the limit of the exploration file")
    case .move, .end:
      guard let move = move(trie, values, pair) else {
        if known.kind == EXPLORE_REFUSED { return nil }
        return Difference(
          what: "an effect that ends", learned: describe(known), played: "is not running")
      }
      return try difference(known, values, move, draws.map(Int.init), pair)
    }
  }

  private func difference(
    _ title: String, _ known: explore_leaf, _ verdict: AskedFunction.Verdict
  ) -> Difference? {
    let learned = lock.locked { reasons[Int(known.reason)] }
    if verdict.holds == (known.kind == EXPLORE_PASSES), verdict.reason == learned { return nil }
    return Difference(
      what: title, learned: describe(known),
      played: "is \(verdict.holds) \(verdict.reason.text)")
  }

  private func difference(
    _ known: explore_leaf, _ values: Values, invariant number: Int, _ pair: EnginePair
  ) throws -> Difference? {
    let broken = try pair.check(in: values, self) { try $0.checkExplored(invariant: number) }
    if (broken == nil) == (known.kind == EXPLORE_PASSES) { return nil }
    return Difference(
      what: Names.dotted("invariant", flow.flow.invariants[number].function.name),
      learned: describe(known), played: broken.map { "is violated: \($0)" } ?? "holds")
  }

  private func difference(
    _ known: explore_leaf, _ values: Values, _ move: ExploredMove, _ draws: [Int],
    _ pair: EnginePair
  ) throws -> Difference? {
    let run = try pair.check(
      in: values, self,
      stays: { run in
        if case .action = move, case .refused = run.ending { true } else { false }
      }
    ) { try $0.check(move, draws: draws) }
    switch (run.ending, known.kind) {
    case (.passed, EXPLORE_PASSES):
      let all = StateSearch.values(
        of: values, after: UnsafeBufferPointer(start: known.writes, count: Int(known.write_count)))
      return all.withUnsafeBufferPointer { after in
        let learned = lock.locked { (tree: self.tree(after), canonical: self.canonical(after)) }
        if learned.tree == run.tree && learned.canonical == run.canonical {
          pair.checkerHasGone(to: all, run.tree, run.canonical)
          return nil
        }
        return Difference(
          what: "\(move)", learned: "leads to \(shown(after)) \(learned.canonical.parts)",
          played: "leads to \(StateForm.decoded(run.tree)) \(run.canonical.parts)")
      }
    case (.refused(let refusal), EXPLORE_REFUSED)
    where lock.locked({ reasons[Int(known.reason)].text }) == "\(refusal)":
      return nil
    case (.idle, EXPLORE_REFUSED), (.failed, EXPLORE_FAILED): return nil
    default:
      return Difference(
        what: "\(move)", learned: describe(known), played: "comes to \(run.ending)")
    }
  }

  /// Returns the decision of a leaf as text for a message.
  private func describe(_ known: explore_leaf) -> String {
    let reason = lock.locked { reasons[Int(known.reason)].text }
    return switch known.kind {
    case EXPLORE_PASSES: "passes"
    case EXPLORE_REFUSED: "is refused (\(reason))"
    default: "fails (\(reason))"
    }
  }
}
