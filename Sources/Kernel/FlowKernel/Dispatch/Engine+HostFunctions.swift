import FlowLanguage
import LuaRuntime

/// The functions that the host provides to scripts: time and chance, the queue, gatekeepers, scopes.
extension Engine {
  func provideHostFunctions() { serve(flowVersion) }

  /// Provides the functions to the scripts of one version of the flow's text.
  ///
  /// It is the current one, or one from before a reload whose effects still run.
  func serve(_ flowVersion: RunningEffects.FlowVersion) {
    let isEarlier = flowVersion !== self.flowVersion
    let tellsAgain = flow.hasDurableEffects || isEarlier
    flowVersion.vm.provideLibrary {
      [unowned self, unowned flowVersion, unowned vm = flowVersion.vm, views = flowVersion.views] in
      // Work in the current VM for an effect in an earlier one is charged to the earlier one.
      let before = isEarlier ? self.vm.instructionsUsed : 0
      defer { if isEarlier { vm.spend(self.vm.instructionsUsed - before) } }
      let function = $0
      let arguments = isEarlier ? renaming($1, of: function, by: flowVersion.actions) : $1
      if !tellsAgain { return try serve(function, arguments, vm, views) }
      do {
        return try answer(function, arguments, views: views) {
          try serve(function, arguments, vm, views)
        }
      } catch let refusal as ScopeRefusal where isEarlier && effects.current?.root.log == nil {
        // A scope that existed when the effect began may be gone, which is no error of its script. For a durable effect
        // it is an error all the same, because the answers that are repeated after a restart do not say so.
        throw ScopeRefusal(refusal.description, isRaised: true)
      }
    }
    if flow.hasDurableEffects { printOnce(in: flowVersion.vm) }
    if isEarlier || flow.hasDurableEffects { flowVersion.vm.readViewsElsewhere() }
  }

  /// Returns the arguments of a call from an earlier text, with the name that its action has now.
  private func renaming(
    _ arguments: [Value], of function: LibraryFunction, by names: ActionNames
  ) -> [Value] {
    let place =
      switch function {
      case .enqueue, .cancel, .may: 0
      case .schedule: 1
      default: arguments.count
      }
    guard !names.isEmpty, place < arguments.count, let name = arguments[place].stringValue else {
      return arguments
    }
    var arguments = arguments
    arguments[place] = .string(names[name])
    return arguments
  }

  private func serve(
    _ function: LibraryFunction, _ arguments: [Value], _ vm: LuaVM, _ views: [String]
  ) throws -> HostAnswer {
    if !vm.unnamedMaps.isEmpty {
      let name = arguments[(function == .schedule ? 1 : 0)...].first?.stringValue ?? ""
      try requireMaps(at: vm.unnamedMaps, inPayloadOf: name)
    }
    return switch function {
    case .scopeCall: try callCapability(arguments)
    case .scopeDefer: .values(try deferCleanUp(arguments, in: vm))
    case .view: .values([try viewOfBefore(arguments, views)])
    default: .values(try answer(function, arguments))
    }
  }

  private func answer(_ function: LibraryFunction, _ arguments: [Value]) throws -> [Value] {
    switch function {
    case .now, .random: try answerOfTime(function, arguments)
    case .enqueue, .schedule, .cancel, .may: try answerOfQueue(function, arguments)
    case .gatekeeperMayPass, .gatekeeperHolder: try answerOfGatekeeper(function, arguments)
    case .scopeKey, .scopeName, .scopeParent, .scopeCheck, .scopeLevels, .scopeHas, .scopeCall,
      .scopeUnlock, .scopeClose, .scopeLeave, .scopeDefer, .scopeMissing:
      try answerOfScope(function, arguments)
    case .namedState: try placeOfState(arguments.first?.stringValue ?? "")
    case .misfit: [.string(flow.types.misfit(arguments) + ending(arguments))]
    case .born: [.number(EngineTime.seconds(birth ?? 0))]
    case .document: try answerOfDocument(arguments)
    case .by:
      [
        (arguments.first == true ? effects.current?.commit.dispatchedBy : scratch.dispatchedBy).map(
          Value.string)
          ?? .nil
      ]
    case .enteredBy: [actionOfState.map(Value.string) ?? .nil]
    case .revised: [true]
    case .attempt:
      noteAttempt(arguments)
    case .print, .loadModule, .view: []
    }
  }

  /// Provides a `print` that does not repeat the output of durable effects, if the flow has any.
  package func printOnceWhereDurable() {
    if flow.hasDurableEffects { printOnce(in: flowVersion.vm) }
  }

  private func printOnce(in vm: LuaVM) {
    // The host has provided `print` before, so this does not fail.
    try? vm.provide("print") { [unowned self, unowned vm, log] arguments in
      if hasPrintedBefore { return [] }
      log.tell(arguments, in: vm)
      return []
    }
  }

  /// The action that entered the state whose effect asks; nil if the machine began there, and in other effects.
  private var actionOfState: String? {
    guard let running = effects.current?.root, running.state != nil,
      !running.commit.action.isEmpty
    else { return nil }
    return running.commit.action
  }

