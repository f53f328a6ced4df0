import FlowKernel
import FlowLanguage
import LuaRuntime
import Platform

@_spi(FlowHost) import StateBlocks

/// Hosts with a journal.
extension FlowHost {
  /// Loads a flow from its file and restores a case of it from a journal, or starts a new one.
  ///
  /// ```swift
  /// let host = try FlowHost(flow: url, journal: SQLiteJournal(file: journalURL))
  /// try host.dispatch("coin", ["amount": 1], key: "req-81")  // returns when the disk has it
  /// ```
  ///
  /// Results leave the host only once they are stored: `dispatch` returns, subscribers are notified and
  /// capabilities are called once the journal has stored all that led to it. `now()` counts from the birth of
  /// the case. Timers that fell due while no host ran fire in order, each at its own time. Effects that were
  /// running end as `on_error` says.
  ///
  /// - Parameters:
  ///   - flow: the Lua file; the modules that it requires are in the same folder.
  ///   - journal: stores the case.
  ///   - id: the case's id.
  ///   - options: limits, clock, seed, and the receivers of `print` and of reports.
  ///   - scopes: provides the functions that the flow's scopes lend to scripts.
  /// - Throws: as `init(flow:options:scopes:)`; `JournalError` if the case belongs to another flow or cannot be read.
  public convenience init(
    flow: URL, journal: any Journal, case id: String = "main",
    options: HostOptions = HostOptions(), scopes: (inout HostScopes) -> Void = { _ in }
  ) throws {
    let loaded = try LoadedFlow(
      FlowSources(file: flow), limits: options.limits, log: options.log(of: flow.lastPathComponent))
    try self.init(loaded, journal: journal, case: id, options: options, scopes: scopes)
  }

  /// Restores a case of a flow that was loaded before, or starts a new one.
  ///
  /// - Throws: as `init(flow:journal:case:options:scopes:)`.
  public convenience init(
    _ flow: LoadedFlow, journal: any Journal, case id: String = "main",
    options: HostOptions = HostOptions(), scopes: (inout HostScopes) -> Void = { _ in }
  ) throws {
    try self.init(
      flow, journal: journal, case: id, given: nil, options: options, scopes: scopes)
  }

  /// Restores a case, or starts a new one with a part of the state; if `part` is given, the case must be new.
  package convenience init(
    _ flow: LoadedFlow, journal: any Journal, case id: String, given part: Value?,
    options: HostOptions, scopes: (inout HostScopes) -> Void
  ) throws {
    var builder = HostScopes()
    scopes(&builder)
    let settings = HostSettings(options, builder, flow: flow.name)
    let caseWriter = try CaseWriter(id, in: .opening(journal), wall: options.wall)
    let births: CaseBirth = part.map { .given($0, key: nil) } ?? .ifUnknown
    let activated = try settings.activate(flow, caseWriter, births)
    try self.init(flow, settings, activated.engine, caseWriter, resuming: activated.clock)
  }

  /// Restores or starts a case, as one of many, and blocks no thread.
  package static func activate(
    _ flow: LoadedFlow, _ caseWriter: CaseWriter, births: CaseBirth, options: HostOptions,
    scopes: (inout HostScopes) -> Void
  ) async throws -> FlowHost {
    var builder = HostScopes()
    scopes(&builder)
    let settings = HostSettings(options, builder, flow: flow.name)
    let (id, adopts) = (caseWriter.id, options.adoptsJournal)
    let activation = try await caseWriter.calls.call {
      try await CaseActivation.read(id, of: flow, births, adopting: adopts, in: $0)
    }
    let (host, clock) = try resting(activation, births, settings, caseWriter)
    if let clock {
      host.alarm?.standStill()
      try await host.useWhenFree { $0.resume() }
      for answer in activation.stored?.tasks?.answers ?? [] {
        try await host.answer(answer, at: clock.time(atWall: answer.time))
      }
    }
    host.setAlarm(by: clock)
    try await host.useWhenFree { _ in }
    return host
  }

  /// Answers a task of a case that is being restored at the time at which the answer was given: timers that were due
  /// before fire before it.
  private func answer(_ answer: StoredTasks.Answer, at time: Int) async throws {
    try await useWhenFree { engine in
      engine.catchUp(
        to: time, endTurn: self.caseWriter.map { writer in { _ = self.end($0, writer) } })
      if engine.time == time { engine.caseState.clock.set(wall: answer.time) }
      engine.answer(answer.key, with: answer.outcome)
    }
    alarm?.standStill()
  }

  /// Answers a task.
  ///
  /// - Returns: false if no effect waits for it any more.
  package func answer(_ task: OpenTask.Key, with outcome: TaskOutcome) async throws -> Bool {
    try await useWhenFree { $0.answer(task, with: outcome) }
  }

