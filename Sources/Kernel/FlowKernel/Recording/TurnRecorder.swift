import FlowLanguage
import LuaRuntime

/// What has happened in an engine since the last entry, for the next one.
///
/// It belongs to the engine's thread. Where nobody keeps a journal there is none, and that is all it costs.
package struct TurnRecorder {
  /// What the last entry says, of that which is told only where it has changed.
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
  /// What durable effects were told, in order.
  private var tellings: [(effect: Int, bytes: [UInt8])] = []
  /// Openings of scopes that have closed, and since when.
  var closed: [(number: Int, since: String)] = []
  /// The revisions whose transitions are among them.
  private var revisions: Set<Int> = []
  /// Effects that wait now and of which no entry tells yet, by number.
  private var waiting: Set<Int> = []
  /// Those that have ended of which entries tell.
  private var ended: [Int] = []
  /// Effects that wait for something else than the last entry says, by number.
  private var waits: Set<Int> = []
  /// Attempts that have failed, in order.
  private var attempts: [(effect: Int, attempt: EffectAttempt)] = []
  /// Effects that did not finish, in order.
  var failures: [EffectFailure] = []
  /// The effects of which entries tell.
  private var known: Set<Int>
  /// Whether more has changed than facts say: the next entry is an image.
  package var needsImage = false
  /// Whether time that passes and nothing else is an entry.
  package let keepsTime: Bool

  /// What did not pass and stands in no entry yet; nil where that is not kept.
  private var rejected: RejectedDispatches?

  package init(_ engine: Engine, keepsTime: Bool, keepsRefusals: Bool) {
    rejected = keepsRefusals ? RejectedDispatches() : nil
    self.keepsTime = keepsTime
    told = LastWritten(engine.caseState)
    known = Set(engine.caseState.effects.keys)
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
    // A wait makes no entry by itself, and stands in the next one.
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

  /// True if rejected dispatches stand in entries.
  var keepsRejections: Bool { rejected != nil }

  /// True if the rejected dispatches need an entry of their own, behind an image.
  package var needsTwoEntries: Bool { needsImage && rejected?.isEmpty == false }

  /// Forgets what did not pass: to a case that has ended nothing can be added.
  package mutating func forgetRejected() {
    if rejected != nil { rejected = RejectedDispatches() }
  }

  /// How many effects did not finish since the last entry.
  package var failedEffects: Int { failures.count }

  // MARK: Entries

  /// The next entry, or nil where nothing has happened.
  ///
  /// - Parameter isMidway: whether the turn goes on.
  package mutating func entry(of engine: Engine, isMidway: Bool = false) throws(ScriptError)
    -> [UInt8]?
  {
    let changes = engine.caseState.takeLog()
    let now = LastWritten(engine.caseState)
    let hasQueue = !engine.caseState.queue.isEmpty || !engine.caseState.upcomingEffects.isEmpty
    guard
      needsImage || !facts.bytes.isEmpty || !changes.isEmpty || !waiting.isEmpty || !ended.isEmpty
        || !tellings.isEmpty || !failures.isEmpty || rejected?.isEmpty == false
        || now.numbers != told.numbers || now.random != told.random
        || now.effectRandom != told.effectRandom || now.givenDraws != told.givenDraws || hasQueue
        || keepsTime && now.clock.now != told.clock.now
    else { return nil }
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
    // Effects stand behind the transitions that they follow on, and before what they were told.
    writer.append(facts)
    for number in waiting.sorted() {
      guard let effect = engine.caseState.effects[number] else { continue }
      writer.write(.began)
      effect.write(to: &writer, besides: revisions)
    }
    // What effects were told before their first wait stands where that is told of.
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

  /// Attempts of effects and what these wait for, behind what began: those that begin in this entry say so themselves.
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