  /// Records the progress of a retry in an effect: its beginning, a failed attempt, the next attempt, its end.
  ///
  /// Asked for a failure, it returns the properties of the failed call that raised a message.
  private func noteAttempt(_ arguments: [Value]) -> [Value] {
    guard let running = effects.current else { return [] }
    switch arguments.first?.stringValue {
    case "failed":
      guard arguments.count == 4 else { break }
      recordFailedAttempt(
        arguments[2].integerValue ?? 0, of: arguments[3].integerValue ?? 0,
        arguments[1].stringValue ?? "", by: running)
    case "failure":
      let message = arguments.last?.stringValue ?? ""
      guard let failure = running.lastFailure, failure.isRaised(as: message) else { break }
      return [failure.record]
    case "begin": running.position.beginRetry()
    case "again": running.position.beginAttempt()
    default: running.position.endRetry()
    }
    return []
  }

  /// Returns the value of a view for an effect that began in an earlier text of the flow.
  private func viewOfBefore(_ arguments: [Value], _ views: [String]) throws -> Value {
    let number = arguments.first?.integerValue ?? -1
    guard views.indices.contains(number) else { throw ScopeRefusal("there is no such view") }
    let name = views[number]
    guard let view = flow.view(named: name) else {
      throw ScopeRefusal(
        "the reloaded flow has no view \(name)"
          + suggestion(for: name, among: flow.views.map(\.function.name)))
    }
    do {
      return try vm.viewValue(view.number, budget: budget, most: mostPerView).value
    } catch {
      throw ScopeRefusal("\(error)")
    }
  }

  // MARK: Time and chance

  private func answerOfTime(
    _ function: LibraryFunction, _ arguments: [Value]
  ) throws(ScopeRefusal) -> [Value] {
    if function == .now {
      noteClock()
      return [.number(EngineTime.seconds(time))]
    }
    let inEffect = effects.current != nil
    guard arguments.count == 2, let low = arguments[0].integerValue,
      let high = arguments[1].integerValue
    else {
      let given = try givenDraw("random()") { (0..<1).contains($0.doubleValue ?? -1) }
      return [given ?? .number(exploredUnit() ?? drawUnit(inEffect: inEffect))]
    }
    let given = try givenDraw("random(\(low), \(high))") {
      $0.integerValue.map { (low...max(low, high)).contains($0) } ?? false
    }
    if let given { return [given] }
    return [
      .integer(exploredInteger(low, high) ?? drawInteger(low, high, inEffect: inEffect))
    ]
  }

  // MARK: The queue

  private func answerOfQueue(_ function: LibraryFunction, _ arguments: [Value]) throws -> [Value] {
    switch function {
    case .enqueue: try enqueue(arguments)
    case .schedule: return [.integer(try schedule(arguments))]
    case .cancel:
      if let timer = arguments.first?.integerValue { return [.boolean(cancel(timer))] }
      return [.integer(try cancel(arguments))]
    default: return try answerOfMay(arguments)
    }
    return []
  }

  private func enqueue(_ arguments: [Value]) throws {
    let queued = try checked(arguments)
    guard caseState.queue.count < limits.queue else {
      throw ScopeRefusal("the queue is full (\(limits.queue) actions)")
    }
    try requireReserve(for: queued.size, of: queued.name)
    caseState.queue.add(.action(queued), owner: .nobody, from: effects.current?.state)
  }

  /// Schedules an action, and returns the number that cancels it.
  private func schedule(_ arguments: [Value]) throws -> Int {
    let queued = try checked(Array(arguments.dropFirst()))
    guard caseState.timers.ofEffects < limits.timers else {
      throw ScopeRefusal("\(limits.timers) timers are pending already")
    }
    // The history needs room for it too, as long as undo can go back to before.
    try requireReserve(for: 2 * queued.size, of: queued.name)
    instrumentation?.recordReadOfTimers()
    let instance = effects.current?.instance ?? 1
    let state = effects.current?.state
    return add(
      queued, in: arguments.first?.doubleValue ?? 0,
      owner: state.map { .stateEffect($0) } ?? .instance(instance), from: state)
  }

  /// Cancels the scheduled action with this number; returns false if it is no longer pending.
  private func cancel(_ number: Int) -> Bool {
    instrumentation?.recordReadOfTimers()
    return number > 0 ? caseState.cancel(number) : caseState.queue.cancel(number)
  }

  /// Cancels the pending and queued actions with a name, and returns their number.
  ///
  /// A second argument restricts this to actions whose payload contains it.
  private func cancel(_ arguments: [Value]) throws -> Int {
    let name = arguments.first?.stringValue ?? ""
    guard let action = flow.action(named: name) else {
      throw ScopeRefusal(
        "there is no action \(name)" + suggestion(for: name, among: flow.actionNames))
    }
    instrumentation?.recordReadOfTimers()
    let part = arguments.count > 1 ? try checked(part: arguments[1], of: action) : [:]
    let timers = caseState.cancel(name, containing: part)
    let queued = caseState.queue.cancel(name, containing: part)
    vm.spend(10 * (timers.visits + queued.visits))
    return timers.stopped + queued.dropped
  }

