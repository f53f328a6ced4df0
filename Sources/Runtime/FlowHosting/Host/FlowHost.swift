import FlowKernel
import FlowLanguage
import LuaRuntime
import Platform

@_spi(FlowHost) import StateBlocks

/// A host that runs a flow: the main entry point of Moonlatch.
///
/// ```swift
/// let host = try FlowHost(flow: URL(filePath: "turnstile.lua"))
/// switch try host.dispatch("coin", ["amount": 1]) {
/// case .passed(let commit): print(commit.changes)
/// case .refused(let refusal): print(refusal)
/// case .failed(let failure): print(failure)
/// }
/// let takings = try host.view("takings")
/// ```
///
/// A host may be used from several threads at once: an agent runs one call after the other. A call from
/// inside the host (its `print` handler, a capability) throws an `AgentError` instead of a deadlock. A
/// subscriber may call the host, because subscribers are notified afterwards.
public final class FlowHost: Sendable {
  package let agent: Agent<Engine>
  /// Subscriptions that have ended and that the engine has yet to remove.
  package let ended = EndedSubscriptions()
  /// The loaded flow in use; `reload` reads its files again.
  package let loaded: Mutex<LoadedFlow>
  package let settings: HostSettings
  let alarm: AlarmClock?
  /// The writer of the host's case; nil if the host has no journal.
  package let caseWriter: CaseWriter?

  /// The name of the flow's file, as messages show it.
  public let name: String

  /// The host's name in its reports: `HostOptions.id`, or else the flow's name.
  public var id: String { settings.name.text }

  /// Loads a flow from its file.
  ///
  /// - Parameters:
  ///   - flow: the Lua file; the modules that it requires are in the same folder.
  ///   - options: limits, clock, seed, and the receivers of `print` and of reports.
  ///   - scopes: provides the functions that the flow's scopes lend to scripts.
  /// - Throws: `FlowError` with every fault of the flow; `ScriptError` if a limit ended the loading.
  public convenience init(
    flow: URL, options: HostOptions = HostOptions(), scopes: (inout HostScopes) -> Void = { _ in }
  ) throws {
    try self.init(FlowSources(file: flow), options, scopes)
  }

  /// Loads a flow from its text.
  ///
  /// The flow has no modules; messages call its file `name`.
  ///
  /// - Throws: as `init(flow:options:scopes:)`.
  public convenience init(
    source: String, name: String = "flow.lua", options: HostOptions = HostOptions(),
    scopes: (inout HostScopes) -> Void = { _ in }
  ) throws {
    try self.init(FlowSources(text: source, name: name), options, scopes)
  }

  private convenience init(
    _ sources: FlowSources, _ options: HostOptions, _ scopes: (inout HostScopes) -> Void
  ) throws {
    let loaded = try LoadedFlow(
      sources, limits: options.limits, log: options.log(of: sources.name))
    try self.init(loaded, options: options, scopes: scopes)
  }

  /// Starts a flow that was loaded before: much cheaper than loading it for each host.
  ///
  /// - Throws: `ScriptError` if a limit ended the start; `HostError` if `scopes` provides capabilities to a
  ///   scope that the flow does not declare.
  public convenience init(
    _ flow: LoadedFlow, options: HostOptions = HostOptions(),
    scopes: (inout HostScopes) -> Void = { _ in }
  ) throws {
    var builder = HostScopes()
    scopes(&builder)
    let settings = HostSettings(options, builder, flow: flow.name)
    try self.init(flow, settings, settings.engine(flow))
  }

  /// Makes a host for an engine without starting anything.
  package init(
    resting flow: LoadedFlow, _ settings: HostSettings, _ engine: sending Engine,
    _ caseWriter: CaseWriter?
  ) {
    self.settings = settings
    self.caseWriter = caseWriter
    loaded = Mutex(flow)
    name = engine.flow.file
    agent = Agent(engine, name: settings.name.text)
    alarm = AlarmClock(settings.options.clock)
    settings.calls.onAnswer { [weak self] call in
      try? await self?.useWhenFree { $0.takeAnswer(of: call) }
    }
    alarm?.onRing { [weak self] in await self?.ring() }
  }

  /// Runs due timers.
  ///
  /// If the journal cannot store the result, tries again after one second, unless the host has lost its fence.
  private func ring() async {
    do {
      try await useWhenFree { _ in }
    } catch let error as JournalError where error.kind != .fenced {
      if let alarm { alarm.set(for: EngineTime.later(alarm.elapsed, by: 1_000_000)) }
    } catch {}
  }

  deinit {
    alarm?.stop()
    settings.calls.cancelAll(because: "the host was released")
  }

  // MARK: Playing

