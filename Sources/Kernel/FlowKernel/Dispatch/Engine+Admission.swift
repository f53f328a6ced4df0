import FlowLanguage
import LuaRuntime
import StateCharts

/// Steps 1 to 5 of a dispatch, which decide if the action passes and change nothing.
extension Engine {
  @inline(__always)
  func evaluateRules(
    _ action: LoadedAction, _ cause: Cause?, inside: TimersState? = nil
  ) throws(Rejection) -> EnabledTransitions {
    var plan = EnabledTransitions()
    if !action.isPlain {
      try askScope(action, cause)
      try askMachines(action, inside, &plan)
      try askGatekeepers(action, cause, &plan)
    }
    try askRules(action)
    if let hostRules { try ask(hostRules, about: action) }
    return plan
  }

  // MARK: 1. Payload

  /// Checks the payload, and stores it in the form that rules and reducers get.
  ///
  /// An internal action that comes from outside is refused here.
  @inline(__always)
  func prepare(
    _ name: String, _ payload: Value, _ cause: Cause?
  ) throws(Rejection) -> Unmanaged<LoadedAction> {
    let action = try declared(name, isQueued: cause != nil)
    if dialect.acceptsAnyEvent {
      (documentRun.payload, documentRun.isQueued) = (payload, cause != nil)
    }
    let (isFree, shape) = action._withUnsafeGuaranteedRef { ($0.isFree, $0.payloadShape) }
    if isFree, payload.isEmptyRecord {
      try takeNothing(for: name, shape)
      return action
    }
    try storePayload(payload, for: action.takeUnretainedValue(), cause)
    return action
  }

  /// Sets the empty payload.
  @inline(__always)
  func takeNothing(for name: String, _ shape: PayloadShape) throws(Rejection) {
    do {
      try vm.setEmptyPayload(shape)
      if hostRules != nil { scratch.payload.value = [:] }
    } catch {
      throw .failed(scriptFailure(error, action: name))
    }
  }

  private func storePayload(
    _ payload: Value, for action: LoadedAction, _ cause: Cause?
  ) throws(Rejection) {
    if action.isInternal {
      if cause == nil, !settings.admitsInternal { throw .refused(notFromOutside(action)) }
      if action.takesNothing, payload.isEmptyRecord {
        return try takeNothing(for: action.name, action.payloadShape)
      }
    }
    if hostRules == nil, scratch.payload.writer.write(payload, action.payload) {
      do {
        try vm.setPayload(
          encoded: scratch.payload.writer.bytes, shape: action.payloadShape, limit: limits.payload)
        return
      } catch {
        throw .failed(scriptFailure(error, action: action.name))
      }
    }
    let checked = try check(payload, for: action)
    do {
      scratch.payload.writer = PayloadWriter(
        of: try vm.setPayload(checked, shape: action.payloadShape, limit: limits.payload))
      if hostRules != nil { scratch.payload.value = checked }
    } catch {
      throw .failed(scriptFailure(error, action: action.name))
    }
  }

  @inline(__always)
  private func declared(
    _ name: String, isQueued: Bool = false
  ) throws(Rejection) -> Unmanaged<LoadedAction> {
    if let action = action(named: name) { return action }
    // A message that a document has sent itself is an event even if no transition waits for it.
    if isQueued, dialect.acceptsAnyEvent { return event(called: name) }
    throw .failed(
      DispatchFailure(
        kind: .undeclared, action: name,
        message: "there is no action \(name)"
          + suggestion(for: name, among: flow.indexOfAction.keys)))
  }

  /// Returns the payload of the action with this name, checked and with defaults filled in; nil for `{}`.
  func check(_ name: String, _ payload: Value) throws(Rejection) -> Value? {
    let action = try declared(name).takeUnretainedValue()
    if action.takesNothing, payload.isEmptyRecord { return nil }
    return try check(payload, for: action)
  }

  private func check(_ payload: Value, for action: LoadedAction) throws(Rejection) -> Value {
    var unmatched: ScriptError?
    var check = PayloadCheck(deepest: limits.deepest) { text, pattern in
      do throws(ScriptError) {
        return try self.matches(text, pattern)
      } catch {
        unmatched = error
        return false
      }
    }
    let checked = check.check(payload, against: action.payload)
    if let unmatched { throw .failed(scriptFailure(unmatched, action: action.name)) }
    guard check.faults.isEmpty else {
      throw .failed(
        DispatchFailure(
          kind: .payload, action: action.name,
          message: "action \(action.name): " + check.faults.joined(separator: "; ")))
    }
    return checked
  }

  // MARK: 2. Scope

  /// Refuses the action if the scope that owns it is closed.
  ///
  /// An action from a chain of causes that ran in an instance of the scope is also refused once that instance is
  /// closed.
  private func askScope(_ action: LoadedAction, _ cause: Cause?) throws(Rejection) {
    guard let scope = action.scope else { return }
    let reason: String
    if !scopes.isOpen(scope) {
      reason = "it is locked: scope \(scopes.wanting(scope)) needs its key"
    } else if let opening = cause?.scopeInstances[flow.scopes[scope].name], !scopes.isHeld(opening)
    {
      let since = scopes.closedSince(opening).map { " (since \($0))" } ?? ""
      reason = "stale: the scope instance in which this chain began is closed\(since)"
    } else {
      return
    }
    throw .refused(
      Refusal(
        action: action.name, rejectedBy: .scope(flow.scopes[scope].name), reason: reason,
        place: flow.scopes[scope].place))
  }

