import CExplore
import LuaRuntime
import FlowKernel

/// Effects whose answers a function of an exploration file works out.
extension StateSearch {
  /// What such a function said of a state.
  struct Answers {
    let effect: ExploredEffect
    let tree: [UInt8]
    let list: [ExplorationSetup.Answer]
    /// What it has looked at for that.
    let looks: [SlotTable.Subject]
  }

  /// What an effect may end with in a state.
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

  /// What was looked at to know what the effect of a move may end with.
  func looksOfAnswers(
    _ trie: UInt32, _ values: Values, _ pair: EnginePair
  ) throws -> [SlotTable.Subject] {
    guard case .end(let number, _) = asked[Int(trie)] else { return [] }
    let effects = pair.standing(in: values, self).canonical.effects
    guard effects.indices.contains(number) else { return [] }
    return try answers(to: effects[number], values, pair).looks
  }
}

extension AskedFunction {
  /// Reads which answers it has said that an effect may end with.
  ///
  /// - Throws: `ExplorationError` where it raised an error, or where they are none.
  func answers(
    _ said: Result<[Value], ScriptError>, _ engine: Engine, in state: @autoclosure () -> String
  ) throws(ExplorationError) -> [ExplorationSetup.Answer] {
    let told: Value
    switch said {
    case .success(let values): told = values.first ?? .nil
    case .failure(let error): throw failure(error, in: state())
    }
    guard let elements = told.listValue else {
      throw ExplorationError(
        .setup,
        "\(place): \(title) returns a list of answers: { \"ACTION\", { \"ACTION\", FIELD = value } }"
      )
    }
    guard elements.count <= ExplorationSpec.mostAnswersOfFunctions else {
      throw ExplorationError(
        .setup,
        "\(place): \(title) returns \(elements.count) answers, and it may return "
          + "\(ExplorationSpec.mostAnswersOfFunctions)")
    }
    var answers: [ExplorationSetup.Answer] = []
    for element in elements {
      switch ExplorationSetup.Answer.read(element, engine.flow, engine.fault(inPayload:of:)) {
      case .success(let answer): answers.append(answer)
      case .failure(let wrong):
        throw ExplorationError(.setup, "\(place): \(title): \(wrong.sentence)")
      }
    }
    return answers
  }
}

extension ExplorationSpec {
  /// So many answers a function may say that an effect ends with.
  static let mostAnswersOfFunctions = 8

  /// The same, where there is such a function.
  var mostAskedAnswers: Int {
    let isAsked = answers.values.contains { if case .asked = $0 { true } else { false } }
    return isAsked ? ExplorationSpec.mostAnswersOfFunctions : 0
  }

  /// Runs the file in a VM that is to be asked.
  func install(in vm: LuaVM, limits: Limits) throws(ScriptError) {
    guard let source else { return }
    try ExplorationVM.install(in: vm, source.modules, limits: limits)
    try ExplorationVM.run(source.text, name: source.name, in: vm, limits: limits)
  }
}

extension ExplorationSetup {
  /// Takes what a file says.
  mutating func take(_ said: ExplorationSpec) {
    self.said = said
    if !said.units.isEmpty { units = said.units }
    for (title, answers) in said.answers {
      if case .list(let list) = answers { answersByEffect[title] = list }
    }
    if let most = said.mostEffects { mostEffects = most }
    clock = said.clock
  }
}
