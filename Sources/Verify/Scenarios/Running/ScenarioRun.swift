import FlowKernel
import FlowLanguage
import HostFiles
import LuaRuntime

/// One scenario that runs against a fresh flow in a fresh VM.
final class ScenarioRun {
  let engine: Engine
  let fileName: String
  let filePath: String
  private let modules: ScenarioModules
  let settings: PlaySettings
  /// The room that is left for writing snapshots.
  let room: Snapshots.Reservation
  let printed: PrintedLines
  var timeline: Timeline
  var problem: Problem?
  /// The faults that ended effects and that the scenario has not expected yet.
  var faults: [EffectFault] = []
  var lastCommit: Commit?
  var lastOutcome: Outcome?
  /// The payload of the dispatch that the scenario makes.
  var dispatched: Value?
  /// The steps up to the first problem.
  private var lastSteps: Timeline?
  /// The pending work at the first problem.
  private var pendingWork: [String] = []
  /// The scenario file, once it has run.
  private var declared = DeclaredFile("")
  let flow: LoadedFlow
  /// The coverage of the scenario, if it is recorded.
  var coverage: CoverageNotes?
  /// The outcome of each action from the queue, by name: its last refusal, or else its last outcome.
  private(set) var playedFromQueue: [String: Outcome] = [:]
  /// The recording from which a restart restores the flow; nil if there are no restarts.
  var life: EngineLife?
  /// The real calls of the scenario; nil if it makes none.
  var live: LivePerformances?
  /// The calls of durable effects that stubs answer.
  private(set) lazy var stubbedCalls = StubbedCalls(engine)
  /// The place of the scenario, for problems that do not come from its script.
  var place = SourcePlace(file: "", line: 0)

  /// A problem that ends the scenario; only the first one counts.
  enum Problem {
    case failed(FailedExpectation)
    case broken(BrokenScript)
  }

  /// The number of instructions that the scenario's own script may use: ten times that of a dispatch.
  private var budget: Int {
    let (tenfold, overflow) = engine.limits.instructionsPerDispatch.multipliedReportingOverflow(
      by: 10)
    return overflow ? .max : tenfold
  }

  /// Starts a run in a VM that is unused, or that was restored to its unused state.
  ///
  /// - Parameter text: the text of the scenario file, if it is known already and runs only once in this VM; if nil,
  ///   `declare` runs the file.
  /// - Throws: `PreparedVM.NotDeclared` if the file has to run for each scenario.
  init(
    in prepared: PreparedVM, modules: ScenarioModules, settings: PlaySettings,
    room: Snapshots.Reservation, declaring text: String? = nil
  ) throws {
    self.modules = modules
    fileName = modules.name
    filePath = modules.path
    flow = prepared.flow
    self.settings = settings
    self.room = room
    timeline = Timeline(
      capacity: settings.steps, bytes: settings.limits.retained, of: flow.flow)
    printed = PrintedLines(prepared.printed)
    let printed = printed
    var options = settings.host?.options ?? HostOptions()
    options.limits = settings.limits
    options.seed = settings.seed
    let log = ScriptLog(hiding: flow.flow.secrets == nil ? nil : SecretTexts()) { printed.add($0) }
    engine = try Engine(
      flow, startedIn: prepared.vm, options: options, log: log
    ) {
      try prepared.prepare()
      if let text { try prepared.declare(text, modules) }
    }
    engine.observers.findsChangedLocals = prepared.hasLocals
    if settings.notesCoverage {
      coverage = CoverageNotes(active: engine.activeStates, after: engine.latestSteps)
    }
    engine.observers.recordsMicrosteps =
      settings.notesCoverage || engine.flow.machines.contains { !$0.isFlat }
    try engine.log.attach(to: engine.vm)
    engine.printOnceWhereDurable()
    listen()
    for (name, answer) in ScenarioRun.functions {
      try engine.vm.provide(name, readsByType: ScenarioRun.readByType.contains(name)) {
        [unowned self] in try answer(self, $0)
      }
    }
    try stubbedCalls.provide(in: engine.vm)
    guard let file = prepared.declared else { return }
    declared = file
    for line in file.printed { engine.log.write(line) }
  }