  /// Dispatches an action, and runs what its effects dispatch.
  ///
  /// Returns once subscribers and observers have been notified of the changes, unless it is called from
  /// inside one of them or from inside a closure of another agent.
  ///
  /// - Parameters:
  ///   - action: its name.
  ///   - payload: a record, or nothing for `{}`.
  /// - Throws: `AgentError` if the host is called from inside itself, or was stopped. An error in the flow is
  ///   an outcome, not a thrown error.
  @discardableResult
  public func dispatch(
    _ action: String, _ payload: Value = [:]
  ) throws -> Outcome {
    try use { $0.dispatchAndSettle(action, payload) }
  }

  /// Dispatches an action on behalf of a user: `by()` returns `who` in its gates, reducer and effects, and
  /// the commit and the entry in the journal record it.
  ///
  /// ```swift
  /// try host.dispatch("approve", ["claim": 17], by: "ann@example.org")
  /// ```
  ///
  /// Actions that its effects and timers dispatch are attributed to nobody.
  ///
  /// - Parameters:
  ///   - action: its name.
  ///   - payload: a record, or nothing for `{}`.
  ///   - who: the user who asked for the action; the host must have verified this.
  /// - Throws: as `dispatch(_:_:)`.
  @discardableResult
  public func dispatch(
    _ action: String, _ payload: Value = [:], by who: String
  ) throws -> Outcome {
    try use { $0.dispatchAndSettle(action, payload, by: who) }
  }

  /// Dispatches actions one after the other in one turn, each as `dispatch(_:_:)` does.
  ///
  /// No other action comes between them, and subscribers are notified after the last one.
  ///
  /// ```swift
  /// let outcomes = try host.dispatch(batch: [("coin", ["amount": 1]), ("push", [:])])
  /// ```
  ///
  /// - Returns: the outcomes, in the order of the actions. A rejected action does not stop the others.
  /// - Throws: `AgentError` if the host is called from inside itself, or was stopped.
  @discardableResult
  public func dispatch(batch actions: [(action: String, payload: Value)]) throws -> [Outcome] {
    try use { $0.dispatch(batch: actions) }
  }

  /// Returns whether an action may pass now, and if not, why.
  ///
  /// Nothing is dispatched.
  ///
  /// - Throws: `AgentError` if the host is called from inside itself, or was stopped.
  public func may(
    _ action: String, _ payload: Value = [:]
  ) throws -> Permission {
    try use { $0.may(action, payload) }
  }

  /// Returns whether an action may pass now if `who` dispatches it, and if not, why.
  ///
  /// - Throws: as `may(_:_:)`.
  public func may(
    _ action: String, _ payload: Value = [:], by who: String
  ) throws -> Permission {
    try use { $0.may(action, payload, by: who) }
  }

  /// Runs the queued actions.
  ///
  /// - Returns: the work that is still pending, as `pendingWork` lists it.
  /// - Throws: `AgentError` if the host is called from inside itself, or was stopped.
  @discardableResult
  public func settle() throws -> [PendingWork] {
    try use { engine in
      engine.forNobody { engine.settle() }
      return engine.pendingWork
    }
  }

  /// Stops the host: stops effects that wait, runs the clean-ups of scopes, and runs what `on_error` and
  /// clean-ups dispatch.
  ///
  /// Scopes close from the inside out, the newer ones first, and capabilities work until their scope has
  /// closed. Pending calls are cancelled. Later calls throw, and so do calls that `stop` causes, such as
  /// those of a subscriber. A host that is released without `stop` only cancels its pending calls. A host
  /// with a journal does not close scopes or stop effects: it leaves its case as it is to the next host.
  ///
  /// - Returns: the work that was pending, as `pendingWork` lists it.
  /// - Throws: `AgentError` if the host is called from inside itself, or was stopped already.
  @discardableResult
  public func stop() throws -> [PendingWork] {
    let engine = try agent.stop()  // from now on nobody else has it
    catchUpAndStopClock(engine)
    if caseWriter != nil { return try stopKept(engine) }
    let pending = engine.conclude()
    agent.waitUntilTold(tell(engine))
    return pending
  }

  /// Runs the timers that are due now, then stops the clock.
  func catchUpAndStopClock(_ engine: Engine) {
    if let alarm { catchUp(engine, alarm) }
    alarm?.stop()
  }

  // MARK: Looking

  /// Returns the value of a view.
  ///
  /// - Throws: `ViewError` if there is no such view, it raised an error, or the host is called from inside
  ///   itself or was stopped.
  public func view(_ name: String) throws(ViewError) -> Value {
    try useView { engine throws(ViewError) in try engine.view(name) }
  }

  /// Returns the number of times that a view has been computed.
  ///
  /// A view is computed only if it is read and what it read before has changed.
  ///
  /// - Throws: as `view(_:)`.
  public func recomputations(of name: String) throws(ViewError) -> Int {
    try useView { engine throws(ViewError) in try engine.runs(ofView: name) }
  }

