import FlowLanguage
import LuaRuntime

/// The texts of records of durable effects in messages.
///
/// Values are written as in a script; long values are shortened, and secrets are hidden.
extension Engine {
  /// The greatest numbers of characters that are shown of a value, and of a whole question.
  private static let mostShown: (value: Int, question: Int) = (80, 200)

  func text(of item: EffectLog.Item) -> String {
    switch item {
    case .began: "its beginning"
    case .answered(let question, _), .called(let question): text(of: question)
    case .missed(let name): "\(name), which nobody lent,"
    case .slept(let delay, _, _): "sleep(\(Engine.text(ofSeconds: delay)))"
    case .function(_, let place): "function \(place)"
    case .printed: "print"
    case .wentOn(_, .success(let values)) where values.isEmpty: "waking up"
    case .wentOn(_, .success(let values)), .stubAnswered(_, true, let values):
      "the answer \(values.map { text($0) }.joined(separator: ", "))"
    case .wentOn(_, .failure(let error)): "the error \(text(.string(error.message)))"
    case .callFailed(_, let failure): "the error \(text(.string(failure.message)))"
    case .stubAnswered(_, false, let raised): "the error \(text(raised.first ?? .nil))"
    case .ofStub(_, let item): text(of: item)
    case .revised(let name): "revised(\(Value.quoted(name, limit: Engine.mostShown.value)))"
    }
  }

  func text(of question: EffectLog.Question) -> String {
    let name = question.name
    let arguments = question.texts { text(of: $0, question.kind, name) }
    let list = arguments.filter { $0 != "nil" }.joined(separator: ", ")
    let quoted = Value.quoted(name, limit: Engine.mostShown.value)
    let more = arguments.filter { !["nil", "{}"].contains($0) }
    let asked =
      switch question.kind {
      case .now: "now()"
      case .random: "random(\(list))"
      case .dispatch:
        Names.dotted("dispatch", name) + (more.first.map { " \($0)" } ?? "()")
      case .after:
        "after(\(([arguments.first ?? "", quoted] + more.dropFirst()).joined(separator: ", ")))"
      case .cancel where name.isEmpty: "cancel of timer \(list)"
      case .cancel: "cancel(\(([quoted] + more).joined(separator: ", ")))"
      case .may: "may(\(([quoted] + more).joined(separator: ", ")))"
      case .mayPass: "\(Names.dotted("gatekeeper", name)):may_pass(\(list))"
      case .holder: "\(Names.dotted("gatekeeper", name)):holder(\(list))"
      case .view: "\(Names.dotted("view", name))(\(list))"
      case .call: "\(name)(\(arguments.joined(separator: ", ")))"
      }
    return asked.count > Engine.mostShown.question
      ? asked.prefix(Engine.mostShown.question) + "..." : asked
  }

  /// Returns the text of an argument as it may be shown.
  func text(of argument: Value, _ kind: EffectLog.Question.Kind, _ name: String) -> String {
    switch kind {
    case .dispatch, .after, .cancel, .may:
      guard argument.recordValue != nil, flow.secrets != nil else { return text(argument) }
      // The secrets in the payload of a removed action are unknown.
      if flow.action(named: name) == nil { return argument == [:] ? "{}" : "{ ... }" }
      return text(flow.shown(argument, of: name))
    case .now, .random, .mayPass, .holder, .view, .call: return text(argument)
    }
  }

  private func text(_ value: Value) -> String {
    hidingSecrets(in: value.text(limit: Engine.mostShown.value))
  }

  /// Returns a duration as a script writes it.
  private static func text(ofSeconds microseconds: Int) -> String {
    let seconds = EngineTime.seconds(microseconds)
    return Int(exactly: seconds).map(String.init) ?? Value.text(of: seconds)
  }
}