  typealias Answer = @Sendable (ScenarioRun, [Value]) throws -> [Value]

  /// The host functions of the scenario language, by the names that it calls.
  static let functions =
    ownFunctions + timeAndStubFunctions + restartFunctions

  /// The host functions that can tell whether a table with integer keys is a map.
  ///
  /// They know it from the types of payloads and of the state, or because an expectation names elements by their
  /// numbers.
  static let readByType: Set = [
    "scenario_dispatch", "scenario_finish", "scenario_given", "scenario_plain", "scenario_compare",
  ]

  /// Returns a host function that runs the body and returns nothing to the script.
  static func doing(
    _ body: @escaping @Sendable (ScenarioRun, [Value]) throws -> Void
  ) -> Answer {
    { run, arguments in
      try body(run, arguments)
      return []
    }
  }

  private static let ownFunctions: [(name: String, answer: Answer)] = [
    ("scenario_dispatch", { [try $0.dispatch($1)] }),
    ("scenario_undispatched", { [try $0.undispatched($1)] }),
    ("scenario_as", doing { $0.engine.settings.speaker = $1.first?.stringValue }),
    ("scenario_quiet", doing { run, _ in run.engine.turnOffEffectsAndTimers() }),
    ("scenario_plain", { _, _ in [] }),
    (
      "scenario_path",
      { _, arguments in
        // Returns the keys of a path as reports print it, such as rows[1].note; nothing if the text is not a path.
        StatePath(parsing: arguments.first?.stringValue ?? "").map { [.list($0.keys.map(\.value))] }
          ?? []
      }
    ),
    (
      "scenario_is_action",
      { [.boolean($0.engine.flow.action(named: $1.first?.stringValue ?? "") != nil)] }
    ),
    (
      "declared_module",
      { run, arguments in
        let answer = run.modules.answer(arguments.first?.stringValue ?? "", in: run.engine.vm)
        run.declared.look(at: answer.first?.stringValue ?? "")
        return answer
      }
    ),
    ("scenario_line", { [.string($0.line($1))] }),
    ("scenario_failed", doing { $0.recordFailedExpectation($1) }),
    ("scenario_compare", { [.boolean(try $0.compare($1))] }),
    (
      "scenario_given",
      { $0.given($1.first ?? [:]).map { [.string($0)] } ?? [] }
    ),
  ]

  /// Runs the scenario file and returns what it declares, unless that is known already.
  @discardableResult
  func declare(_ text: String, isKnown: Bool = false) throws(ScriptError) -> Value {
    declared = DeclaredFile(text)
    let described = try ScenarioVM.run(
      text, name: fileName, isKnown: isKnown, in: engine.vm, limits: engine.limits)
    declared.cleanUps = described["clean_ups"]?.integerValue ?? 0
    return described
  }

  /// Runs the scenario, then every `after_each`, whatever came before.
  ///
  /// - Parameters:
  ///   - capabilities: the capabilities that the scenario calls for real; nil if it calls none.
  ///   - halts: true to skip `after_each` after a problem, so that somebody can look at the flow as it is.
  func play(
    _ entry: ScenarioFile.Entry, _ capabilities: Capabilities? = nil, halts: Bool = false
  ) -> ScenarioEnd {
    place = SourcePlace(file: fileName, line: entry.line)
    if let capabilities { lend(capabilities) }
    // Calls that are still open are cancelled.
    defer { live?.follow([]) }
    if declared.namesRestart || settings.restarts { life = EngineLife(engine) }
    call("scenario_run", entry.index)
    endWithFault()
    if !halts || problem == nil {
      for number in 0..<declared.cleanUps { call("scenario_after", number + 1) }
    }
    endWithFault()
    let result: ScenarioResult =
      switch problem {
      case .failed(let failure): .failed(failure)
      case .broken(let script): .broken(script)
      case nil: .passed
      }
    tellOfFleeting()
    let told = lastSteps ?? timeline
    coverage?.noteRecords(of: engine)
    let files = flow.files
    return ScenarioEnd(
      result: result, steps: told.latest.map { $0.told(of: engine.flow) },
      earlierSteps: told.earlier, pendingWork: pendingWork,
      coverage: coverage?.record(of: flow, lines: engine.vm.coveredLines(where: files.contains)),
      printed: printed.lines, secretTexts: engine.secretTexts)
  }

