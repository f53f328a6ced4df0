import FlowLanguage
import LuaRuntime

/// A recorder of what has happened in an engine since the last entry, for the next one.
///
/// It belongs to the engine's thread. An engine without a journal has none.
package struct TurnRecorder {
  /// The contents of the last entry that are written only if they have changed.
  private struct LastWritten: Equatable {
    let numbers: CaseState.Numbers
    let clock: CaseClock
    let random: SeededRandom
    let effectRandom: SeededRandom
    let givenDraws: ArraySlice<Value>

    init(_ state: CaseState) {
      (numbers, clock, givenDraws) = (state.numbers, state.clock, state.givenDraws)
      (random, effectRandom) = (state.random, state.effectRandom)
    }
  }

  private var told: LastWritten
  /// The facts so far.
  private var facts = ValueWriter()
  /// The log items of durable effects, encoded, in order.
  private var tellings: [(effect: Int, bytes: [UInt8])] = []
  /// The scope instances that have closed, each with the event that closed it.
  var closed: [(number: Int, since: String)] = []
  /// The revisions of the commits among the facts.
  private var revisions: Set<Int> = []
  /// The numbers of waiting effects that are in no entry yet.
  private var waiting: Set<Int> = []
  /// The numbers of ended effects that are in an entry.
  private var ended: [Int] = []
  /// The numbers of effects that wait for something other than what the last entry says.
  private var waits: Set<Int> = []
  /// The failed attempts of effects, in order.
  private var attempts: [(effect: Int, attempt: EffectAttempt)] = []
  /// The failures of effects that did not finish, in order.
  var failures: [EffectFailure] = []
  /// The numbers of effects that are in an entry.
  private var known: Set<Int>
  /// True if more has changed than the facts contain: the next entry is then an image.
  package var needsImage = false
  /// True if time that passes without other changes makes an entry.
  package let keepsTime: Bool

  /// The tasks that are open according to the journal.
  private var knownTasks: Set<OpenTask.Key>
  /// The tasks that the latest entry has opened and closed.
  private var taskChanges = TaskChanges()

  /// The rejected dispatches that are in no entry yet; nil if they are not stored.
  private var rejected: RejectedDispatches?

  package init(_ engine: Engine, keepsTime: Bool, keepsRefusals: Bool) {
    rejected = keepsRefusals ? RejectedDispatches() : nil
    self.keepsTime = keepsTime
    told = LastWritten(engine.caseState)
    known = Set(engine.caseState.effects.keys)
    knownTasks = Set(engine.openTasks.map(\.key))
  }

  // MARK: Events

  package mutating func receive(_ event: EngineEvent) {
    switch event {
    case .committed(let commit):
      if needsImage { return }
      facts.write(.commit)
      facts.write(commit)
      revisions.insert(commit.revision)
    case .rejected(let dispatch):
      if dispatch.cause == nil, let record = RejectedDispatchRecord(dispatch) {
        rejected?.add(record)
      }
    case .effectWaits(let number):
      if !known.contains(number) { waiting.insert(number) }
    // A wait makes no entry by itself, and is written with the next one.
    case .effectWaitsAnew(let number): waits.insert(number)
    case .effectAnswered(let number, let bytes): tellings.append((number, bytes))
    case .effectAttemptFailed(let number, let attempt): attempts.append((number, attempt))
    case .effectFailed(let failure): failures.append(failure)
    case .effectEnded(let number):
      waits.remove(number)
      if waiting.remove(number) == nil, known.remove(number) != nil {
        ended.append(number)
      }
    case .effectLost(let number):
      known.remove(number)
      ended.append(number)
    case .scopeClosed(let number, let reason):
      if !needsImage { closed.append((number, reason)) }
    }
  }

  /// True if rejected dispatches are written to entries.
  var keepsRejections: Bool { rejected != nil }

  /// True if the rejected dispatches need an entry of their own, after an image.
  package var needsTwoEntries: Bool { needsImage && rejected?.isEmpty == false }

  /// Discards the rejected dispatches: nothing can be added to a case that has ended.
  package mutating func forgetRejected() {
    if rejected != nil { rejected = RejectedDispatches() }
  }

  /// Sets the tasks that are open according to the journal.
  mutating func setKnownTasks(_ tasks: Set<OpenTask.Key>) { knownTasks = tasks }

  /// Returns the tasks that the latest entry has opened and closed.
  mutating func takeTaskChanges() -> TaskChanges {
    defer { taskChanges = TaskChanges() }
    return taskChanges
  }

  /// The number of effects that did not finish since the last entry.
  package var failedEffects: Int { failures.count }

  // MARK: Entries

  /// Returns the next entry; nil if nothing has happened.
  ///
  /// - Parameter isMidway: true if the turn goes on.
  package mutating func entry(of engine: Engine, isMidway: Bool = false) throws(ScriptError)
    -> [UInt8]?
  {
    let changes = engine.caseState.takeLog()
    let now = LastWritten(engine.caseState)
    let tasks = engine.takeTaskChanges(since: &knownTasks)
    let hasQueue = !engine.caseState.queue.isEmpty || !engine.caseState.upcomingEffects.isEmpty
    guard
      needsImage || !facts.bytes.isEmpty || !changes.isEmpty || !waiting.isEmpty || !ended.isEmpty
        || !tasks.isEmpty || !tellings.isEmpty || !failures.isEmpty || rejected?.isEmpty == false
        || now.numbers != told.numbers || now.random != told.random
        || now.effectRandom != told.effectRandom || now.givenDraws != told.givenDraws || hasQueue
        || keepsTime && now.clock.now != told.clock.now
    else { return nil }
    taskChanges = tasks
    defer {
      told = now
      known.formUnion(waiting)
      (waiting, ended, revisions, tellings) = ([], [], [], [])
      (waits, attempts, failures, closed) = ([], [], [], [])
      needsImage = false
      facts = ValueWriter()
    }
    if needsImage {
      known = Set(engine.caseState.effects.keys)
      return try engine.image(failures)
    }
    var writer = ValueWriter()
    writer.begin(.turn)
    // Effects come after the commits that they follow, and before their log items.
    writer.append(facts)
    for number in waiting.sorted() {
      guard let effect = engine.caseState.effects[number] else { continue }
      writer.write(.began)
      effect.write(to: &writer, besides: revisions)
    }
    // Log items of effects before their first wait are written with that wait.
    for telling in tellings where known.contains(telling.effect) {
      writer.write(.told)
      writer.writeCount(telling.effect)
      writer.writeBytes(telling.bytes)
    }
    writeProgress(of: engine, to: &writer)
    writeRejected(to: &writer)
    for number in ended {
      writer.write(.ended)
      writer.writeCount(number)
    }
    for (number, since) in closed {
      writer.write(.closed)
      writer.writeCount(number)
      writer.writeText(since)
    }
    for change in changes + randomChanges(to: now) {
      writer.write(.change)
      writer.write(change)
    }
    writeRest(of: engine, now, to: &writer)
    return writer.bytes
  }

  private mutating func writeRejected(to writer: inout ValueWriter) {
    guard let rejected else { return }
    for dispatch in rejected.all {
      writer.write(.refused)
      writer.write(dispatch)
    }
    if rejected.dropped > 0 {
      writer.write(.refusedDropped)
      writer.writeCount(rejected.dropped)
    }
    forgetRejected()
  }

  /// Writes failed attempts and waits of effects; an effect that begins in this entry has them in its own record.
  private func writeProgress(of engine: Engine, to writer: inout ValueWriter) {
    for (number, attempt) in attempts where known.contains(number) {
      writer.write(.attempt)
      writer.writeCount(number)
      writer.write(attempt)
    }
    for number in waits.sorted() where known.contains(number) {
      writer.write(.waits)
      writer.writeCount(number)
      writer.write(engine.caseState.effects[number]?.waits ?? [])
    }
    for failure in failures {
      writer.write(.failed)
      writer.write(failure)
    }
  }

  private func randomChanges(to now: LastWritten) -> [CaseState.Change] {
    var changes: [CaseState.Change] = []
    if now.random != told.random { changes.append(.random(told.random, now.random)) }
    if now.effectRandom != told.effectRandom {
      changes.append(.effectRandom(told.effectRandom, now.effectRandom))
    }
    return changes
  }

  private func writeRest(of engine: Engine, _ now: LastWritten, to writer: inout ValueWriter) {
    if now.numbers != told.numbers {
      writer.write(.numbers)
      writer.write(now.numbers)
    }
    if now.clock != told.clock {
      writer.write(.clock)
      writer.write(now.clock)
    }
    if !engine.caseState.queue.isEmpty {
      writer.write(.queue)
      writer.write(engine.caseState.queue.waiting)
    }
    if !engine.caseState.upcomingEffects.isEmpty {
      writer.write(.upNext)
      writer.write(engine.caseState.upcomingEffects)
    }
    let pending = engine.caseState.pendingChanges
    if !pending.isEmpty {
      writer.write(.pendingChanges)
      writer.write(pending)
    }
    if now.givenDraws != told.givenDraws {
      writer.write(.givenDraws)
      writer.write(now.givenDraws) { $0.write($1) }
    }
    writer.write(.end)
  }
}
