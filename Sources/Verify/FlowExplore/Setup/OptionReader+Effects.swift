import FlowLanguage
import LuaRuntime

/// The option `effects`: the answers with which effects end.
extension OptionReader {
  mutating func readEffects(_ told: Value) {
    guard case .fields(let effects) = SpecOption(told) else {
      return fault(
        "effects must list results: effects = { NAME = { \"ACTION\" } }", at: ["effects"])
    }
    for (name, told) in effects.sorted(by: { $0.key < $1.key }) {
      if name == "at_most" {
        readMost(told)
        continue
      }
      let titles = titles(of: name)
      if titles.isEmpty {
        fault(
          "there is no effect \(name)" + Names.suggestion(for: name, among: effectNames),
          at: ["effects", name])
        continue
      }
      guard let answers = answers(of: name, told) else { continue }
      for title in titles { said.answers[title] = answers }
    }
  }

  private mutating func readMost(_ told: Value) {
    guard let most = told.integerValue, most > 0 else {
      return fault(
        "effects.at_most must be how many effects may run at once: 1 or more",
        at: ["effects", "at_most"])
    }
    said.mostEffects = most
  }

  /// Returns the titles of the effects of a name: the name of a state, or of an effect function.
  private func titles(of name: String) -> [String] {
    flow.effects.filter { $0.function.name == name }.map(\.title)
      + flow.stateEffects.filter { $0.state == name }.map(\.title)
  }

  private var effectNames: [String] {
    flow.effects.map(\.function.name) + flow.stateEffects.compactMap(\.state)
  }

  private mutating func answers(of name: String, _ told: Value) -> ExplorationSpec.Answers? {
    let path: [StatePath.Key] = [.field("effects"), .field(name)]
    switch SpecOption(told) {
    case .function(let number):
      return .asked(
        AskedFunction(number: number, title: "effects.\(name)", place: place(of: path)))
    case .list(let elements):
      let before = faults.count
      let answers = elements.enumerated().compactMap { index, told in
        answer(told, of: name, at: path + [.index(index + 1)])
      }
      return faults.count == before ? .list(answers) : nil
    default:
      fault(
        "effect \(name) needs a list of results, or a function that returns one: \(name) = "
          + "{ \"ACTION\", { \"ACTION\", FIELD = value } }", at: path)
      return nil
    }
  }

  mutating func answer(
    _ told: Value, of effect: String, at path: [StatePath.Key]
  ) -> ExplorationSetup.Answer? {
    switch ExplorationSetup.Answer.read(told, flow, probe.fault(inPayload:of:)) {
    case .success(let answer): return answer
    case .failure(let problem):
      fault("effect \(effect): \(problem.sentence)", at: path)
      return nil
    }
  }
}