  /// Ends the scenario with a problem, unless it has one already.
  ///
  /// The first problem counts: `after_each` may run into others. A fault that came before is the first one.
  func end(with first: Problem) {
    guard problem == nil else { return }
    endWithFault()
    guard problem == nil else { return }
    problem = first
    lastSteps = timeline
    pendingWork = engine.pendingWork.map(\.told)
  }

  /// Ends the scenario with the first fault that it did not expect, and with the steps of that moment.
  private func endWithFault() {
    guard problem == nil, let fault = faults.first else { return }
    (problem, lastSteps, pendingWork) = (fault.problem, fault.steps, fault.pendingWork)
  }

  private func call(_ function: String, _ number: Int) {
    let before = problem
    do {
      try engine.vm.call(
        engine.vm.preludeFunction(function), [.integer(number)], phase: .script,
        budget: budget)
    } catch {
      // A failed expectation raises an error too, which then only adds the traceback.
      switch (before, problem) {
      case (nil, nil): end(with: .broken(BrokenScript(error: error)))
      case (nil, .failed(var failure)) where error.message == ScenarioVM.failedExpectation:
        failure.traceback = error.traceback
        problem = .failed(failure)
      default: break
      }
    }
  }

  // MARK: What the scenario asks

  /// Dispatches an action and returns its outcome.
  ///
  /// Arguments: action, payload, "passed" if the script only needs to know that the action passed, and true if the
  /// action is dispatched as by an effect.
  private func dispatch(_ arguments: [Value]) throws -> Value {
    let action = arguments.first?.stringValue ?? ""
    let payload = arguments.count > 1 ? arguments[1] : [:]
    try engine.requireMaps(at: engine.vm.unnamedMaps, inPayloadOf: action)
    if let fault = Matcher.fault(in: payload) {
      return try undispatched([.string(action), .string(fault)])
    }
    dispatched = payload
    let isInside = arguments.count > 3 && arguments[3] == true
    let outcome =
      isInside
      ? engine.dispatch(fromInside: action, payload)
      : engine.dispatch(action, payload, by: engine.settings.speaker)
    timeline.add(action, payload, outcome, at: engine.time)
    if coverage != nil { coverage?.note(outcome, decisions: engine.decisions(on: outcome)) }
    lastOutcome = outcome
    try endTurn()
    if arguments.count > 2, arguments[2] == "passed", outcome.isPassed { return true }
    return outcome.described
  }

  /// Returns the outcome of an action whose payload is not plain data, so that it failed before it was dispatched.
  ///
  /// Arguments: action, the reason.
  private func undispatched(_ arguments: [Value]) throws -> Value {
    let action = arguments.first?.stringValue ?? ""
    if engine.flow.action(named: action) == nil { return try dispatch([.string(action)]) }
    let reason = "action \(action): \(arguments.last?.stringValue ?? "")"
    return Outcome.described(failed: "payload", reason: reason, text: reason)
  }

  /// Records the outcome of an action from the queue.
  func noteFromQueue(_ action: String, _ outcome: Outcome) {
    let isRefusal = if case .refused = outcome { true } else { false }
    if !isRefusal, case .refused? = playedFromQueue[action] { return }
    playedFromQueue[action] = outcome
  }

  /// Merges the given part into the state; returns what is wrong with it, or nil.
  private func given(_ part: Value) -> String? {
    if let fault = Matcher.fault(in: part) { return fault }
    do {
      try engine.flow.types.requireMaps(at: engine.vm.unnamedMaps)
    } catch {
      return "\(error)"
    }
    if let problem = engine.merge(part) { return problem.message }
    coverage?.note(engine.latestSteps)
    return nil
  }

