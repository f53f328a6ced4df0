import FlowKernel
import Platform
import StateBlocks
import Synchronization

/// Keeps a host's case in a journal: entries go out in the order of turns, and what leaves the host waits for
/// them.
///
/// All that is not about waiting is done by whoever has the host's engine.
package final class CaseWriter: TurnWriter {
  private struct State {
    var fence = 0
    /// The number of the latest entry.
    var seq = 0
    /// The flow at work, as the journal numbers it, and its hash.
    var flow = 0
    var hash = ""
    /// The birth, until it is kept.
    var birth: JournalEntry.Birth?
    /// What the latest entry says of the machines.
    var machines: [String: [String]]?
    var places: [Int32]?
    /// The bytes of the entries since the latest snapshot, and at how many there is a new one.
    var weight = 0
    var mostWeight = CaseWriter.leastWeight
    /// The answers of the turn under way, and those on their way to the journal.
    var answers: [KeyedAnswer] = []
    var unsettled: [String: KeyedAnswer] = [:]
    /// How many look an answer up in the journal, and what was settled meanwhile.
    var lookups = 0
    var settled: [String: KeyedAnswer] = [:]
    /// Of the turn under way, and the one before.
    var receipt = WriteReceipt()
    var latest = WriteReceipt.settled
    /// Whether the case has ended, and whether the turn under way ends it by request.
    var hasEnded = false
    var ends = false
    /// False while something of the case lives in memory alone.
    var mayRest = false
    var effects = EffectCounts()
    /// When the case has something due next, in microseconds since 1970.
    var due: Int?
    /// Why what is in memory is ahead of what is kept: it is to be thrown away.
    var failure: JournalError?
    /// The journal's identity; nil before a flow has claimed it.
    var identity: JournalIdentity?
  }

  /// So many bytes of entries are no reason for a snapshot.
  private static let leastWeight = 16 << 10

  package let calls: JournalCalls
  package let id: String
  package let watch: EntryNotifier
  private let ownsWatch: Bool
  /// Returns the time of the wall clock, in microseconds since 1970.
  package let wall: @Sendable () -> Int
  private let onRest: (@Sendable (_ mayRest: Bool) -> Void)?
  private let state = Mutex(State())
  /// The line of tasks that take the case up again after a failure, one at a time.
  let revival = SuspendedLine()

  /// - Parameters:
  ///   - wall: what the wall clock shows, in microseconds since 1970.
  ///   - watch: what is told of each entry once it is kept; without one, the writer's own.
  ///   - onRest: called within a turn when the case may rest from now on, or may no more.
  package init(
    _ id: String, in calls: JournalCalls, wall: @escaping @Sendable () -> Int,
    watch: EntryNotifier? = nil, onRest: (@Sendable (_ mayRest: Bool) -> Void)? = nil
  ) {
    (self.id, self.calls, self.wall, self.onRest) = (id, calls, wall, onRest)
    (self.watch, ownsWatch) = (watch ?? EntryNotifier(), watch == nil)
  }

  deinit { stopTelling() }

  /// Nothing more comes from here: who follows the entries is told, unless others give them too.
  func stopTelling() {
    if ownsWatch { watch.end() }
  }

  // MARK: Activation

  /// The journal's identity; nil before a flow has claimed it.
  package var identity: JournalIdentity? {
    get { state.withLock(\.identity) }
    set { state.withLock { $0.identity = newValue } }
  }

  /// A new case is at work, of a flow that the journal has under a number.
  package func begin(_ flow: LoadedFlow, _ number: Int, birth: JournalEntry.Birth) {
    state.withLock {
      $0 = State(identity: $0.identity)
      ($0.flow, $0.hash, $0.birth) = (number, flow.flow.hash, birth)
    }
  }

  /// A case that was kept is at work again.
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

  /// Stores another text of the flow, which is not at work yet.
  ///
  /// This blocks until the journal has the text.
  ///
  /// - Returns: its number in the journal.
  /// - Throws: `JournalError`, if it is one of another flow.
  package func store(_ flow: LoadedFlow) throws(JournalError) -> Int {
    if let identity, !identity.knows(flow.flow.name) {
      _ = try identity.claimed(by: flow.flow.name, adopting: false, in: "the journal of case \(id)")
    }
    let texts = JournaledFlow(flow)
    return try calls.wait { try await $0.keep(texts) }
  }

  /// Another text of the flow is at work, which the journal has under this number.
  package func use(_ flow: LoadedFlow, _ number: Int) {
    state.withLock {
      ($0.flow, $0.hash) = (number, flow.flow.hash)
      $0.machines = nil
      $0.places = nil
    }
  }

  /// Why the engine is to be thrown away, if it is.
  package var failure: JournalError? { state.withLock(\.failure) }

  /// The receipt of what is still on its way to the journal: after a failure all of it has failed.
  package var latest: WriteReceipt { state.withLock(\.latest) }

  // MARK: Turns

  /// What waits for the turn under way.
  package var receipt: WriteReceipt { state.withLock(\.receipt) }

  /// The turn has come to its end: what has happened goes to the journal.
  ///
  /// - Returns: what is to be waited for before anything of it is told.
  package func endTurn(_ engine: Engine) -> WriteReceipt {
    if hasEnded { engine.forgetRejected() }
    if engine.needsTwoEntries { _ = append(engine, isMidway: true) }
    let hasEntry = append(engine)
    if let onRest { reportRest(of: engine, onRest) }
    return state.withLock { state in
      // Where nothing has happened, whoever waits, waits for what was seen.
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

  /// False while something of the case lives in memory alone; as of the latest turn.
  package var mayRest: Bool { state.withLock(\.mayRest) }

  /// The effects under way; as of the latest turn.
  package var effects: EffectCounts { state.withLock(\.effects) }

  /// When the case has something due next, in microseconds since 1970; as of the latest entry.
  package var nextDue: Int? { state.withLock(\.due) }

  /// What has happened so far is kept before the turn goes on, or the error is thrown: before a capability is
  /// called that answers at once.
  package func barrier(_ engine: Engine) throws(JournalError) {
    if let failure { throw failure }
    _ = append(engine, isMidway: true)
    let midway = state.withLock(\.latest)
    try midway.wait()
  }

  /// Gives whether there is an entry.
  private func append(_ engine: Engine, isMidway: Bool = false) -> Bool {
    let receipt = isMidway ? WriteReceipt() : self.receipt
    do {
      let failed = engine.failedEffectCount
      guard let body = try engine.takeEntry() else { return false }
      if failed > 0 { watch.failedEffects.add(failed, ordering: .relaxed) }
      let entry = entry(body, of: engine, isMidway: isMidway)
      let fence = state.withLock { state in
        if isMidway { state.latest = receipt }
        return state.failure == nil ? state.fence : nil
      }
      guard let fence else {
        receipt.settle(failure)
        return true
      }
      let report = watch.appendReport.withLock { $0?.report }
      let begun = report == nil ? nil : ContinuousClock.now
      calls.append([entry], to: id, fence: fence) { [self] error in
        if let report, let begun { report(.now - begun) }
        settle(entry, error)
        receipt.settle(error)
        if error == nil { watch.tell(id) }
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
    _ body: [UInt8], of engine: Engine, isMidway: Bool
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
      // What an effect that is at work now does next is still to come.
      let hasEnded = !isMidway && (engine.hasEnded || state.ends)
      state.hasEnded = hasEnded
      state.due = hasEnded ? nil : due.map { clock.wall(at: $0) }
      if !isMidway { state.ends = false }
      for answer in state.answers { state.unsettled[answer.key] = answer }
      return JournalEntry(
        seq: state.seq, flow: state.flow, wall: wall, body: body, revision: engine.revision,
        due: due.map { clock.wall(at: $0) }, machines: machines,
        hasEnded: hasEnded, answers: state.answers, birth: state.birth)
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

  /// The answer to a dispatch with a key, as far as this writer knows; for use within a turn.
  ///
  /// - Parameter stored: what the journal says, as `startLookup` and `call` have found out before the turn.
  package func answer(to key: String, stored: KeyedAnswer?) -> KeyedAnswer? {
    state.withLock { state in
      state.unsettled[key] ?? state.answers.first { $0.key == key } ?? state.settled[key]
    } ?? stored
  }

  /// Notes that somebody asks the journal for an answer: whatever is settled from now on is remembered.
  func startLookup() { state.withLock { $0.lookups += 1 } }

  /// Ends what `startLookup` began, after the turn that needed the answer.
  func endLookup() {
    state.withLock { state in
      state.lookups -= 1
      if state.lookups == 0 { state.settled = [:] }
    }
  }

  /// The right to write that the activation has given.
  package var fence: Int { state.withLock(\.fence) }

  /// Whether the case has ended.
  package var hasEnded: Bool { state.withLock(\.hasEnded) }

  /// The case ends with the turn under way, whatever its flow says.
  package func end() { state.withLock { $0.ends = true } }

  /// A dispatch with a key has passed.
  package func note(_ answer: KeyedAnswer) { state.withLock { $0.answers.append(answer) } }
}
