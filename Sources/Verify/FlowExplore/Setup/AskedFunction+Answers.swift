import FlowKernel
import LuaRuntime

extension AskedFunction {
  /// Returns the answers that the function has returned for an effect.
  ///
  /// - Throws: `ExplorationError` if the function raised an error, or if the answers are invalid.
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
        "\(place): \(title) must return a list of results: { \"ACTION\", { \"ACTION\", FIELD = value } }"
      )
    }
    guard elements.count <= ExplorationSpec.mostAnswersOfFunctions else {
      throw ExplorationError(
        .setup,
        "\(place): \(title) returns \(elements.count) results, and may return "
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
