import FlowKernel
import FlowLanguage
import LuaRuntime

/// The host functions of `time_and_stubs.lua`: time, stubs, and what exists beside the state.
extension ScenarioRun {
  static let timeAndStubFunctions: [(name: String, answer: Answer)] = [
    (
      "scenario_settle",
      doing { run, _ in
        try run.settle()
        try run.endTurn()
      }
    ),
    (
      "scenario_advance",
      doing {
        try $0.advance($1.first?.doubleValue ?? 0)
        try $0.endTurn()
      }
    ),
    (
      "scenario_stub",
      { run, arguments in
        try run.checkStub(arguments.first?.stringValue ?? "")
        return [.boolean(run.life != nil && run.engine.flow.hasDurableEffects)]
      }
    ),
    (
      "scenario_hold", { run, arguments in run.hold(arguments.first?.stringValue ?? "") }
    ),
    ("scenario_finish", { [try $0.finish($1)] }),
    (
      "scenario_random",
      doing { run, arguments in run.engine.give(draws: arguments.first?.listValue ?? []) }
    ),
    ("scenario_born", { run, arguments in run.give(birth: arguments).map { [.string($0)] } ?? [] }),
    ("scenario_refused", { [$0.becameOfQueued($1.first?.stringValue ?? "")] }),
    (
      "scenario_given_gatekeeper",
      { run, arguments in try run.giveGatekeeper(arguments).map { [.string($0)] } ?? [] }
    ),
  ]

  /// Observes the engine's commits and reports, which include those that the scenario does not dispatch itself.
  func listen() {
    engine.observers.commitHandler = { [unowned self] in
      lastCommit = $0
      if $0.cause != nil { noteFromQueue($0.action, .passed($0)) }
      // An action of the scenario's own shows the payload that it was dispatched with, whatever its effects do.
      let isFromQueue = $0.cause != nil
      timeline.add(
        Step(
          action: $0.action, payload: isFromQueue ? $0.payload.unlessEmpty : dispatched,
          isFromQueue: isFromQueue, time: $0.microseconds, outcome: .passed($0),
          machineSteps: engine.latestSteps))
      coverCommit($0)
    }
    engine.report = { [unowned self] in hear($0) }
  }

  /// Returns the outcome of an action that the queue was to refuse: its last refusal, or else what happened instead.
  private func becameOfQueued(_ name: String) -> Value {
    guard engine.flow.action(named: name) != nil else {
      let text =
        "there is no action \(name)" + Names.suggestion(for: name, among: engine.flow.actionNames)
      return ["kind": "undeclared", "text": .string(text)]
    }
    switch playedFromQueue[name] {
    case .passed(let commit)?:
      return [
        "kind": "passed",
        "found": .string(
          "it \(commit.isPostponed ? "is postponed" : "passed") (#\(commit.revision))"),
      ]
    case let outcome?: return outcome.described
    case nil: break
    }
    let coming = engine.pendingWork.filter { $0.action == name && $0.kind != .effect }
      .map(\.description)
    let text =
      coming.isEmpty
      ? "it was not queued (for a dispatch of the scenario itself use "
        + "\(Names.dotted("refuse", name))())"
      : "it is still pending: \(coming.joined(separator: ", ")); settle() or "
        + "advance(seconds) runs it"
    return ["kind": "never", "found": .string(text)]
  }

  private func checkStub(_ name: String) throws {
    let scope = String(name.prefix { $0 != "." })
    guard !engine.scopeNames.contains(scope) else { return }
    throw UsageError(
      "there is no scope \(scope)" + Names.suggestion(for: scope, among: engine.scopeNames))
  }

  /// Holds an effect; returns what is wrong with its name, if anything.
  private func hold(_ name: String) -> [Value] {
    let known = engine.heldNames
    guard known.contains(name) else {
      return [.string("there is no effect \(name)" + Names.suggestion(for: name, among: known))]
    }
    engine.settings.pausedEffects.insert(name)
    return []
  }

