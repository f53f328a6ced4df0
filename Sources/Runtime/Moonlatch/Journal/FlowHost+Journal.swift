import LuaRuntime
import Platform
@_spi(FlowHost) import StateBlocks

/// Hosts whose case is kept in a journal.
extension FlowHost {
  /// Loads a flow from its file and takes up a case of it where it stood, or begins one.
  ///
  /// ```swift
  /// let host = try FlowHost(flow: url, journal: SQLiteJournal(file: journalURL))
  /// try host.dispatch("coin", ["amount": 1], key: "req-81")  // returns when the disk has it
  /// ```
  ///
  /// What a host answers is kept: `dispatch` returns, subscribers are told and capabilities are called once the
  /// journal has all that led to it. `now()` counts from the birth of the case. Timers that came due while nobody
  /// ran fire in order, each at its own time; effects that were under way end as `on_error` says.
  ///
  /// - Parameters:
  ///   - flow: the Lua file; modules that it requires lie in the same folder.
  ///   - journal: where the case is kept.
  ///   - id: the case's id.
  ///   - options: limits, clock, seed, and where `print` and reports go.
  ///   - scopes: says which functions the flow's scopes lend to scripts.
  /// - Throws: as `init(flow:options:scopes:)`; `JournalError` where the case is another's or cannot be read.
  public convenience init(
    flow: URL, journal: any Journal, case id: String = "main",
    options: HostOptions = HostOptions(), scopes: (inout HostScopes) -> Void = { _ in }
  ) throws {
    let loaded = try LoadedFlow(
      FlowSources(file: flow), limits: options.limits, log: options.log(of: flow.lastPathComponent))
    try self.init(loaded, journal: journal, case: id, options: options, scopes: scopes)
  }

  /// Takes up a case of a flow that was loaded before where it stood, or begins one.
  ///
  /// - Throws: as `init(flow:journal:case:options:scopes:)`.
  public convenience init(
    _ flow: LoadedFlow, journal: any Journal, case id: String = "main",
    options: HostOptions = HostOptions(), scopes: (inout HostScopes) -> Void = { _ in }
  ) throws {
    try self.init(
      flow, journal: journal, case: id, births: .ifUnknown, options: options, scopes: scopes)
  }

  convenience init(
    _ flow: LoadedFlow, journal: any Journal, case id: String, births: CaseBirth,
    options: HostOptions, scopes: (inout HostScopes) -> Void
  ) throws {
    var builder = HostScopes()
    scopes(&builder)
    let settings = HostSettings(options, builder, flow: flow.name)
    let caseWriter = CaseWriter(id, in: journal, wall: options.wall)
    let activated = try settings.activate(flow, caseWriter, births)
    try self.init(flow, settings, activated.engine, caseWriter, after: activated.image)
  }

  /// Takes up a case or begins it, as one of many: no thread waits for the journal to keep what happens then.
  static func activate(
    _ flow: LoadedFlow, journal: any Journal, case id: String, births: CaseBirth,
    options: HostOptions, watch: EntryNotifier, scopes: (inout HostScopes) -> Void
  ) async throws -> FlowHost {
    var builder = HostScopes()
    scopes(&builder)
    let settings = HostSettings(options, builder, flow: flow.name)
    let caseWriter = CaseWriter(id, in: journal, wall: options.wall, watch: watch)
    let (host, image) = try resting(flow, settings, caseWriter, births)
    if let image { try await host.useWhenFree { $0.resume(after: image) } }
    host.setClock(after: image)
    try await host.useWhenFree { _ in }
    return host
  }

  private static func resting(
    _ flow: LoadedFlow, _ settings: HostSettings, _ caseWriter: CaseWriter, _ births: CaseBirth
  ) throws -> (FlowHost, CaseImage?) {
    let activated = try settings.activate(flow, caseWriter, births)
    return (FlowHost(resting: flow, settings, activated.engine, caseWriter), activated.image)
  }

  /// The id of the host's case, where it keeps one in a journal.
  public var caseID: String? { caseWriter?.id }

  // MARK: Keys

  /// Offers an action once: a second dispatch with the same key answers as the first did.
  ///
  /// Only what has passed is kept: after a refusal, or where something failed, the same key is offered anew.
  ///
  /// - Parameters:
  ///   - action: its name.
  ///   - payload: a record, or nothing for `{}`.
  ///   - key: chosen by whoever dispatches, one for each thing that is to be done once.
  ///   - who: who offers it, as `by()` says.
  /// - Throws: as `dispatch(_:_:)`; `JournalError`, if the key was given to another action or payload, or the host
  ///   keeps no journal.
  @discardableResult
  public func dispatch(
    _ action: String, _ payload: Value = [:], key: String, by who: String? = nil
  ) throws -> Outcome {
    try use { engine in
      Result { try self.dispatch(action, payload, key, by: who, on: engine) }
    }.get()
  }

