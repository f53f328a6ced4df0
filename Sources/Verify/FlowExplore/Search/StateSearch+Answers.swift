import CExplore
import FlowKernel
import LuaRuntime

/// Answers of effects that a function of the exploration file computes.
extension StateSearch {
  /// The answers that such a function returned in a state.
  struct Answers {
    let effect: ExploredEffect
    let tree: [UInt8]
    let list: [ExplorationSetup.Answer]
    /// The subjects that the function read.
    let looks: [SlotTable.Subject]
  }

  /// Returns the answers with which an effect may end in a state.
  func answers(
    to effect: ExploredEffect, _ values: Values, _ pair: EnginePair
  ) throws -> Answers {
    guard case .asked(let function)? = setup.said.answers[effect.title] else {
      return Answers(effect: effect, tree: [], list: setup.answers(to: effect), looks: [])
    }
    let tree = pair.standing(in: values, self).tree
    if let last = pair.lastAnswers, last.effect == effect, last.tree == tree { return last }
    let asked = try ask(
      function, [.integer(function.number), effect.payload], values, named: "explore_answers", pair)
    let looks = lock.locked {
      asked.run.reads.filter { $0.slot & UInt32(EXPLORE_DRAW) == 0 }.map {
        slots.subjects[Int($0.slot)]
      }
    }
    let answers = Answers(
      effect: effect, tree: tree,
      list: try function.answers(asked.said, try pair.engine(), in: shown(values)),
      looks: looks)
    pair.lastAnswers = answers
    return answers
  }

  /// Returns the subjects that were read to find the answers of the effect that a move ends.
  func looksOfAnswers(
    _ trie: UInt32, _ values: Values, _ pair: EnginePair
  ) throws -> [SlotTable.Subject] {
    guard case .end(let number, _) = asked[Int(trie)] else { return [] }
    let effects = pair.standing(in: values, self).canonical.effects
    guard effects.indices.contains(number) else { return [] }
    return try answers(to: effects[number], values, pair).looks
  }
}