  /// Finishes an effect that waits, and returns the outcome of the action that follows.
  ///
  /// Arguments: effect, the action that follows or nil, its payload, the payload of the effect itself or nil.
  private func finish(_ arguments: [Value]) throws -> Value {
    let effect = arguments.first?.stringValue ?? ""
    let action = arguments.count > 1 ? arguments[1].stringValue : nil
    let payload: Value = arguments.count > 2 ? arguments[2] : [:]
    let own = arguments.count > 3 && arguments[3] != .nil ? arguments[3] : nil
    // Argument 3 is the payload of the action, argument 4 that of the effect.
    for (number, name) in [(3, action), (4, effect)] {
      let maps = engine.vm.unnamedMaps.filter { $0.first == .index(number) }
      if let name { try engine.requireMaps(at: maps, inPayloadOf: name) }
    }
    dispatched = payload
    guard let outcome = engine.finish(effect, with: action, payload, following: own) else {
      let known = engine.heldNames
      let why =
        known.contains(effect)
        ? "effect \(effect) does not wait" + (own.map { " that has got \($0)" } ?? "")
          + (engine.settings.pausedEffects.contains(effect)
            ? "" : "; stub.effect.\(effect)() holds it")
        : "there is no effect \(effect)" + Names.suggestion(for: effect, among: known)
      return ["misuse": .string(why)]
    }
    guard let action, let outcome else { return ["kind": "passed"] }
    if !outcome.isPassed { timeline.add(action, payload, outcome, at: engine.time) }
    if coverage != nil { coverage?.note(outcome, decisions: engine.decisions(on: outcome)) }
    lastOutcome = outcome
    try endTurn()
    return outcome.described
  }