  private static func resting(
    _ activation: CaseActivation, _ births: CaseBirth, _ settings: HostSettings,
    _ caseWriter: CaseWriter
  ) throws -> (FlowHost, CaseClock?) {
    let engine = try settings.engine(activation.flow, birth: settings.began)
    let clock = try settings.load(activation, births, into: engine, caseWriter)
    return (FlowHost(resting: activation.flow, settings, engine, caseWriter), clock)
  }

  /// Makes a host for an engine, and resumes its case.
  ///
  /// - Parameter clock: the clock of the stored case; nil for a new one.
  package convenience init(
    _ flow: LoadedFlow, _ settings: HostSettings, _ engine: sending Engine,
    _ caseWriter: CaseWriter? = nil, resuming clock: CaseClock? = nil
  ) throws {
    self.init(resting: flow, settings, engine, caseWriter)
    if clock != nil {
      alarm?.standStill()
      try use { $0.resume() }
      setAlarm(by: clock)
      try use { settings.setWall(of: $0) }
    } else {
      try use { _ in }
    }
  }

  /// Sets a stored case's clock to the time of the wall clock.
  private func setAlarm(by clock: CaseClock?) {
    if let clock { alarm?.goOn(from: clock.time(atWall: settings.options.wall())) }
  }

  /// The id of the host's case; nil if the host has no journal.
  public var caseID: String? { caseWriter?.id }

  // MARK: The way in

  func useKept<Answer: Sendable>(_ body: @Sendable (inout Engine) -> Answer) throws -> Answer {
    let turn = try agent.fetchAndUpdate { (engine: inout sending Engine) -> KeptTurn<Answer> in
      keptTurn(&engine, body)
    }
    if case .ended(let answer, let receipt) = turn {
      try receipt.wait()
      tellWaiting(receipt)
      return answer
    }
    if case .failed(let error) = turn { throw error }
    return try reviveBlocking(body)
  }

  private func reviveBlocking<Answer: Sendable>(
    _ body: @Sendable (inout Engine) -> Answer
  ) throws -> Answer {
    let caseWriter = try keptCase()
    caseWriter.revival.joinBlocking()
    defer { caseWriter.revival.leave() }
    try? caseWriter.latest.wait()
    let (id, flow, adopts) = (
      caseWriter.id, loaded.withLock { $0 }, settings.options.adoptsJournal
    )
    let activation =
      caseWriter.failure == nil
      ? nil
      : try caseWriter.calls.wait {
        try await CaseActivation.read(id, of: flow, .never, adopting: adopts, in: $0)
      }
    let turn = try agent.fetchAndUpdate { (engine: inout sending Engine) -> KeptTurn<Answer> in
      keptTurn(&engine, reviving: activation, body)
    }
    let (answer, receipt) = try turn.get()
    try receipt.wait()
    tellWaiting(receipt)
    return answer
  }

  /// Runs a turn of a journaled case for a task, on a thread of its own if a capability may block for the journal.
  ///
  /// Returns once the journal has stored the turn, and does not wait for subscribers.
  ///
  /// - Returns: the answer, and the receipt of the turn.
  func useKeptWhenFree<Answer: Sendable>(
    _ body: @Sendable (inout Engine) -> Answer
  ) async throws -> (Answer, WriteReceipt) {
    let turn = try await runTurn { engine in keptTurn(&engine, body) }
    let (answer, receipt): (Answer, WriteReceipt)
    switch turn {
    case .ended(let given, let written): (answer, receipt) = (given, written)
    case .failed(let error): throw error
    case .mustRevive: (answer, receipt) = try await revive(body)
    }
    try await receipt.waitWhenFree()
    return (answer, receipt)
  }

  private func revive<Answer: Sendable>(
    _ body: @Sendable (inout Engine) -> Answer
  ) async throws -> (Answer, WriteReceipt) {
    let caseWriter = try keptCase()
    await caseWriter.revival.join()
    defer { caseWriter.revival.leave() }
    try? await caseWriter.latest.waitWhenFree()
    let (id, flow, adopts) = (
      caseWriter.id, loaded.withLock { $0 }, settings.options.adoptsJournal
    )
    let activation =
      caseWriter.failure == nil
      ? nil
      : try await caseWriter.calls.call {
        try await CaseActivation.read(id, of: flow, .never, adopting: adopts, in: $0)
      }
    return try await runTurn { engine in keptTurn(&engine, reviving: activation, body) }.get()
  }

  /// Threads for turns that may block for the journal, as before the call of a synchronous capability.
  private static let turnThreads = WorkerThreads(limit: 512)

  private func runTurn<Answer: Sendable>(
    _ turn: @Sendable (inout sending Engine) -> KeptTurn<Answer>
  ) async throws -> KeptTurn<Answer> {
    guard settings.mayWaitMidway else { return try await agent.fetchAndUpdateWhenFree(turn) }
    return try await withTaskExecutorPreference(FlowHost.turnThreads) {
      try await agent.fetchAndUpdateWhenFree(turn)
    }
  }

