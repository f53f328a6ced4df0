import LuaRuntime
import StateBlocks

extension CaseState: Stored {
  package func write(to writer: inout ValueWriter) {
    writer.writeCount(revision)
    writer.writeInteger(revisionTime)
    writer.write(passages.all)
    writer.write(timers.pending.filter { $0.action != nil })
    writer.write(scopeInstances)
    writer.write(historyValues)
    writer.write(stateEffectTriggers.sorted { $0.key.title < $1.key.title }) {
      $0.write($1.key)
      $0.write($1.value)
    }
    writer.write(random)
    writer.write(effectRandom)
    writer.write(clock)
    writer.write(refusedTimers.sorted { $0.key.title < $1.key.title }) {
      $0.write($1.key)
      $0.write($1.value) { $0.writeText($1) }
    }
    writer.write(queue.waiting)
    writer.write(effects.values.sorted { $0.number < $1.number })
    writer.write(upcomingEffects)
    writer.write(givenDraws) { $0.write($1) }
    writer.write(numbers)
    writer.write(pendingChanges)
  }

  package init(from reader: inout ValueReader) throws(ValueReader.Malformed) {
    let (revision, revisionTime) = (try reader.readCount(), try reader.readInteger())
    let held = try reader.readAll(HeldPassages.Held.self)
    let pending = try reader.readAll(PendingTimer.self)
    let scopeInstances = try reader.readAll(ScopeInstance.self)
    let historyValues = try reader.readHistoryValues()
    var stateEffectTriggers: [ActiveState: QueuedAction] = [:]
    for _ in 0..<(try reader.readLength()) {
      stateEffectTriggers[try reader.read()] = try reader.read()
    }
    let (random, effectRandom): (SeededRandom, SeededRandom) = (
      try reader.read(), try reader.read()
    )
    let clock: CaseClock = try reader.read()
    var refusedTimers: [ActiveState: [String]] = [:]
    for _ in 0..<(try reader.readLength()) {
      refusedTimers[try reader.read()] = try reader.readTexts()
    }
    self.init(random: random, effectRandom: effectRandom, clock: clock)
    set(
      passages: HeldPassages(held: held, lastNumber: 0), Timers(pending: pending, last: 0),
      scopeInstances, historyValues, refusedTimers)
    set(stateEffectTriggers: stateEffectTriggers)
    set(revision: revision, time: revisionTime)
    queue.take(try reader.readAll())
    for effect in try reader.readAll(EffectRecord.self) { effects[effect.number] = effect }
    upcomingEffects = try reader.readAll()
    give(draws: try reader.readAll { reader throws(ValueReader.Malformed) in try reader.value() })
    advance(to: try reader.read())
    set(pendingChanges: try reader.readAll())
  }
}

extension CaseState.Numbers: Stored {
  package func write(to writer: inout ValueWriter) {
    for number in [passages, timers, scopeInstances, effects, calls] { writer.writeCount(number) }
    writer.writeInteger(queued)
  }

  package init(from reader: inout ValueReader) throws(ValueReader.Malformed) {
    passages = try reader.readCount()
    timers = try reader.readCount()
    scopeInstances = try reader.readCount()
    effects = try reader.readCount()
    calls = try reader.readCount()
    queued = try reader.readInteger()
  }
}

extension CaseState.Change: Stored {
  /// The number of a kind of change in an entry; a number is never reused.
  private enum Tag: UInt8 {
    case taken = 1, freed, set, gone, scopeInstances, historyValues, began, ended, random,
      effectRandom, refusedTimers
  }

  package func write(to writer: inout ValueWriter) {
    func tag(_ tag: Tag) { writer.writeByte(tag.rawValue) }
    switch self {
    case .taken(let passage):
      tag(.taken)
      writer.write(passage)
    case .freed(let passage):
      tag(.freed)
      writer.write(passage)
    case .set(let timer):
      tag(.set)
      writer.write(timer)
    case .gone(let timer):
      tag(.gone)
      writer.write(timer)
    case .scopeInstances(let old, let new):
      tag(.scopeInstances)
      writer.write(old)
      writer.write(new)
    case .historyValues(let key, let old, let new):
      tag(.historyValues)
      writer.write(key)
      writer.write(old) { $0.writeText($1) }
      writer.write(new) { $0.writeText($1) }
    case .began(let state, let action):
      tag(.began)
      writer.write(state)
      writer.write(action)
    case .ended(let state, let action):
      tag(.ended)
      writer.write(state)
      writer.write(action)
    case .random(let old, let new):
      tag(.random)
      writer.write(old)
      writer.write(new)
    case .effectRandom(let old, let new):
      tag(.effectRandom)
      writer.write(old)
      writer.write(new)
    case .refusedTimers(let state, let old, let new):
      tag(.refusedTimers)
      writer.write(state)
      writer.write(old) { $0.writeText($1) }
      writer.write(new) { $0.writeText($1) }
    }
  }

  package init(from reader: inout ValueReader) throws(ValueReader.Malformed) {
    switch Tag(rawValue: try reader.byte()) {
    case .taken: self = .taken(try reader.read())
    case .freed: self = .freed(try reader.read())
    case .set: self = .set(try reader.read())
    case .gone: self = .gone(try reader.read())
    case .scopeInstances: self = .scopeInstances(try reader.readAll(), try reader.readAll())
    case .historyValues:
      self = .historyValues(try reader.read(), try reader.readTexts(), try reader.readTexts())
    case .began: self = .began(try reader.read(), try reader.read())
    case .ended: self = .ended(try reader.read(), try reader.read())
    case .random: self = .random(try reader.read(), try reader.read())
    case .effectRandom: self = .effectRandom(try reader.read(), try reader.read())
    case .refusedTimers:
      self = .refusedTimers(try reader.read(), try reader.readTexts(), try reader.readTexts())
    case nil: throw ValueReader.Malformed()
    }
  }
}