  struct UsageError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
  }

  /// Handles a report of the engine.
  ///
  /// An effect that ends by a fault or an unhandled error fails the scenario, unless the scenario expects it. A queued
  /// action that fails, fails the scenario too; one that is refused does not.
  private func hear(_ report: Report) {
    switch report {
    case .handled(_, _, _, isFault: false): break
    case .queuedRefused(let refusal, let spent):
      let outcome = Outcome.refused(refusal)
      noteFromQueue(refusal.action, outcome)
      addFromQueue(refusal.action, outcome, spent: spent)
      coverage?.note(outcome, decisions: engine.decisions(on: outcome))
    case .effect(let title, let error), .handled(let title, let error, _, isFault: true):
      add(fault: error, of: title)
    case .cleanUp(let scope, var error):
      error.message = "a clean-up of scope \(scope) failed: \(error.message)"
      breakDown(error)
    case .queuedFailed(let failure):
      noteFromQueue(failure.action, .failed(failure))
      addFromQueue(failure.action, .failed(failure))
      var error = failure.script ?? ScriptError(kind: .runtime, message: "")
      error.message = "\(failure.action) from the queue failed: \(failure.message)"
      error.take(place)
      breakDown(error)
    case .local(let fault): printed.add("warning: \(fault)")
    // An SCXML document continues after an error that no transition has taken.
    case .untaken: printed.add("warning: \(report)")
    // None of these happens to a scenario.
    case .stopped, .dropped, .unheard, .transcriptEnded: break
    case .missingCapability(let message): add(missing: message)
    }
  }

  private func addFromQueue(_ action: String, _ outcome: Outcome, spent: String? = nil) {
    timeline.add(
      Step(
        action: action, payload: engine.payloadFromQueue.unlessEmpty, isFromQueue: true,
        time: engine.time, outcome: outcome, spent: spent))
  }

  /// Adds a commit to the coverage; commits from the queue are added only here.
  private func coverCommit(_ commit: Commit) {
    guard coverage != nil else { return }
    let outcome = Outcome.passed(commit)
    coverage?.note(outcome, decisions: engine.decisions(on: outcome))
    coverage?.note(engine.latestSteps)
  }

  private func breakDown(_ error: ScriptError) {
    end(with: .broken(BrokenScript(error: error)))
  }

  // MARK: Expectations

  /// Compares what exists beside the state: a machine, a fault, a gatekeeper, a scope or the pending work.
  ///
  /// Arguments: kind, place, name, the expected value; for a machine also the keys of its record.
  func compareBeside(_ kind: String, _ arguments: [Value]) throws -> Bool {
    let name = arguments.count > 2 ? arguments[2].stringValue ?? "" : ""
    let expected = arguments.count > 3 ? arguments[3] : .nil
    let found: Value
    switch kind {
    case "machine":
      let keys = arguments.count > 4 ? arguments[4].listValue ?? [] : []
      return try compareMachine(name, of: keys, expected, at: arguments[1])
    case "fault": return try expectFault(of: name, expected, at: arguments[1])
    case "gatekeeper": found = try held(by: name, expected)
    case "scope": found = .string(try engine.isOpen(scope: name) ? "open" : "locked")
    default: found = .list(engine.pendingWork.map { .string($0.description) })
    }
    let wanted = kind == "effects" ? Value.list([]) : expected
    let mismatches = Expectation.value(wanted, of: found, matching: matching)
    if !mismatches.isEmpty {
      let subject =
        kind == "effects" ? "effects are still running" : "\(kind) \(name) is not as expected"
      fail(at: arguments[1], subject, mismatches)
    }
    return mismatches.isEmpty
  }

  /// Compares the state of a machine or a region, which may also be in a state inside the expected one.
  ///
  /// - Parameter keys: the keys of the record that has the machine; none for a machine of the state.
  private func compareMachine(
    _ name: String, of keys: [Value], _ expected: Value, at place: Value
  ) throws -> Bool {
    let machine = try whereabouts(of: name, keys)
    let record = machine.record.map { " of \($0)" } ?? ""
    let title =
      machine.region.map { "region \($0) of machine \(machine.name)\(record)" }
      ?? "machine \(name)\(record)"
    let matcher = Matcher(expected)
    let named =
      if case .oneOf(let states)? = matcher { states } else { matcher == nil ? [expected] : [] }
    for state in named where !machine.states.contains(state.stringValue ?? "") {
      throw UsageError(
        "\(title) has no state \(state.stringValue ?? state.description)"
          + Names.suggestion(for: state.stringValue ?? "", among: machine.states))
    }
    let isThere = machine.states.contains { state in
      machine.isIn(state)
        && (matcher?.accepts(.string(state), matching: matching) ?? (expected == .string(state)))
    }
    if isThere { return true }
    let found = machine.current.map(Value.string) ?? .nil
    fail(
      at: place, "\(title) is not as expected",
      Expectation.value(expected, of: found, matching: matching))
    return false
  }

  private func whereabouts(of name: String, _ keys: [Value]) throws -> Engine.MachinePosition {
    // In an SCXML document a region has the name of its state, with a number sign in front.
    let own =
      engine.machine(named: name)
      ?? (engine.flow.document == nil ? nil : engine.machine(named: "#\(name)"))
    if keys.isEmpty, let own { return own }
    let machine = engine.flow.machines.first { machine in
      machine.name == name || machine.regionFields.contains { $0.field == name }
    }
    guard let machine else {
      let known = engine.flow.machines.flatMap { machine in
        [machine.name] + machine.regionFields.map(\.field)
      }
      throw UsageError("there is no machine \(name)" + Names.suggestion(for: name, among: known))
    }
    guard let records = machine.records else {
      throw UsageError("\(machine.title) belongs to the state, not to records")
    }
    if keys.isEmpty {
      throw UsageError(
        "each record of \(records.path.joined(separator: ".")) has a machine \(machine.name): name "
          + "the record, as in expect.machine\(Value.isName(name) ? ".\(name)" : Value.key(name))[KEY](STATE)"
      )
    }
    do throws(UnknownName) {
      if let found = try engine.machine(named: name, of: keys) { return found }
    } catch {
      throw UsageError(error.description)
    }
    throw UsageError("\(machine.title) is not running")
  }

  /// Returns what the gatekeeper holds, in the form that is expected: a word if it is a yes/no gatekeeper.
  private func held(by name: String, _ expected: Value) throws -> Value {
    guard let gatekeeper = engine.flow.gatekeepers.first(where: { $0.name == name }) else {
      throw UsageError(
        "there is no gatekeeper \(name)"
          + Names.suggestion(for: name, among: engine.flow.gatekeepers.map(\.name)))
    }
    let options = engine.describeGatekeepers()[name] ?? .list([])
    if gatekeeper.isYesNo { return options.listValue?.isEmpty == true ? "free" : "held" }
    if expected.stringValue != nil || Matcher(expected) != nil, options.listValue?.count == 1 {
      return options[0] ?? .nil
    }
    return options
  }

  /// Sets the time at which the case was born; returns what is wrong with the time, if anything.
  private func give(birth arguments: [Value]) -> String? {
    if let problem = engine.give(.born(arguments.first?.stringValue ?? "")) { return problem }
    coverage?.note(engine.latestSteps)
    return nil
  }

  private func giveGatekeeper(_ arguments: [Value]) throws -> String? {
    let name = arguments.first?.stringValue ?? ""
    let given = arguments.count > 1 ? arguments[1] : .nil
    let options: [String]
    switch given {
    case .string("free"), .nil: options = []
    case .string(let option): options = [option]
    default: options = (given.listValue ?? []).compactMap(\.stringValue)
    }
    if let problem = engine.give(options, toKeeper: name) { return problem }
    coverage?.note(engine.latestSteps)
    return nil
  }
}

extension Value {
  fileprivate var unlessEmpty: Value? { isEmptyTable ? nil : self }
}