  func dispatch(
    _ action: String, _ payload: Value, _ key: String, by who: String?, on engine: Engine
  ) throws(JournalError) -> Outcome {
    guard let caseWriter else {
      throw JournalError(.closed, "a dispatch with a key needs a journal, and \(name) has none")
    }
    let request = CaseWriter.request(action, payload)
    if let known = try caseWriter.answer(to: key) {
      guard known.request == request else {
        throw JournalError(
          .keyReused,
          "case \(caseWriter.id): the key \(Value.quoted(key, limit: 80)) was given to another action or payload "
            + "before (#\(known.revision)); a key is for one thing")
      }
      return .passed(try commit(of: known, action, payload, engine))
    }
    let outcome = engine.dispatchAndSettle(action, payload, by: who)
    if let revision = outcome.commit?.revision {
      caseWriter.note(KeyedAnswer(key: key, request: request, revision: revision))
    }
    return outcome
  }

  /// The transition of a dispatch that was answered before: as the history has it, or what is known of it still.
  private func commit(
    of known: KeyedAnswer, _ action: String, _ payload: Value, _ engine: Engine
  ) throws(JournalError) -> Commit {
    if let kept = engine.history[known.revision], kept.action == action { return kept }
    return Commit(
      answered: known.revision, action, payload, by: nil, began: engine.began,
      secrets: engine.flow.secrets)
  }

  // MARK: The way in

  func useKept<Answer: Sendable>(_ body: @Sendable (inout Engine) -> Answer) throws -> Answer {
    let (answer, receipt) = try agent.fetchAndUpdate {
      (engine: inout sending Engine) -> Result<(Answer, WriteReceipt), any Error> in
      keptTurn(&engine, body)
    }.get()
    try receipt.wait()
    tellWaiting(receipt)
    return answer
  }

  func useKeptWhenFree<Answer: Sendable>(
    _ body: @Sendable (inout Engine) -> Answer
  ) async throws -> Answer {
    let (answer, receipt) = try await agent.fetchAndUpdateWhenFree { engine in
      keptTurn(&engine, body)
    }.get()
    try await receipt.waitWhenFree()
    tellWaiting(receipt)
    return answer
  }

  private func tellWaiting(_ receipt: WriteReceipt) {
    let message = receipt.message
    if message != 0 { agent.waitUntilTold(message) }
  }

  /// A turn, whose entry goes to the journal, and what is to be waited for.
  private func keptTurn<Answer>(
    _ engine: inout Engine, _ body: (inout Engine) -> Answer
  ) -> Result<(Answer, WriteReceipt), any Error> {
    guard let caseWriter else { return .failure(JournalError(.closed, "\(name) keeps no journal")) }
    do {
      if let failure = caseWriter.failure {
        // Who has lost the case does not take it back unasked.
        if failure.kind == .fenced { throw failure }
        try revive(&engine, caseWriter)
      }
    } catch {
      return .failure(error)
    }
    let answer = play(&engine, body)
    return .success((answer, end(engine, caseWriter)))
  }

  /// Has the turn kept, and told of once it is.
  func end(_ engine: Engine, _ caseWriter: CaseWriter) -> WriteReceipt {
    let deliveries = engine.subscriptions.takePending(atOnce: false)
    let receipt = caseWriter.endTurn(engine)
    if deliveries.isEmpty { return receipt }
    receipt.then { [agent] error in
      if error != nil { return }
      receipt.message = agent.tell { for delivery in deliveries { delivery.tell() } }
    }
    return receipt
  }

  /// Whether nothing of the case lives in memory alone, so that it may sleep.
  func mayRest() throws -> Bool { try use { $0.mayRest } }

  /// Whether nothing is under way that a restart would cut off.
  func isQuiet() async throws -> Bool { try await useWhenFree { $0.isQuiet } }

  /// Time passes up to now: what is due happens.
  func catchUp() async throws { try await useWhenFree { _ in } }

  /// Ends the host, and leaves the case to the next one: what was on its way is kept when this returns.
  func rest() async throws {
    let engine = try agent.stop()
    alarm?.stop()
    engine.calls.pending.cancelAll(because: "the case was let go")
    guard let caseWriter else { return }
    try await end(engine, caseWriter).waitWhenFree()
  }

  func stopKept(_ engine: Engine) throws -> [PendingWork] {
    guard let caseWriter else { return [] }
    let pendingWork = engine.pendingWork
    let receipt = end(engine, caseWriter)
    engine.calls.pending.cancelAll(because: "the host was stopped")
    try receipt.wait()
    tellWaiting(receipt)
    caseWriter.stopTelling()
    return pendingWork
  }