  /// Records a failed expectation.
  ///
  /// Arguments: kind, place, then what `scenario.lua` knows of the failure.
  private func recordFailedExpectation(_ arguments: [Value]) {
    guard arguments.count >= 5, let kind = arguments[0].stringValue else { return }
    if kind == "assert" { return fail(at: arguments[1], arguments[2].stringValue ?? "", []) }
    let asked = AskedOutcome(
      kind: kind, action: arguments[2].stringValue ?? "", wanted: arguments[3].stringValue ?? "",
      outcome: arguments[4])
    fail(at: arguments[1], asked.description, [], lastOutcome.map(engine.decisions) ?? [])
  }

  private func compare(_ arguments: [Value]) throws -> Bool {
    guard arguments.count >= 3, let kind = arguments[0].stringValue else { return true }
    let mismatches: [Mismatch]
    let message: String
    if ["part", "state", "change", "migrates"].contains(kind) { try expectPossible(arguments[2]) }
    switch kind {
    case "view":
      let name = arguments[2].stringValue ?? ""
      let expected: Value = arguments.count > 3 ? arguments[3] : .nil
      mismatches = Expectation.value(
        expected, of: try engine.view(name), matching: matching)
      message = "view \(name) is not as expected"
    case "change":
      guard let last = lastCommit else {
        fail(at: arguments[1], "no action has passed yet, so there is no change to check", [])
        return false
      }
      let state = try engine.state()
      mismatches = Expectation.change(
        arguments[2], from: state.reverting(last.writes), to: state, matching: matching,
        hiding: engine.flow.secrets)
      message = "\(last.action) (#\(last.revision)) did not change what was expected"
    case "state":
      mismatches = Expectation.whole(
        arguments[2], of: try engine.state(), matching: matching, hiding: engine.flow.secrets)
      message = "the state is not as expected"
    case "equal":
      mismatches = Expectation.equal(
        arguments.count > 3 ? arguments[3] : .nil, to: arguments[2], matching: matching)
      message = "the values are not equal"
    case "snapshot": return try compareSnapshot(arguments)
    case "migrates": return try compareMigration(arguments)
    case "machine", "gatekeeper", "scope", "effects", "fault":
      return try compareBeside(kind, arguments)
    default:
      mismatches = Expectation.part(
        arguments[2], of: try engine.state(), matching: matching, hiding: engine.flow.secrets)
      message = "the state is not as expected"
    }
    if !mismatches.isEmpty { fail(at: arguments[1], message, mismatches) }
    return mismatches.isEmpty
  }

  /// Throws if the types of the state rule the expected value out.
  private func expectPossible(_ expected: Value) throws(UsageError) {
    if engine.flow.types.isEmpty { return }
    let types = ExpectedTypes(
      engine.flow.types, isMatcher: { Matcher($0) != nil }, matches: matching)
    if let fault = types.fault(in: expected) { throw UsageError(fault) }
  }

  /// Returns the text of a line, or an empty text if there is no such line.
  ///
  /// Arguments: file, line.
  private func line(_ place: [Value]) -> String {
    guard let file = place.first?.stringValue, let number = place.last?.integerValue,
      let text = engine.vm.texts[file]
    else { return "" }
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    return lines.indices.contains(number - 1) ? String(lines[number - 1].prefix(1_000)) : ""
  }

  /// Returns true if the text matches the Lua pattern; a malformed pattern matches nothing.
  func matching(_ text: String, _ pattern: String) -> Bool {
    let answer = try? engine.vm.call(
      engine.vm.preludeFunction("scenario_matches"), [.string(text), .string(pattern)],
      phase: .script, budget: budget)
    return answer?.first == true
  }

  func fail(
    at place: Value, _ message: String, _ mismatches: [Mismatch], _ decisions: [Decision] = []
  ) {
    end(
      with: .failed(
        FailedExpectation(
          place: SourcePlace(
            file: place["file"]?.stringValue ?? fileName, line: place["line"]?.integerValue ?? 0),
          message: message, mismatches: mismatches, traceback: [], decisions: decisions)))
  }
}
