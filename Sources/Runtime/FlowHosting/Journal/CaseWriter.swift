import FlowKernel
import Platform
import StateBlocks

/// The writer of a host's case: appends an entry for each turn, in order, and gives receipts to wait for.
///
/// A turn's results leave the host only once its entry is stored.
///
/// Only the holder of the host's engine may call it, except to wait.
package final class CaseWriter: TurnWriter {
  private struct State {
    var fence = 0
    /// The number of the latest entry.
    var seq = 0
    /// The number of the flow in use in the journal, and its hash.
    var flow = 0
    var hash = ""
    /// The birth, until it is stored.
    var birth: JournalEntry.Birth?
    /// The active states of the machines in the latest entry.
    var machines: [String: [String]]?
    var places: [Int32]?
    /// The bytes of the entries since the latest snapshot, and the number of bytes above which a new one is made.
    var weight = 0
    var mostWeight = CaseWriter.leastWeight
    /// The answers of the current turn, and those that are being stored.
    var answers: [KeyedAnswer] = []
    var unsettled: [String: KeyedAnswer] = [:]
    /// The number of lookups of answers in the journal, and the answers that were stored meanwhile.
    var lookups = 0
    var settled: [String: KeyedAnswer] = [:]
    /// The receipts of the current turn, and of the latest one that made an entry.
    var receipt = WriteReceipt()
    var latest = WriteReceipt.settled
    /// True if the case has ended; `ends` is true if the current turn ends it by request.
    var hasEnded = false
    var ends = false
    /// False while part of the case exists in memory only.
    var mayRest = false
    var effects = EffectCounts()
    /// The time at which the case has something due next, in microseconds since 1970.
    var due: Int?
    /// The error that left the engine ahead of the journal; the engine must be replaced.
    var failure: JournalError?
    /// The journal's identity; nil before a flow has claimed it.
    var identity: JournalIdentity?
  }

  /// The number of bytes of entries up to which no snapshot is made.
  private static let leastWeight = 16 << 10

  package let calls: JournalCalls
  package let id: String
  package let watch: EntryNotifier
  private let ownsWatch: Bool
  /// Returns the time of the wall clock, in microseconds since 1970.
  package let wall: @Sendable () -> Int
  private let onRest: (@Sendable (_ mayRest: Bool) -> Void)?
  private let state = Mutex(State())
  /// The queue of tasks that activate the case again after a failure, one at a time.
  let revival = SuspendedLine()

  /// Makes a writer for a case.
  ///
  /// - Parameters:
  ///   - wall: returns the time of the wall clock, in microseconds since 1970.
  ///   - watch: is notified of each stored entry; if nil, the writer makes its own.
  ///   - onRest: called within a turn when `mayRest` changes.
  package init(
    _ id: String, in calls: JournalCalls, wall: @escaping @Sendable () -> Int,
    watch: EntryNotifier? = nil, onRest: (@Sendable (_ mayRest: Bool) -> Void)? = nil
  ) {
    (self.id, self.calls, self.wall, self.onRest) = (id, calls, wall, onRest)
    (self.watch, ownsWatch) = (watch ?? EntryNotifier(), watch == nil)
  }

  deinit { stopTelling() }

  /// Ends the notifications of stored entries, unless the notifier is shared.
  func stopTelling() {
    if ownsWatch { watch.end() }
  }

  // MARK: Activation

  /// The journal's identity; nil before a flow has claimed it.
  package var identity: JournalIdentity? {
    get { state.withLock(\.identity) }
    set { state.withLock { $0.identity = newValue } }
  }

  /// Starts writing a new case of a flow that the journal has under a number.
  package func begin(_ flow: LoadedFlow, _ number: Int, birth: JournalEntry.Birth) {
    state.withLock {
      $0 = State(identity: $0.identity)
      ($0.flow, $0.hash, $0.birth) = (number, flow.flow.hash, birth)
    }
  }

  /// Continues writing a stored case that has been activated.
  package func begin(_ flow: LoadedFlow, _ number: Int, after stored: StoredCase) {
    state.withLock {
      $0 = State(identity: $0.identity)
      ($0.flow, $0.hash, $0.fence) = (number, flow.flow.hash, stored.fence)
      $0.seq = stored.entries.last?.seq ?? stored.snapshot?.seq ?? 0
      $0.hasEnded = stored.ended != nil
      $0.weight = stored.entries.reduce(0) { $0 + $1.body.count }
      $0.mostWeight = max(CaseWriter.leastWeight, stored.snapshot?.body.count ?? 0)
    }
  }

  /// Stores another text of the flow, which is not in use yet.
  ///
  /// This blocks until the journal has stored the text.
  ///
  /// - Returns: the number of the text in the journal.
  /// - Throws: `JournalError` if the text belongs to another flow, or the journal fails.
  package func store(_ flow: LoadedFlow) throws(JournalError) -> Int {
    try expectOwn(flow)
    let texts = JournaledFlow(flow)
    return try calls.wait { try await $0.keep(texts) }
  }

  /// Stores another text of the flow, which is not in use yet, and blocks no thread.
  ///
  /// - Returns: the number of the text in the journal.
  /// - Throws: as `store(_:)`.
  package func storeWhenFree(_ flow: LoadedFlow) async throws(JournalError) -> Int {
    try expectOwn(flow)
    let texts = JournaledFlow(flow)
    return try await calls.call { try await $0.keep(texts) }
  }

  /// Throws unless the text belongs to the flow whose cases the journal stores.
  private func expectOwn(_ flow: LoadedFlow) throws(JournalError) {
    if let identity, !identity.knows(flow.flow.name) {
      _ = try identity.claimed(by: flow.flow.name, adopting: false, in: "the journal of case \(id)")
    }
  }

  /// Switches to another text of the flow, which the journal has under this number.
  package func use(_ flow: LoadedFlow, _ number: Int) {
    state.withLock {
      ($0.flow, $0.hash) = (number, flow.flow.hash)
      $0.machines = nil
      $0.places = nil
    }
  }

  /// The error after which the engine must be replaced; nil if there was none.
  package var failure: JournalError? { state.withLock(\.failure) }

  /// The receipt of the latest entry on its way to the journal; if it fails, so do all later ones.
  package var latest: WriteReceipt { state.withLock(\.latest) }

  // MARK: Turns

  /// The receipt of the current turn.
  package var receipt: WriteReceipt { state.withLock(\.receipt) }

  /// Ends a turn: sends the turn's entry to the journal.
  ///
  /// - Returns: the receipt to wait for before any result of the turn is delivered.
  package func endTurn(_ engine: Engine) -> WriteReceipt {
    if hasEnded { engine.forgetRejected() }
    if engine.needsTwoEntries { _ = append(engine, isMidway: true) }
    let hasEntry = append(engine)
    if let onRest { reportRest(of: engine, onRest) }
    return state.withLock { state in
      // A turn without an entry waits for the latest entry, because it has read its results.
      if hasEntry {
        state.latest = state.receipt
        state.receipt = WriteReceipt()
      }
      return state.latest
    }
  }

  private func reportRest(of engine: Engine, _ onRest: (Bool) -> Void) {
    let (mayRest, effects) = (engine.mayRest, EffectCounts(of: engine))
    let hasChanged = state.withLock { state in
      defer { state.mayRest = mayRest }
      state.effects = effects
      return state.mayRest != mayRest
    }
    if hasChanged { onRest(mayRest) }
  }

  /// False while part of the case exists in memory only; as of the latest turn.
  package var mayRest: Bool { state.withLock(\.mayRest) }

  /// The numbers of running effects; as of the latest turn.
  package var effects: EffectCounts { state.withLock(\.effects) }

  /// The time at which the case has something due next, in microseconds since 1970; as of the latest entry.
  package var nextDue: Int? { state.withLock(\.due) }

  /// Stores what has happened so far in the turn, and blocks until the journal has it.
  ///
  /// It is called before a synchronous capability is called.
  ///
  /// - Throws: `JournalError` if it could not be stored.
  package func barrier(_ engine: Engine) throws(JournalError) {
    if let failure { throw failure }
    _ = append(engine, isMidway: true)
    let midway = state.withLock(\.latest)
    try midway.wait()
  }

  /// Appends an entry if something has happened.
  ///
  /// - Returns: true if there was an entry.
  private func append(_ engine: Engine, isMidway: Bool = false) -> Bool {
    let receipt = isMidway ? WriteReceipt() : self.receipt
    do {
      let failed = engine.failedEffectCount
      guard let body = try engine.takeEntry() else { return false }
      if failed > 0 { watch.failedEffects.add(failed, ordering: .relaxed) }
      let made = entry(body, of: engine, engine.takeTaskChanges(), isMidway: isMidway)
      let source = CommitSource(
        epoch: engine.caseState.clock.epoch, secrets: engine.flow.secrets)
      let fence = state.withLock { state in
        if isMidway { state.latest = receipt }
        return state.failure == nil ? state.fence : nil
      }
      guard let fence else {
        receipt.settle(failure)
        return true
      }
      let entry = watch.prepared(made, of: id)
      let report = watch.appendReport.withLock { $0?.report }
      let begun = report == nil ? nil : ContinuousClock.now
      calls.append([entry], to: id, fence: fence) { [self] error in
        if let report, let begun { report(.now - begun) }
        settle(entry, error)
        receipt.settle(error)
        if error == nil {
          watch.deliver(entry, of: id, source)
        } else {
          watch.withdraw(entry)
        }
      }
      if !isMidway { keepSnapshotIfDue(engine, after: entry) }
    } catch {
      let failure = JournalError(.failed, "case \(id): its state could not be written: \(error)")
      state.withLock { $0.failure = failure }
      receipt.settle(failure)
    }
    return true
  }

  private func settle(_ entry: JournalEntry, _ error: JournalError?) {
    state.withLock { state in
      for answer in entry.answers {
        state.unsettled[answer.key] = nil
        if error == nil, state.lookups > 0 { state.settled[answer.key] = answer }
      }
      if let error, state.failure == nil { state.failure = error }
    }
  }

  private func entry(
    _ body: [UInt8], of engine: Engine, _ tasks: TaskChanges, isMidway: Bool
  ) -> JournalEntry {
    let wall = wall()
    let (due, clock) = (engine.nextDue, engine.caseState.clock)
    return state.withLock { state in
      state.seq += 1
      state.weight += body.count
      defer {
        state.birth = nil
        state.answers = []
      }
      if state.seq == 1 { state.fence = max(1, state.fence) }
      var machines: [String: [String]]?
      if state.places != engine.derived.configuration {
        state.places = engine.derived.configuration
        let now = engine.standing
        if now != state.machines { (state.machines, machines) = (now, now) }
      }
      // In the midst of a turn, the running effect may still do more, so the case has not ended.
      let hasEnded = !isMidway && (engine.hasEnded || state.ends)
      state.hasEnded = hasEnded
      state.due = hasEnded ? nil : due.map { clock.wall(at: $0) }
      if !isMidway { state.ends = false }
      for answer in state.answers { state.unsettled[answer.key] = answer }
      return JournalEntry(
        seq: state.seq, flow: state.flow, wall: wall, body: body, revision: engine.revision,
        due: due.map { clock.wall(at: $0) }, machines: machines,
        hasEnded: hasEnded, answers: state.answers, tasks: tasks, birth: state.birth)
    }
  }

  private func keepSnapshotIfDue(_ engine: Engine, after entry: JournalEntry) {
    let isDue = state.withLock { $0.weight > $0.mostWeight }
    guard isDue, let body = try? engine.image() else { return }
    let fence = state.withLock { state in
      state.weight = 0
      state.mostWeight = max(CaseWriter.leastWeight, body.count)
      return state.fence
    }
    calls.store(
      StoredSnapshot(seq: entry.seq, flow: entry.flow, body: body), of: id, fence: fence)
  }

  // MARK: Keys

  /// Returns the answer to a dispatch with a key, as far as this writer knows it; for use within a turn.
  ///
  /// - Parameter stored: the answer of the journal, which was looked up before the turn, after `startLookup`.
  package func answer(to key: String, stored: KeyedAnswer?) -> KeyedAnswer? {
    state.withLock { state in
      state.unsettled[key] ?? state.answers.first { $0.key == key } ?? state.settled[key]
    } ?? stored
  }

  /// Starts a lookup in the journal: answers that are stored from now on are remembered until `endLookup`.
  func startLookup() { state.withLock { $0.lookups += 1 } }

  /// Ends a lookup, after the turn that needed the answer.
  func endLookup() {
    state.withLock { state in
      state.lookups -= 1
      if state.lookups == 0 { state.settled = [:] }
    }
  }

  /// The fence of the activation.
  package var fence: Int { state.withLock(\.fence) }

  /// True if the case has ended.
  package var hasEnded: Bool { state.withLock(\.hasEnded) }

  /// Ends the case with the current turn, whatever its flow says.
  package func end() { state.withLock { $0.ends = true } }

  /// Adds the answer to a keyed dispatch that has passed to the current turn's entry.
  package func note(_ answer: KeyedAnswer) { state.withLock { $0.answers.append(answer) } }
}
