import LuaRuntime
import Moonlatch

/// Runs one scenario against a fresh flow in a fresh VM.
final class ScenarioRun {
  private let engine: Engine
  private let file: ScenarioFile
  private var steps: [Step] = []
  private var failure: FailedExpectation?
  private var stateBefore: Value?
  private var lastTransition: Transition?

  /// How many instructions a scenario's own script may use.
  private static let budget = 100_000_000

  private init(file: ScenarioFile, limits: Limits, log: ScriptLog) throws {
    self.file = file
    engine = try Engine(
      sources: FlowSources(file: file.flow, displayName: file.flowName), limits: limits, log: log)
  }

  /// Runs the scenario and says how it ended. `print` gets what scripts print.
  static func run(
    _ entry: ScenarioFile.Entry, of file: ScenarioFile, limits: Limits,
    print: @escaping @Sendable (String) -> Void
  ) -> ScenarioResult {
    if let reason = entry.skip { return .skipped(reason) }
    let run: ScenarioRun
    do {
      run = try ScenarioRun(file: file, limits: limits, log: ScriptLog(print))
      try run.install()
    } catch {
      return .unloadable(String(describing: error))
    }
    return run.play(entry)
  }

  private func install() throws {
    try ScenarioVM.install(in: engine.vm, limits: engine.limits)
    try engine.vm.provide("scenario_dispatch") { [unowned self] in [dispatch($0)] }
    try engine.vm.provide("scenario_failed") { [unowned self] in note($0) }
    try engine.vm.provide("scenario_compare") { [unowned self] in [.boolean(try compare($0))] }
    try engine.vm.provide("scenario_given") { [unowned self] in
      engine.merge($0.first ?? [:]).map { [.string($0.message)] } ?? []
    }
    _ = try ScenarioVM.run(file.text, name: file.name, in: engine.vm, limits: engine.limits)
  }

  private func play(_ entry: ScenarioFile.Entry) -> ScenarioResult {
    do {
      try engine.vm.call(
        engine.vm.preludeFunction("scenario_run"), [.integer(entry.index)], phase: .script,
        budget: ScenarioRun.budget)
    } catch {
      if failure == nil { return .broken(error.description) }
    }
    return failure.map(ScenarioResult.failed) ?? .passed
  }

  // MARK: What the scenario asks

  private func dispatch(_ arguments: [Value]) -> Value {
    let action = arguments.first?.stringValue ?? ""
    let payload = arguments.count > 1 ? arguments[1] : [:]
    let outcome = engine.dispatch(action, payload)
    steps.append(Step(action: action, payload: payload.description, outcome: outcome))
    switch outcome {
    case .passed(let transition):
      lastTransition = transition
      return ["kind": "passed", "revision": .integer(transition.revision)]
    case .refused(let refusal):
      return [
        "kind": "refused", "reason": .string(refusal.reason ?? refusal.description),
        "by": .string(refusal.by), "text": .string(refusal.description),
      ]
    case .failed(let failure):
      return [
        "kind": "failed", "reason": .string(failure.message),
        "by": .string(failure.kind.rawValue), "text": .string(failure.summary),
      ]
    }
  }

  /// kind, place, then what `scenario.lua` knows of the failure.
  private func note(_ arguments: [Value]) -> [Value] {
    guard arguments.count >= 5, let kind = arguments[0].stringValue else { return [] }
    let action = arguments[2].stringValue ?? ""
    let wanted = arguments[3].stringValue ?? ""
    let outcome = arguments[4]
    let text = outcome["text"]?.stringValue ?? "it passed"
    let message =
      switch kind {
      case "because": "\(action) was to say \"\(wanted)\", but said: \(text)"
      case "by": "\(action) was to be stopped by \(wanted), but: \(text)"
      default: "\(action) was to \(wanted), but \(what(outcome))"
      }
    fail(at: arguments[1], message, [])
    return []
  }

  private func what(_ outcome: Value) -> String {
    let text = outcome["text"]?.stringValue ?? ""
    return switch outcome["kind"]?.stringValue {
    case "passed": "it passed"
    case "refused": "it was \(text.hasPrefix("refused") ? text : "refused: \(text)")"
    default: "it failed: \(text)"
    }
  }

  private func compare(_ arguments: [Value]) throws -> Bool {
    guard arguments.count >= 3, let kind = arguments[0].stringValue else { return true }
    let mismatches: [Mismatch]
    let message: String
    switch kind {
    case "view":
      let name = arguments[2].stringValue ?? ""
      let expected: Value = arguments.count > 3 ? arguments[3] : .nil
      mismatches = Expectation.part(
        ["value": expected], of: ["value": try engine.view(name)]
      ).map {
        Mismatch(
          path: String($0.path.dropFirst("value".count).drop { $0 == "." }),
          expected: $0.expected, found: $0.found)
      }
      message = "view \(name) is not as expected"
    case "change":
      guard let last = lastTransition else {
        fail(at: arguments[1], "there is no transition yet whose change could be looked at", [])
        return false
      }
      let state = try engine.state()
      mismatches = Expectation.change(
        arguments[2], from: state.reverting(last.patch), to: state)
      message = "\(last.action) (#\(last.revision)) did not change what was expected"
    case "state":
      mismatches = Expectation.whole(arguments[2], of: try engine.state())
      message = "the state is not as expected"
    default:
      mismatches = Expectation.part(arguments[2], of: try engine.state())
      message = "the state is not as expected"
    }
    if !mismatches.isEmpty { fail(at: arguments[1], message, mismatches) }
    return mismatches.isEmpty
  }

  /// The first failure is the one that counts: `after_each` may run into others.
  private func fail(at place: Value, _ message: String, _ mismatches: [Mismatch]) {
    guard failure == nil else { return }
    failure = FailedExpectation(
      place: Place(
        file: place["file"]?.stringValue ?? file.name, line: place["line"]?.integerValue ?? 0),
      message: message, mismatches: mismatches, steps: Array(steps.suffix(5)))
  }
}
