import LuaRuntime
import Moonlatch

/// Runs one scenario against a fresh flow in a fresh VM.
final class ScenarioRun {
  let engine: Engine
  let file: ScenarioFile
  var steps = RecentSteps()
  var problem: Problem?
  var lastTransition: Transition?
  private var cleanUps = 0
  /// The actions from the queue that were refused, the last of each name.
  var refusedFromQueue: [String: Refusal] = [:]
  /// Where the scenario stands, for what goes wrong away from its script.
  var place = Place(file: "", line: 0)

  /// What ended the scenario, or would have: the first of these counts.
  enum Problem {
    case failed(FailedExpectation)
    case broken(BrokenScript)
  }

  /// How many instructions a scenario's own script may use: those of ten dispatches.
  private var budget: Int {
    let (tenfold, overflow) = engine.limits.instructionsPerDispatch.multipliedReportingOverflow(
      by: 10)
    return overflow ? .max : tenfold
  }

  /// Takes what is to be told beside the result.
  let warn: (String) -> Void

  private init(
    file: ScenarioFile, limits: Limits, print: @escaping @Sendable (String) -> Void
  ) throws {
    self.file = file
    warn = print
    let log = ScriptLog(print)
    engine = try Engine(
      LoadedFlow(
        FlowSources(file: file.flow, displayName: file.flowName), limits: limits, log: log),
      limits: limits, log: log)
  }

  /// Runs the scenario and says how it ended.
  ///
  /// `print` gets what scripts print.
  static func run(
    _ entry: ScenarioFile.Entry, of file: ScenarioFile, limits: Limits,
    print: @escaping @Sendable (String) -> Void
  ) -> ScenarioResult {
    if let reason = entry.skip { return .skipped(reason) }
    let run: ScenarioRun
    do {
      run = try ScenarioRun(file: file, limits: limits, print: print)
      try run.install()
    } catch let error as ScriptError {
      return .unloadable(error.report)
    } catch let error as FlowError {
      return .unloadable(error.report)
    } catch {
      return .unloadable(String(describing: error))
    }
    return run.play(entry)
  }

  private func install() throws {
    try ScenarioVM.install(in: engine.vm, limits: engine.limits)
    try engine.vm.provide("scenario_dispatch") { [unowned self] in [dispatch($0)] }
    try engine.vm.provide("scenario_undispatched") { [unowned self] in [undispatched($0)] }
    try engine.vm.provide("scenario_plain") { _ in [] }
    try engine.vm.provide("scenario_failed") { [unowned self] in note($0) }
    try engine.vm.provide("scenario_compare") { [unowned self] in [.boolean(try compare($0))] }
    try engine.vm.provide("scenario_given") { [unowned self] in
      engine.merge($0.first ?? [:]).map { [.string($0.message)] } ?? []
    }
    try provideCourse()
    let described = try ScenarioVM.run(
      file.text, name: file.name, in: engine.vm, limits: engine.limits)
    cleanUps = described["clean_ups"]?.integerValue ?? 0
  }

  /// The scenario, then every `after_each`, whatever came of what stood before.
  private func play(_ entry: ScenarioFile.Entry) -> ScenarioResult {
    place = Place(file: file.name, line: entry.line)
    call("scenario_run", entry.index)
    for number in 0..<cleanUps { call("scenario_after", number + 1) }
    return switch problem {
    case .failed(let failure): .failed(failure)
    case .broken(let script): .broken(script)
    case nil: .passed
    }
  }

  private func call(_ function: String, _ number: Int) {
    let before = problem
    do {
      try engine.vm.call(
        engine.vm.preludeFunction(function), [.integer(number)], phase: .script,
        budget: budget)
    } catch {
      // A failed expectation raises too: then the error only tells how the script came there.
      switch (before, problem) {
      case (nil, nil): problem = .broken(BrokenScript(error: error, steps: steps.latest))
      case (nil, .failed(var failure)) where error.message == ScenarioVM.failedExpectation:
        failure.traceback = error.traceback
        problem = .failed(failure)
      default: break
      }
    }
  }

  // MARK: What the scenario asks

  private func dispatch(_ arguments: [Value]) -> Value {
    let action = arguments.first?.stringValue ?? ""
    let payload = arguments.count > 1 ? arguments[1] : [:]
    let outcome = engine.dispatch(action, payload)
    steps.add(Step(action: action, payload: payload, outcome: outcome))
    return outcome.described
  }

  /// action, why its payload is no plain data: it has failed before it was offered.
  private func undispatched(_ arguments: [Value]) -> Value {
    let action = arguments.first?.stringValue ?? ""
    if engine.flow.action(named: action) == nil { return dispatch([.string(action)]) }
    let reason = "action \(action): \(arguments.last?.stringValue ?? "")"
    return Outcome.described(failed: "payload", reason: reason, text: reason)
  }

  /// kind, place, then what `scenario.lua` knows of the failure.
  private func note(_ arguments: [Value]) -> [Value] {
    guard arguments.count >= 5, let kind = arguments[0].stringValue else { return [] }
    let asked = AskedOutcome(
      kind: kind, action: arguments[2].stringValue ?? "", wanted: arguments[3].stringValue ?? "",
      outcome: arguments[4])
    fail(at: arguments[1], asked.description, [])
    return []
  }

  private func compare(_ arguments: [Value]) throws -> Bool {
    guard arguments.count >= 3, let kind = arguments[0].stringValue else { return true }
    let mismatches: [Mismatch]
    let message: String
    switch kind {
    case "view":
      let name = arguments[2].stringValue ?? ""
      let expected: Value = arguments.count > 3 ? arguments[3] : .nil
      mismatches = Expectation.value(expected, of: try engine.view(name))
      message = "view \(name) is not as expected"
    case "change":
      guard let last = lastTransition else {
        fail(at: arguments[1], "no action has passed yet, so there is no change to look at", [])
        return false
      }
      let state = try engine.state()
      mismatches = Expectation.change(
        arguments[2], from: state.reverting(last.patch), to: state)
      message = "\(last.action) (#\(last.revision)) did not change what was expected"
    case "state":
      mismatches = Expectation.whole(arguments[2], of: try engine.state())
      message = "the state is not as expected"
    case "machine", "gatekeeper", "scope", "effects":
      return try compareBeside(kind, arguments)
    default:
      mismatches = Expectation.part(arguments[2], of: try engine.state())
      message = "the state is not as expected"
    }
    if !mismatches.isEmpty { fail(at: arguments[1], message, mismatches) }
    return mismatches.isEmpty
  }

  /// The first failure is the one that counts: `after_each` may run into others.
  func fail(at place: Value, _ message: String, _ mismatches: [Mismatch]) {
    guard problem == nil else { return }
    problem = .failed(
      FailedExpectation(
        place: Place(
          file: place["file"]?.stringValue ?? file.name, line: place["line"]?.integerValue ?? 0),
        message: message, mismatches: mismatches, traceback: [], steps: steps.latest))
  }
}
