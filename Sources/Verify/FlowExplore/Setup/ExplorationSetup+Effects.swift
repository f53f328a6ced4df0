import FlowLanguage
import LuaRuntime

extension ExplorationSetup.Answer {
  struct AnswerError: Error {
    let sentence: String
  }

  /// Reads an answer: the name of an action, `{ name, payload's fields }`, or false if nothing follows.
  static func read(
    _ told: Value, _ flow: Flow, _ fault: (Value, String) -> String?
  ) -> Result<ExplorationSetup.Answer, AnswerError> {
    var (name, fields): (String?, [String: Value]) = (nil, [:])
    switch SpecOption(told) {
    case .scalar(.string(let action)): name = action
    case .scalar(false): return .success(.init(action: "", payload: [:]))
    case .list(let items) where items.count == 1: name = items[0].stringValue
    case .mixed(let items, let given) where items.count == 1:
      (name, fields) = (items[0].stringValue, given)
    default: break
    }
    guard let name else {
      return .failure(
        AnswerError(
          sentence:
            "a result is an action, with the fields of its payload if it has any: \"ACTION\" or "
            + "{ \"ACTION\", FIELD = value }"))
    }
    guard flow.action(named: name) != nil else {
      return .failure(
        AnswerError(
          sentence: "there is no action \(name)"
            + Names.suggestion(for: name, among: flow.actionNames)))
    }
    do throws(SpecOption.NotPlain) {
      let payload = Value.record(try SpecOption.plain(fields))
      if let problem = fault(payload, name) { return .failure(AnswerError(sentence: problem)) }
      return .success(.init(action: name, payload: payload))
    } catch {
      return .failure(AnswerError(sentence: "its payload contains \(error.what)"))
    }
  }
}