  /// Checks a part of a payload against the action's declaration.
  private func checked(part: Value, of action: Action) throws -> Value {
    var check = PayloadCheck(deepest: limits.deepest) { [self] text, pattern in
      (try? matches(text, pattern)) ?? false
    }
    let part = check.check(part: part, of: action.payload)
    guard check.faults.isEmpty else {
      throw ScopeRefusal("cancel \(action.name): " + check.faults.joined(separator: "; "))
    }
    return part
  }

  private func answerOfMay(_ arguments: [Value]) throws -> [Value] {
    let payload = arguments.count > 1 ? arguments[1] : [:]
    return switch try mayMeanwhile(arguments.first?.stringValue ?? "", payload) {
    case .granted: [true]
    case .refused(let refusal):
      [false, .string(refusal.description), .string(refusal.rejectedBy.description)]
    case .failed(let failure): [false, .string(failure.summary), .string(failure.kind.rawValue)]
    }
  }

  /// Returns the permission of an action for a script, and leaves the current payload as it is.
  private func mayMeanwhile(_ name: String, _ payload: Value) throws(ScriptError) -> Permission {
    let kept = try vm.keepPayload()
    defer { vm.putPayloadBack(kept) }
    // An effect asks if it may dispatch the action itself.
    return effects.current == nil
      ? may(name, payload, by: settings.speaker) : fromInside { may(name, payload, by: nil) }
  }

  /// Throws for a list with holes in a payload, if neither the script nor the payload's type calls it a map.
  package func requireMaps(
    at paths: [[ValueKey]], inPayloadOf name: String
  ) throws(ListWithHoles) {
    if paths.isEmpty { return }
    // The lookup of the action reports a name that is not declared.
    try flow.action(named: name)?.payload.requireMaps(at: paths)
  }

  /// Returns the queued action for a call, whose name and payload are checked at once.
  private func checked(_ arguments: [Value]) throws -> QueuedAction {
    let name = arguments.first?.stringValue ?? ""
    do {
      let payload = try check(name, arguments.count > 1 ? arguments[1] : [:])
      let cause = effects.current?.cause ?? Cause(revision: revision)
      return QueuedAction(name: name, payload: payload ?? [:], cause: cause)
    } catch {
      if case .failed(let failure) = error { throw ScopeRefusal(failure.message) }
      throw error
    }
  }

  // MARK: Named states

  /// Returns the field that contains a named state, the beginning of its value in that state, and the machine of
  /// records.
  private func placeOfState(_ name: String) throws(ScopeRefusal) -> [Value] {
    do {
      let place = try configuration.namedStates.place(of: name)
      let records = place.machineOfRecords.flatMap { index in
        recordMachines.values.first { $0.index == index }?.records?.number
      }
      return [
        place.field.map { .string($0) } ?? .nil, place.path.map { .string($0) } ?? .nil,
        records.map { .integer(Int($0)) } ?? .nil,
      ]
    } catch {
      vm.spend(error.lookedAt)
      throw ScopeRefusal(error.description)
    }
  }

  // MARK: Gatekeepers

  private func answerOfGatekeeper(_ function: LibraryFunction, _ arguments: [Value]) throws
    -> [Value]
  {
    let (option, _) = try option(arguments)
    noteLook(at: option)
    if function == .gatekeeperMayPass { return [.boolean(caseState.passages[option].mayPass)] }
    guard let holder = caseState.passages[option].holder else { return [.nil] }
    hasReadClock = true
    return [
      .string(holder.name), .integer(holder.since),
      .number(EngineTime.seconds(caseState.passages.time(of: option))),
    ]
  }

  private func option(_ arguments: [Value]) throws -> (GatekeeperOption, GatekeeperPolicy) {
    let name = arguments.first?.stringValue ?? ""
    vm.spend(flow.gatekeepers.count)
    guard let gatekeeper = flow.gatekeeper(named: name) else {
      throw ScopeRefusal("there is no gatekeeper \(name)")
    }
    if gatekeeper.isYesNo {
      return (GatekeeperOption(gatekeeper: name, option: GatekeeperPolicy.passage), gatekeeper)
    }
    guard arguments.count > 1, let option = arguments[1].stringValue else {
      throw ScopeRefusal(
        "\(gatekeeper.title) has options: say which, such as \"\(gatekeeper.options.first ?? "name")\""
      )
    }
    if gatekeeper.isClosed, !gatekeeper.options.contains(option) {
      throw ScopeRefusal(
        "\(gatekeeper.title) has no option \"\(option)\""
          + suggestion(for: option, among: gatekeeper.options))
    }
    return (GatekeeperOption(gatekeeper: name, option: option), gatekeeper)
  }

  /// Returns the held options of every gatekeeper, by name; `passage` stands for a yes/no one.
  package func describeGatekeepers() -> Value {
    var described: [String: Value] = [:]
    for gatekeeper in flow.gatekeepers {
      described[gatekeeper.name] = .list(
        caseState.passages.options(of: gatekeeper.name).map { .string($0) })
    }
    return .record(described)
  }
}
