import LuaRuntime
import StateBlocks

extension Ledger: Stored {
  func write(to writer: inout ValueWriter) {
    writer.write(passages.all)
    writer.writeCount(passages.lastNumber)
    writer.write(timers.pending.filter { $0.action != nil })
    writer.writeCount(timers.last)
    writer.write(scopeInstances)
    writer.write(
      historyValues.map { (key: $0.key, states: $0.value) }.sorted { "\($0.key)" < "\($1.key)" }
    ) {
      $0.write($1.key)
      $0.write($1.states) { $0.writeText($1) }
    }
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
  }

  init(from reader: inout ValueReader) throws(ValueReader.Malformed) {
    let held = try reader.readAll(HeldPassages.Held.self)
    let passages = HeldPassages(held: held, lastNumber: try reader.readCount())
    let pending = try reader.readAll(PendingTimer.self)
    let timers = Timers(pending: pending, last: try reader.readCount())
    let scopeInstances = try reader.readAll(ScopeInstance.self)
    var historyValues: [Remembered: [String]] = [:]
    for _ in 0..<(try reader.readLength()) {
      historyValues[try reader.read()] = try reader.readTexts()
    }
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
    self.init(
      passages: passages, timers: timers, scopeInstances: scopeInstances,
      historyValues: historyValues, stateEffectTriggers: stateEffectTriggers, random: random,
      effectRandom: effectRandom, clock: clock, refusedTimers: refusedTimers)
  }
}

extension CaseClock: Stored {
  func write(to writer: inout ValueWriter) {
    writer.write(born) { $0.writeInteger($1) }
    writer.writeInteger(now)
    writer.writeInteger(wall)
  }

  init(from reader: inout ValueReader) throws(ValueReader.Malformed) {
    let born = try reader.readOptional { reader throws(ValueReader.Malformed) in
      try reader.readInteger()
    }
    let (now, wall) = (try reader.readInteger(), try reader.readInteger())
    guard let clock = CaseClock(born: born, now: now, wall: wall) else {
      throw ValueReader.Malformed()
    }
    self = clock
  }
}

extension ValueReader {
  mutating func readTexts() throws(Malformed) -> [String] {
    try readAll { reader throws(Malformed) in try reader.readText() }
  }
}

extension Ledger.Change: Stored {
  /// What a change is known by in an entry: these numbers are never given to anything else.
  private enum Tag: UInt8 {
    case taken = 1, freed, set, gone, scopeInstances, historyValues, began, ended, random,
      effectRandom, refusedTimers
  }

  func write(to writer: inout ValueWriter) {
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

  init(from reader: inout ValueReader) throws(ValueReader.Malformed) {
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