  private func tellWaiting(_ receipt: WriteReceipt) {
    let message = receipt.message
    if message != 0 { agent.waitUntilTold(message) }
  }

  /// Runs a turn, sends its entry to the journal, and returns the receipt to wait for.
  ///
  /// - Parameter activation: the case as the leader of `revival` has activated it after a failure; nil if
  ///   there was none.
  private func keptTurn<Answer>(
    _ engine: inout Engine, reviving activation: CaseActivation? = nil,
    _ body: (inout Engine) -> Answer
  ) -> KeptTurn<Answer> {
    guard let caseWriter else { return .failed(JournalError(.closed, "\(name) has no journal")) }
    if let failure = caseWriter.failure {
      // A host that has lost its case does not activate it again by itself.
      if failure.kind == .fenced { return .failed(failure) }
      guard let activation else { return .mustRevive }
      do {
        try revive(&engine, caseWriter, activation)
      } catch {
        return .failed(error)
      }
    }
    let answer = play(&engine, body)
    return .ended(answer, end(engine, caseWriter))
  }

  /// Ends a turn: sends its entry to the journal, and notifies subscribers once it is stored.
  package func end(_ engine: Engine, _ caseWriter: CaseWriter) -> WriteReceipt {
    let deliveries = engine.takeDeliveries(atOnce: false)
    let receipt = caseWriter.endTurn(engine)
    if deliveries.isEmpty { return receipt }
    receipt.then { [agent] error in
      if error != nil { return }
      receipt.message = agent.tell { for delivery in deliveries { delivery.tell() } }
    }
    return receipt
  }

  /// True if nothing is running that a restart would interrupt.
  package func isQuiet() async throws -> Bool { try await useWhenFree { $0.isQuiet } }

  /// Runs the timers that are due now.
  package func catchUp() async throws { try await useWhenFree { _ in } }

  /// Stops the host and leaves the case to the next one; returns once all pending entries are stored.
  package func rest() async throws {
    guard let engine = try await agent.stopWhenFree() else { return }
    try await leave(engine)
  }

  private func leave(_ engine: Engine) async throws {
    alarm?.stop()
    engine.calls.pending.cancelAll(because: "the host released the case")
    guard let caseWriter else { return }
    try await end(engine, caseWriter).waitWhenFree()
  }

  /// Stops the host if no part of the case exists in memory only.
  ///
  /// - Returns: true if the host has stopped; false if it keeps running.
  package func restIfIdle() async throws -> Bool {
    let engine = try await agent.stopWhenFree { engine in
      engine.observers.subscriptions.remove(ended.take())
      return engine.mayRest
    }
    guard let engine else { return false }
    try await leave(engine)
    return true
  }

  func stopKept(_ engine: Engine) throws -> [PendingWork] {
    guard let caseWriter else { return [] }
    let (pendingWork, receipt) = concludeKept(engine, caseWriter)
    try receipt.wait()
    tellWaiting(receipt)
    caseWriter.stopTelling()
    return pendingWork
  }

  func stopKeptWhenFree(_ engine: Engine) async throws -> [PendingWork] {
    guard let caseWriter else { return [] }
    let (pendingWork, receipt) = concludeKept(engine, caseWriter)
    try await receipt.waitWhenFree()
    await agent.whenTold(receipt.message)
    caseWriter.stopTelling()
    return pendingWork
  }

  private func concludeKept(
    _ engine: Engine, _ caseWriter: CaseWriter
  ) -> ([PendingWork], WriteReceipt) {
    let pendingWork = engine.pendingWork
    let receipt = end(engine, caseWriter)
    engine.calls.pending.cancelAll(because: "the host was stopped")
    return (pendingWork, receipt)
  }

  /// Replaces the engine, which is ahead of the journal, by one with the case as it is stored.
  private func revive(
    _ engine: inout Engine, _ caseWriter: CaseWriter, _ activation: CaseActivation
  ) throws {
    engine.calls.pending.cancelAll(because: "the journal failed")
    let new = try settings.engine(activation.flow, birth: settings.began)
    let clock = try settings.load(activation, .never, into: new, caseWriter)
    new.adopt(engine.observers.subscriptions)
    engine = new
    guard clock != nil else { return }
    new.resume()
    _ = end(new, caseWriter)
    setAlarm(by: clock)
  }
}

/// The result of a turn of a journaled case.
private enum KeptTurn<Answer: Sendable>: Sendable {
  case ended(Answer, WriteReceipt)
  case failed(any Error)
  /// The journal has failed before: the case must be activated again first.
  case mustRevive

  func get() throws -> (Answer, WriteReceipt) {
    switch self {
    case .ended(let answer, let receipt): return (answer, receipt)
    case .failed(let error): throw error
    case .mustRevive:
      throw JournalError(.failed, "the journal has failed again: try again")
    }
  }
}
