import FlowKernel
import FlowLanguage
import LuaRuntime
import Platform
import Synchronization

@_spi(FlowHost) import StateBlocks

/// Runs a flow: the front door of Moonlatch.
///
/// ```swift
/// let host = try FlowHost(flow: URL(filePath: "turnstile.lua"))
/// switch try host.dispatch("coin", ["amount": 1]) {
/// case .passed(let transition): print(transition.patch)
/// case .refused(let refusal): print(refusal)
/// case .failed(let failure): print(failure)
/// }
/// let takings = try host.view("takings")
/// ```
///
/// A host may be used from several threads at once: everything goes through one Agent, one dispatch
/// after the other. Calling a host from inside itself (its `print` handler, a capability) throws an
/// `AgentError` instead of waiting for itself; a subscriber may call it, since subscribers are told
/// afterwards.
public final class FlowHost: Sendable {
  package let agent: Agent<Engine>
  /// The subscriptions that have ended, which the engine is to forget.
  package let ended = EndedSubscriptions()
  /// The flow's text that is at work; `reload` reads its files again.
  package let loaded: Mutex<LoadedFlow>
  package let settings: HostSettings
  let alarm: AlarmClock?
  /// What keeps its case in a journal, where there is one.
  package let caseWriter: CaseWriter?

  /// The flow's file, as messages name it.
  public let name: String

  /// What the host is called in what it says of itself: `HostOptions.id`, or else the flow's name.
  public var id: String { settings.name.text }

  /// Loads a flow from its file.
  ///
  /// - Parameters:
  ///   - flow: the Lua file; modules that it requires lie in the same folder.
  ///   - options: limits, clock, seed, and where `print` and reports go.
  ///   - scopes: says which functions the flow's scopes lend to scripts.
  /// - Throws: `FlowError` with every fault of the flow, `ScriptError` when a limit ended the
  ///   loading.
  public convenience init(
    flow: URL, options: HostOptions = HostOptions(), scopes: (inout HostScopes) -> Void = { _ in }
  ) throws {
    try self.init(FlowSources(file: flow), options, scopes)
  }

  /// Loads a flow from its text.
  ///
  /// It has no modules; `name` is what messages call its file.
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
  /// - Throws: `ScriptError` when a limit ended the start; `HostError` when a scope is provided for
  ///   that the flow does not declare.
  public convenience init(
    _ flow: LoadedFlow, options: HostOptions = HostOptions(),
    scopes: (inout HostScopes) -> Void = { _ in }
  ) throws {
    var builder = HostScopes()
    scopes(&builder)
    let settings = HostSettings(options, builder, flow: flow.name)
    try self.init(flow, settings, settings.engine(flow))
  }

  /// Takes charge of an engine: nothing happens yet.
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

  /// What is due happens; where it could not be kept, that is tried again a little later.
  private func ring() async {
    do {
      try await useWhenFree { _ in }
    } catch let error as JournalError where error.kind != .fenced {
      if let alarm { alarm.set(for: EngineTime.later(alarm.elapsed, by: 1_000_000)) }
    } catch {}
  }

  deinit {
    alarm?.stop()
    settings.calls.cancelAll(because: "the host is gone")
  }

  // MARK: Playing

  /// Offers an action to the flow, and runs what its effects dispatch.
  ///
  /// It returns when subscribers and observers have been told of what that changed, unless it is called
  /// from inside one of them, or from inside a closure of another agent.
  ///
  /// - Parameters:
  ///   - action: its name.
  ///   - payload: a record, or nothing for `{}`.
  /// - Throws: `AgentError` when the host is called from inside itself, or was stopped. What goes
  ///   wrong in the flow is an outcome, not an error.
  @discardableResult
  public func dispatch(
    _ action: String, _ payload: Value = [:]
  ) throws -> Outcome {
    try use { $0.dispatchAndSettle(action, payload) }
  }

  /// Offers an action for somebody: `by()` in its gates, reducer and effects says who, and so does the transition, and
  /// the journal's entry.
  ///
  /// ```swift
  /// try host.dispatch("approve", ["claim": 17], by: "ann@example.org")
  /// ```
  ///
  /// What its effects and timers dispatch is offered by nobody.
  ///
  /// - Parameters:
  ///   - action: its name.
  ///   - payload: a record, or nothing for `{}`.
  ///   - who: whoever asked for it, as the host has made sure of.
  /// - Throws: as `dispatch(_:_:)`.
  @discardableResult
  public func dispatch(
    _ action: String, _ payload: Value = [:], by who: String
  ) throws -> Outcome {
    try use { $0.dispatchAndSettle(action, payload, by: who) }
  }

  /// Offers actions one after the other, as `dispatch(_:_:)` does each, in one turn: nobody else's
  /// action comes between them, and subscribers are told when all are through.
  ///
  /// ```swift
  /// let outcomes = try host.dispatch(batch: [("coin", ["amount": 1]), ("push", [:])])
  /// ```
  ///
  /// - Returns: the outcomes, in the order of the actions. One that does not pass keeps none of the
  ///   others back.
  /// - Throws: `AgentError` when the host is called from inside itself, or was stopped.
  @discardableResult
  public func dispatch(batch actions: [(action: String, payload: Value)]) throws -> [Outcome] {
    try use { $0.dispatch(batch: actions) }
  }

  /// Whether an action may pass now, and if not, why.
  ///
  /// Nothing is dispatched.
  ///
  /// - Throws: `AgentError` when the host is called from inside itself, or was stopped.
  public func may(
    _ action: String, _ payload: Value = [:]
  ) throws -> Permission {
    try use { $0.may(action, payload) }
  }