  /// What is in memory is ahead of what is kept: the case is taken up again as the journal has it.
  private func revive(_ engine: inout Engine, _ caseWriter: CaseWriter) throws {
    caseWriter.waitForTheRest()
    engine.calls.pending.cancelAll(because: "the journal failed")
    let activated = try settings.activate(loaded.withLock { $0 }, caseWriter, .never)
    let new = activated.engine
    new.adopt(engine.subscriptions)
    engine = new
    guard let image = activated.image else { return }
    new.resume(after: image)
    _ = end(new, caseWriter)
    setClock(after: image)
  }
}

extension HostSettings {
  /// Takes a case up, or begins it: nothing that was under way has gone on.
  func activate(
    _ flow: LoadedFlow, _ caseWriter: CaseWriter, _ births: CaseBirth = .ifUnknown
  ) throws -> (engine: Engine, image: CaseImage?) {
    let engine = try engine(flow)
    engine.caseWriter = caseWriter
    let stored = try caseWriter.journal.activate(caseWriter.id)
    if stored != nil, case .given = births { throw CaseBirth.known(caseWriter.id) }
    guard let stored else {
      if case .never = births {
        throw JournalError(
          .unknownCase, "case \(caseWriter.id): there is none of that id; create it first")
      }
      try caseWriter.begin(
        flow, birth: JournalEntry.Birth(time: began, seed: options.seed))
      engine.born = EngineTime.seconds(began)
      startRecording(in: engine, born: began, isKnown: false)
      if case .given(let part, let key) = births {
        if part != [:], let failure = engine.merge(part) { throw failure }
        if let key {
          caseWriter.note(KeyedAnswer(key: key, request: CaseWriter.request("", part), revision: 0))
        }
      }
      return (engine, nil)
    }
    let image = try CaseImage(stored, of: caseWriter.id)
    try caseWriter.begin(flow, after: stored)
    try take(image, stored, flow, in: engine, caseWriter)
    return (engine, image)
  }

  private func startRecording(in engine: Engine, born: Int, isKnown: Bool) {
    engine.startRecording(
      born: born, isKnown: isKnown, keepsTime: !options.clock.movesByItself,
      keepsRefusals: options.keepsRefusals)
  }

  private func take(
    _ image: CaseImage, _ stored: StoredCase, _ flow: LoadedFlow, in engine: Engine,
    _ caseWriter: CaseWriter
  ) throws {
    let number = stored.entries.last?.flow ?? stored.snapshot?.flow ?? 0
    guard let kept = try caseWriter.journal.flow(number) else {
      throw JournalError(.damaged, "case \(caseWriter.id): the texts of its flow are not kept")
    }
    if kept.hash == flow.flow.hash {
      try engine.take(image)
      startRecording(in: engine, born: image.born, isKnown: true)
      return
    }
    let old = try self.engine(
      LoadedFlow(
        FlowSources(kept: kept.texts), limits: options.limits, log: options.log(of: kept.name)))
    try old.take(image)
    startRecording(in: old, born: image.born, isKnown: true)
    engine.began = image.born
    try engine.adoptState(of: old)
  }
}

extension CaseImage {
  /// The time of the case when the wall clock shows that many microseconds since 1970: never before what it was.
  func time(at wall: Int) -> Int { max(ledger.time, wall - born) }

  /// What a journal has of a case.
  init(_ stored: StoredCase, of id: String) throws(JournalError) {
    var entries = stored.entries[...]
    guard let beginning = stored.snapshot?.body ?? entries.popFirst()?.body else {
      throw JournalError(.damaged, "case \(id): there is neither a snapshot nor an entry")
    }
    do throws(ValueReader.Malformed) {
      try self.init(image: beginning)
    } catch {
      throw CaseImage.unreadable(entry: stored.snapshot?.seq ?? 1, of: id)
    }
    for entry in entries {
      do throws(ValueReader.Malformed) {
        try take(entry: entry.body)
      } catch {
        throw CaseImage.unreadable(entry: entry.seq, of: id)
      }
    }
  }

  private static func unreadable(entry: Int, of id: String) -> JournalError {
    JournalError(
      .unreadable,
      "case \(id): entry \(entry) is none that this version of Moonlatch can read")
  }
}

extension CaseWriter {
  /// The digest of a dispatch's action and payload, which tells it from others.
  static func request(_ action: String, _ payload: Value) -> [UInt8] {
    var writer = ValueWriter()
    writer.writeText(action)
    writer.write(payload)
    return SHA256.digest(of: writer.bytes)
  }
}