  // MARK: 4. Gatekeepers

  private func askGatekeepers(
    _ action: LoadedAction, _ cause: Cause?, _ plan: inout EnabledTransitions
  )
    throws(Rejection)
  {
    for entry in action.gatekeeperEntries {
      if instrumentation != nil { noteLook(by: entry, of: action, cause) }
      try expectFree(options(entry.unless, of: entry, action), for: action)
      let resets = try options(entry.reset, of: entry, action)
      if let cause { try expectNoneStale(resets, cause, action) }
      let takes = try options(entry.attempt, of: entry, action)
      try expectFree(takes, besides: resets, for: action)
      plan.add(resets: resets, takes: takes)
    }
  }

  func options(
    _ choice: GatekeeperPolicy.Choice?, of entry: GatekeeperPolicy.Entry, _ action: LoadedAction
  ) throws(Rejection) -> [GatekeeperOption] {
    let names: [String]
    switch choice {
    case nil: return []
    case .options(let options)?: return options
    case .all?: names = caseState.passages.options(of: entry.name)
    case .workedOut(let function)?: names = try workOut(function, of: entry, action)
    }
    return names.map { GatekeeperOption(gatekeeper: entry.name, option: $0) }
  }

  private func workOut(
    _ function: FlowFunction, of entry: GatekeeperPolicy.Entry, _ action: LoadedAction
  ) throws(Rejection) -> [String] {
    do throws(ScriptError) {
      let value = try workOut(function)
      switch value {
      case .nil: return []
      case .string("*"): return caseState.passages.options(of: entry.name)
      case .string(let option): return [option]
      default:
        if let options = value.listValue?.map(\.stringValue), !options.contains(nil) {
          return options.compactMap { $0 }
        }
        throw ScriptError(
          .runtime,
          "\(entry.title): \(action.name) returned "
            + "\(value.text(limit: 60)); expected an option or a list of options",
          at: function.place)
      }
    } catch {
      throw .failed(scriptFailure(error, action: action.name))
    }
  }

  func expectFree(
    _ options: [GatekeeperOption], besides resets: [GatekeeperOption] = [], for action: LoadedAction
  ) throws(Rejection) {
    guard let option = caseState.passages.firstHeld(of: options, besides: resets) else { return }
    throw refused(option, action, isStale: false)
  }

  /// Refuses a reset from a chain of causes that took the option if that very passage is no longer held.
  ///
  /// So a late completion never frees somebody else's passage.
  private func expectNoneStale(
    _ resets: [GatekeeperOption], _ cause: Cause, _ action: LoadedAction
  ) throws(Rejection) {
    guard let option = caseState.passages.firstStale(of: resets, for: cause.passages) else {
      return
    }
    throw refused(option, action, isStale: true)
  }

  private func refused(_ option: GatekeeperOption, _ action: LoadedAction, isStale: Bool)
    -> Rejection
  {
    // Every option that is asked about comes from a declared gatekeeper's entry.
    let gatekeeper = flow.gatekeepers[
      flow.gatekeepers.firstIndex { $0.name == option.gatekeeper } ?? 0]
    let name = gatekeeper.isYesNo ? "the passage" : "\"\(option.option)\""
    let subject = isStale ? "stale: \(name) that this chain took is" : "\(name) is"
    let holder = caseState.passages[option].holder.map {
      "\(isStale ? "now " : "")held since \($0.name) (#\($0.since))"
    }
    return .refused(
      Refusal(
        action: action.name, rejectedBy: .gatekeeper(gatekeeper.name),
        reason: "\(subject) \(holder ?? "no longer held")", place: gatekeeper.place))
  }

  // MARK: 5. Gate rules

  private func askRules(_ action: LoadedAction) throws(Rejection) {
    for index in action.calls.indices {
      let (reference, name) = action.calls[index]
      let answer = vm.callRule(reference, name: name, budget: budget)
      if case .passed = answer { continue }
      if let rejection = rejection(answer, of: action.rules[index], action) {
        throw rejection
      }
    }
  }

  /// Returns the rejection that follows from a gate rule's answer; nil if the rule agrees.
  private func rejection(_ answer: RuleAnswer, of rule: GateRule, _ action: LoadedAction)
    -> Rejection?
  {
    switch answer {
    case .passed: nil
    case .refused(let reason):
      .refused(
        Refusal(
          action: action.name, rejectedBy: .gate(rule.function.name), reason: reason,
          place: rule.function.place))
    case .nothing: .failed(returnedNothing(rule.title, rule.function, action))
    case .raised(let error): .failed(scriptFailure(error, action: action.name))
    }
  }

  func returnedNothing(_ title: String, _ function: FlowFunction, _ action: LoadedAction)
    -> DispatchFailure
  {
    let message = "\(title) returned nothing; end it with \"return true\""
    return DispatchFailure(
      kind: .script, action: action.name, message: message,
      script: ScriptError(.runtime, message, at: function.place))
  }
}

extension Value {
  fileprivate var isEmptyRecord: Bool {
    switch self {
    case .nil: true
    case .record(let fields): fields.isEmpty
    case .list(let elements): elements.isEmpty
    default: false
    }
  }
}