  /// Returns a copy of the whole state.
  ///
  /// Meant for tools and tests: subscribers see views.
  ///
  /// - Throws: `ScriptError`; `AgentError` if the host is called from inside itself, or was stopped.
  public func state() throws -> Value {
    try use { engine in Result { try engine.state() } }.get()
  }

  /// The current revision: the number of commits so far.
  public var revision: Int {
    get throws { try use { $0.revision } }
  }

  /// The number of instructions that the flow has used so far, as its limits count them.
  ///
  /// Each call is counted by itself, in steps of 997 instructions: a call of a rule, a reducer, a view, a
  /// coroutine, or an effect up to its next wait. The remainder at the end of a call is not counted, so that
  /// a call of fewer than 997 instructions, as most are, counts as 0. Once a text of 4 KiB or more has
  /// existed, the steps are of 31 instructions; while a text of 256 KiB exists, they are of one. Work done in
  /// C for a script, such as pattern matching, is added as it is done.
  ///
  /// The number is deterministic: equal inputs to the same flow give the same number.
  public var instructionsUsed: Int {
    get throws { try use { $0.vm.instructionsUsed } }
  }

  /// The latest commits, oldest first.
  public var commits: [Commit] {
    get throws { try use { $0.history.commits } }
  }

  // MARK: The way in

  /// Runs a synchronous call, and returns once subscribers have been notified of its changes.
  @inline(__always)
  package func use<Answer: Sendable>(
    _ body: @Sendable (inout Engine) -> Answer
  ) throws -> Answer {
    if caseWriter != nil { return try useKept(body) }
    // An answer in a tuple would be copied out of it.
    var message = 0
    let answer = try agent.fetchAndUpdate { (engine: inout sending Engine) -> Answer in
      turn(&engine, body, &message)
    }
    if message != 0 { agent.waitUntilTold(message) }
    return answer
  }

  /// Runs a call for a task, which is suspended while the host is busy; does not wait for subscribers to be notified.
  package func useWhenFree<Answer: Sendable>(
    _ body: @Sendable (inout Engine) -> Answer
  ) async throws -> Answer {
    if caseWriter != nil { return try await useKeptWhenFree(body).0 }
    return try await agent.fetchAndUpdateWhenFree { engine in
      var message = 0
      return turn(&engine, body, &message)
    }
  }

  /// Runs one turn: advances the clock, makes the call, sets the next alarm, and queues the messages to subscribers.
  ///
  /// - Parameter message: set to the number of the message to subscribers, or 0 if there is none.
  @inline(__always)
  private func turn<Answer>(
    _ engine: inout Engine, _ body: (inout Engine) -> Answer, _ message: inout Int
  ) -> Answer {
    let answer = play(&engine, body)
    message = tell(engine)
    return answer
  }

  /// Runs a turn up to the point at which subscribers are notified.
  @inline(__always)
  package func play<Answer>(_ engine: inout Engine, _ body: (inout Engine) -> Answer) -> Answer {
    if ended.isWaiting { forgetEnded(engine) }
    guard let alarm else { return body(&engine) }
    catchUp(engine, alarm)
    let time = engine.time
    let answer = body(&engine)
    if engine.time != time { alarm.goOn(from: engine.time) }
    if let due = engine.nextDue { alarm.set(for: due) }
    return answer
  }

  /// Runs the timers that are due.
  ///
  /// In a journaled case all timers that are due at one time form one turn, which is stored and reported by itself.
  @inline(__always)
  private func catchUp(_ engine: Engine, _ alarm: AlarmClock) {
    engine.catchUp(
      to: alarm.elapsed, endTurn: caseWriter.map { caseWriter in { _ = self.end($0, caseWriter) } })
  }

  @inline(__always)
  package func tell(_ engine: Engine) -> Int {
    if engine.hasNoSubscriptions { return 0 }
    let deliveries = engine.takeDeliveries()
    if deliveries.isEmpty { return 0 }
    let message = agent.tell { for delivery in deliveries { delivery.tell() } }
    engine.setLastMessage(message)
    return message
  }

  /// Removes ended subscriptions from the engine.
  @inline(never)
  private func forgetEnded(_ engine: Engine) {
    engine.observers.subscriptions.remove(ended.take())
  }

  /// Runs a call that reads a view; a host that cannot be called is a `ViewError`.
  func useView<Answer: Sendable>(
    _ body: @Sendable (inout Engine) throws(ViewError) -> Answer
  ) throws(ViewError) -> Answer {
    let result: Result<Answer, ViewError>
    do {
      result = try use { engine in
        do throws(ViewError) {
          return .success(try body(&engine))
        } catch {
          return .failure(error)
        }
      }
    } catch {
      throw ViewError(hostError: error)
    }
    return try result.get()
  }
}
