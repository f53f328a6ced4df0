import LuaRuntime

/// A flow at work: the VM with its state, and the steps of a dispatch in their order.
///
/// It belongs to one thread at a time; `Host` keeps it in an Agent. A dispatch reads from top to
/// bottom: `dispatch`, `admit` (steps 1 to 5), `transit` (step 6), `commit` (step 7).
package final class Engine {
  package let vm: LuaVM
  package let flow: Flow
  package let limits: Limits
  package private(set) var revision = 0
  package private(set) var history: History
  package let log: ScriptLog
  private let matches: LuaReference
  private let merge: LuaReference
  var subscriptions = Subscriptions()

  package init(sources: FlowSources, limits: Limits, log: ScriptLog) throws {
    vm = try LuaVM(memoryLimit: limits.memory)
    self.limits = limits
    self.log = log
    history = History(limit: limits.history)
    let loader = FlowLoader(vm: vm, sources: sources, limits: limits)
    try log.attach(to: vm)
    flow = try loader.load()
    matches = try vm.preludeFunction("matches")
    merge = try vm.preludeFunction("merge_state")
    if let failure = brokenInvariant(action: "the initial state") {
      let place = flow.invariants.first?.function.place
      throw FlowError([
        Fault(
          file: failure.script?.chunk ?? place?.file ?? flow.file,
          line: failure.script?.line ?? place?.line ?? 0, message: failure.message)
      ])
    }
    _ = vm.touchedReaders(of: readerCount)
  }

  private var budget: Int { limits.instructionsPerDispatch }
  private var readerCount: Int { flow.views.count + flow.invariants.count }

  // MARK: Dispatch

  /// Offers an action. Whatever goes wrong is an outcome, and then nothing has changed.
  package func dispatch(_ name: String, _ payload: Value) -> Outcome {
    switch admit(name, payload) {
    case .admitted(let action): return transit(action)
    case .refused(let refusal): return .refused(refusal)
    case .failed(let failure): return .failed(failure)
    }
  }

  /// Whether the action may pass now.
  package func may(_ name: String, _ payload: Value) -> Permission {
    switch admit(name, payload) {
    case .admitted: .granted
    case .refused(let refusal): .refused(refusal)
    case .failed(let failure): .failed(failure)
    }
  }

  enum Admission {
    case admitted(Action)
    case refused(Refusal)
    case failed(Failure)
  }

  /// Steps 1 to 5: payload, scope, machines, gatekeepers, gate rules.
  private func admit(_ name: String, _ payload: Value) -> Admission {
    guard let action = flow.action(named: name) else {
      return .failed(
        Failure(
          kind: .undeclared, action: name,
          message: "there is no action \(name)"
            + Names.suggestion(for: name, among: flow.indexOfAction.keys)))
    }
    var check = PayloadCheck(matches: matches(_:_:))
    let checked = check.check(payload, against: action.payload)
    guard check.faults.isEmpty else {
      return .failed(
        Failure(
          kind: .payload, action: name,
          message: "action \(name): " + check.faults.joined(separator: "; ")))
    }
    do {
      try vm.setPayload(checked)
    } catch {
      return .failed(scriptFailure(error, action: name))
    }
    return ask(action)
  }

  /// Step 5: the gate rules in the order of declaration.
  private func ask(_ action: Action) -> Admission {
    for rule in action.rules {
      let name = rule.isShared ? action.nameReference : nil
      switch vm.callRule(rule.function.reference, name: name, budget: budget) {
      case .passed: continue
      case .refused(let reason):
        return .refused(
          Refusal(
            action: action.name, by: rule.title, reason: reason, place: rule.function.place))
      case .nothing:
        return .failed(
          Failure(
            kind: .script, action: action.name,
            message: "\(rule.title) returned nothing; end it with \"return true\"",
            script: ScriptError(
              kind: .runtime, message: "", chunk: rule.function.place.file,
              line: rule.function.place.line)))
      case .raised(let error): return .failed(scriptFailure(error, action: action.name))
      }
    }
    return .admitted(action)
  }

  /// Step 6: one transition, all or nothing.
  private func transit(_ action: Action) -> Outcome {
    vm.begin()
    do {
      if let reducer = action.reducer {
        try vm.callReducer(reducer.reference, budget: budget)
        try vm.adopt()
      }
      if let failure = brokenInvariant(action: action.name) {
        vm.rollback()
        return .failed(failure)
      }
      return .passed(commit(action, patch: Patch(bytes: try vm.commit())))
    } catch {
      vm.rollback()
      var error = error
      if error.chunk == nil, let place = action.reducer?.place {
        error.chunk = place.file
        error.line = place.line
      }
      return .failed(scriptFailure(error, action: action.name))
    }
  }

  /// Step 7: the transition stands; whoever reads what changed will be told.
  private func commit(_ action: Action, patch: Patch) -> Transition {
    revision += 1
    let transition = Transition(revision: revision, action: action.name, patch: patch)
    history.append(transition)
    notify()
    return transition
  }

  // MARK: Invariants

  private func brokenInvariant(action: String) -> Failure? {
    for invariant in flow.invariants where vm.isStale(invariant.number) {
      let function = invariant.function
      let title = Names.dotted("invariant", function.name)
      let broken: String
      switch vm.checkInvariant(invariant.number, budget: budget) {
      case .passed: continue
      case .refused(let reason): broken = "\(title) does not hold" + (reason.map { ": \($0)" } ?? "")
      case .nothing: broken = "\(title) returned nothing; end it with \"return\" and a condition"
      case .raised(let error): return scriptFailure(error, action: action)
      }
      return Failure(
        kind: .invariant, action: action, message: broken,
        script: ScriptError(
          kind: .runtime, message: broken, chunk: function.place.file, line: function.place.line),
        patch: (try? vm.patch()).map(Patch.init(bytes:)))
    }
    return nil
  }

  // MARK: Views

  /// The value of a view, computed if something that it read has changed.
  package func view(_ name: String) throws(ViewError) -> Value {
    try value(of: reader(of: name))
  }

  func reader(of name: String) throws(ViewError) -> FlowReader {
    guard let view = flow.views.first(where: { $0.function.name == name }) else {
      throw .undeclared(
        "there is no view \(name)"
          + Names.suggestion(for: name, among: flow.views.map(\.function.name)))
    }
    return view
  }

  func value(of view: FlowReader) throws(ViewError) -> Value {
    do {
      return try vm.viewValue(view.number, budget: budget)
    } catch {
      throw .failed(error)
    }
  }

  /// How often a view has run.
  package func runs(ofView name: String) throws(ViewError) -> Int {
    vm.runs(of: try reader(of: name).number)
  }

  private func notify() {
    let touched = vm.touchedReaders(of: readerCount)
    guard !touched.isEmpty, !subscriptions.isEmpty else { return }
    subscriptions.collect(touched: Set(touched)) { view in Result { try self.value(of: view) } }
  }

  // MARK: State

  package func state() throws(ScriptError) -> Value { try vm.state() }

  /// Merges a part into the state without an action, for a scenario's `given`.
  package func merge(_ part: Value) -> Failure? {
    vm.begin()
    do {
      try vm.callWriter(merge, [part], budget: budget)
      try vm.adopt()
      if let failure = brokenInvariant(action: "given") {
        vm.rollback()
        return failure
      }
      _ = try vm.commit()
      return nil
    } catch {
      vm.rollback()
      return scriptFailure(error, action: "given")
    }
  }

  // MARK: Failures

  private func matches(_ text: String, _ pattern: String) -> Bool {
    let found = try? vm.call(
      matches, [.string(text), .string(pattern)], phase: .rule, budget: budget)
    return found?.first == .boolean(true)
  }

  private func scriptFailure(_ error: ScriptError, action: String) -> Failure {
    let isLimit = error.kind == .limit || error.kind == .memory
    return Failure(
      kind: isLimit ? .limit : .script, action: action, message: error.message, script: error)
  }
}

/// Why a view has no value.
public enum ViewError: Error, Sendable, CustomStringConvertible {
  /// There is no such view.
  case undeclared(String)
  /// The view raised an error, or reached a limit.
  case failed(ScriptError)
  /// The value is not of the type that was asked for.
  case mismatch(String)

  /// A sentence, with the traceback where there is one.
  public var description: String {
    switch self {
    case .undeclared(let message), .mismatch(let message): message
    case .failed(let error): error.description
    }
  }
}