  /// Whether an action may pass now if somebody offers it, and if not, why.
  ///
  /// - Throws: as `may(_:_:)`.
  public func may(
    _ action: String, _ payload: Value = [:], by who: String
  ) throws -> Permission {
    try use { $0.may(action, payload, by: who) }
  }

  /// Runs what is queued.
  ///
  /// - Returns: what is still to come, as `pendingWork` lists it.
  /// - Throws: `AgentError` when the host is called from inside itself, or was stopped.
  @discardableResult
  public func settle() throws -> [PendingWork] {
    try use { engine in
      engine.forNobody { engine.settle() }
      return engine.pendingWork
    }
  }

  /// Ends the host: effects that wait are stopped, the scopes' clean-ups run, and what `on_error` and
  /// clean-ups dispatch is played.
  ///
  /// Scopes close from the inside out, the newer ones first, and capabilities work until their scope
  /// has closed. Calls under way are cancelled. Later calls throw, and so do those that this makes: a
  /// subscriber's, for one. A host that is let go without `stop` runs none of that; only calls under way
  /// are cancelled. Nor does a host that keeps a journal: it leaves its case to the next one as it is.
  ///
  /// - Returns: what was still to come, as `pendingWork` lists it.
  /// - Throws: `AgentError` when the host is called from inside itself, or was stopped already.
  @discardableResult
  public func stop() throws -> [PendingWork] {
    let engine = try agent.stop()  // from now on nobody else has it
    catchUpAndStopClock(engine)
    if caseWriter != nil { return try stopKept(engine) }
    let pending = engine.conclude()
    agent.waitUntilTold(tell(engine))
    return pending
  }

  /// Time passes up to now, and no more.
  func catchUpAndStopClock(_ engine: Engine) {
    if let alarm { catchUp(engine, alarm) }
    alarm?.stop()
  }

  // MARK: Looking

  /// The value of a view.
  ///
  /// - Throws: `ViewError` when there is no such view, it raised an error, or the host is called from
  ///   inside itself or was stopped.
  public func view(_ name: String) throws(ViewError) -> Value {
    try useView { engine throws(ViewError) in try engine.view(name) }
  }

  /// How often a view has been computed: only when it is asked for and what it read has changed.
  ///
  /// - Throws: as `view(_:)`.
  public func recomputations(of name: String) throws(ViewError) -> Int {
    try useView { engine throws(ViewError) in try engine.runs(ofView: name) }
  }

  /// The whole state, copied.
  ///
  /// Meant for tools and tests: subscribers see views.
  ///
  /// - Throws: `ScriptError`; `AgentError` when the host is called from inside itself, or stopped.
  public func state() throws -> Value {
    try use { engine in Result { try engine.state() } }.get()
  }

  /// The count of transitions so far.
  public var revision: Int {
    get throws { try use { $0.revision } }
  }

  /// Instructions that the flow has used so far, as its limits count them.
  ///
  /// They are counted in steps of 997, for each call by itself: of a rule, a reducer, a view, an
  /// effect up to where it waits, a coroutine. What is left over when it ends is not counted, so that a
  /// call of fewer than 997 instructions, as most are, counts as 0: while all calls are short, the number
  /// stands still. Once there has been a text of 4 KiB or more the steps are of 31 instructions, and of
  /// a single one while there is a text of 256 KiB. Work that is done in C for a script, such as that of
  /// patterns, is added as it is done.
  ///
  /// The same flow with the same inputs uses the same number every time.
  public var instructionsUsed: Int {
    get throws { try use { $0.vm.instructionsUsed } }
  }

  /// The latest transitions, oldest first.
  public var commits: [Commit] {
    get throws { try use { $0.history.commits } }
  }

  // MARK: The way in

  /// Every synchronous call goes through here; it returns when those have been told who are to be told
  /// of what it did.
  @inline(__always)
  package func use<Answer: Sendable>(
    _ body: @Sendable (inout Engine) -> Answer
  ) throws -> Answer {
    if caseWriter != nil { return try useKept(body) }
    let (answer, message) = try agent.fetchAndUpdate {
      (engine: inout sending Engine) -> (Answer, Int) in
      turn(&engine, body)
    }
    if message != 0 { agent.waitUntilTold(message) }
    return answer
  }

  /// The same for tasks, which are suspended while somebody else has the host, and do not wait for
  /// others to be told.
  package func useWhenFree<Answer: Sendable>(
    _ body: @Sendable (inout Engine) -> Answer
  ) async throws -> Answer {
    if caseWriter != nil { return try await useKeptWhenFree(body).0 }
    return try await agent.fetchAndUpdateWhenFree { engine in turn(&engine, body).answer }
  }

  /// The clock catches up, the call is made, the next alarm is set, and subscribers are to be told.
  ///
  /// Gives the number of what they are told, or 0.
  @inline(__always)
  private func turn<Answer>(
    _ engine: inout Engine, _ body: (inout Engine) -> Answer
  ) -> (answer: Answer, message: Int) {
    let answer = play(&engine, body)
    return (answer, tell(engine))
  }

  /// The same, before subscribers are told.
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

  /// Of a case that is kept all that is due at one time is a turn, which is kept and told of by itself.
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

  /// Has the engine know no more of subscriptions that have ended.
  @inline(never)
  private func forgetEnded(_ engine: Engine) {
    engine.observers.subscriptions.remove(ended.take())
  }

  /// A call that looks at a view, to which a host that cannot be called is one error among others.
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
