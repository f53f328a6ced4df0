import LuaRuntime
import Testing

@testable import Moonlatch

@Suite struct LedgerTests {
  private let x = GatekeeperOption(gatekeeper: "k", option: "x")
  private let y = GatekeeperOption(gatekeeper: "k", option: "y")

  private func ledger() -> Ledger {
    Ledger(
      random: SeededRandom(seed: 1), effectRandom: SeededRandom(seed: 2),
      clock: CaseClock(wall: 1_000, isCase: true))
  }

  private func action(_ name: String, _ payload: Value = [:]) -> QueuedAction {
    QueuedAction(name: name, payload: payload, cause: Cause(revision: 1))
  }

  private func names(_ ledger: Ledger) -> [String] {
    ledger.timers.pending.compactMap { $0.action?.name }
  }

  @Test("what a transition changed is taken back to its beginning, and numbers are not given again")
  func mark() {
    var ledger = ledger()
    _ = ledger.take(x, action: "first", revision: 1)
    let savepoint = ledger.savepoint
    ledger.free(x)
    #expect(ledger.take(y, action: "second", revision: 2) == 2)
    _ = ledger.random.next()
    ledger.rollback(to: savepoint)
    #expect(ledger.passages[x].holder?.passage.number == 1)
    #expect(ledger.passages[y].mayPass)
    #expect(ledger.random == SeededRandom(seed: 1))
    #expect(ledger.take(y, action: "third", revision: 2) == 3)
  }

  @Test("changes are undone and made again: passages, timers, openings, both generators")
  func undo() {
    var ledger = ledger()
    ledger.set(action("a"), due: 5, owner: .nobody)
    _ = ledger.takeChanges()
    let random = (ledger.random, ledger.effectRandom)
    _ = ledger.take(x, action: "go", revision: 1)
    ledger.set(action("b"), due: 3, owner: .instance(1))
    _ = ledger.takeNextTimer()
    ledger.stopTimers(ownedBy: .nobody)
    ledger.set(action("c"), due: 9, owner: .state(ActiveState(machine: "m", state: "")))
    ledger.note(scopeInstances: [Ledger.ScopeInstance(scope: "s", number: 2)])
    _ = ledger.random.next()
    _ = ledger.effectRandom.next()
    let later = (ledger.random, ledger.effectRandom)
    let changes = ledger.takeChanges()
    #expect(ledger.takeChanges().isEmpty)
    ledger.undo(changes)
    #expect(names(ledger) == ["a"])
    #expect(ledger.passages.count == 0)
    #expect(ledger.scopeInstances.isEmpty)
    #expect((ledger.random, ledger.effectRandom) == random)
    #expect(ledger.takeChanges().isEmpty)
    ledger.redo(changes)
    #expect(names(ledger) == ["c"])
    #expect(ledger.passages[x].holder?.name == "go")
    #expect(ledger.scopeInstances.map(\.scope) == ["s"])
    #expect((ledger.random, ledger.effectRandom) == later)
  }

  @Test("time that passes without a transition keeps only what it has changed in the end")
  func condensed() {
    var ledger = ledger()
    ledger.set(action("first"), due: 1, owner: .nobody)
    _ = ledger.takeChanges()
    for time in 1...10_000 {
      _ = ledger.takeNextTimer()
      ledger.set(action("tick"), due: time + 1, owner: .nobody)
      ledger.note(scopeInstances: [Ledger.ScopeInstance(scope: "s", number: time)])
      ledger.condense()
    }
    let changes = ledger.takeChanges()
    #expect(changes.count < 200)
    ledger.undo(changes)
    #expect(names(ledger) == ["first"])
    #expect(ledger.scopeInstances.isEmpty)
    ledger.redo(changes)
    #expect(names(ledger) == ["tick"])
    #expect(ledger.scopeInstances.map(\.number) == [10_000])
  }

  @Test("it is written and read back whole, but for effects, which do not survive")
  func coding() throws {
    var ledger = ledger()
    _ = ledger.take(x, action: "go", revision: 3)
    ledger.free(x)
    _ = ledger.take(y, action: "go", revision: 4)
    let payload: Value = [
      "map": .map([7: 1.5]), "list": .list([]), "infinite": .number(.infinity), "whole": 1.0,
    ]
    var cause = Cause(revision: 4, passages: [y: 2])
    cause.scopeInstances["s"] = 5
    ledger.set(
      QueuedAction(name: "late", payload: payload, cause: cause), due: 70,
      owner: .state(ActiveState(machine: "m", state: "")))
    ledger.set(action("soon"), due: 7, owner: .instance(3))
    ledger.wake(9, due: 8)
    ledger.note(scopeInstances: [Ledger.ScopeInstance(scope: "s", number: 5)])
    ledger.clock.pass(to: 6)
    var writer = ValueWriter()
    writer.write(ledger)
    let read: Ledger = try writer.bytes.withUnsafeBytes {
      var reader = ValueReader($0)
      return try reader.read()
    }
    #expect(Array(read.passages.options) == [y])
    #expect(read.passages[y].holder == ledger.passages[y].holder)
    #expect(read.passages.time(of: y) == ledger.passages.time(of: y))
    #expect(names(read) == ["soon", "late"])
    let late = try #require(read.timers.pending.last)
    #expect(late.action?.payload == payload)
    #expect(late.action?.cause.passages == [y: 2])
    #expect(late.action?.cause.scopeInstances == ["s": 5])
    #expect(late.owner == .state(ActiveState(machine: "m", state: "")))
    #expect(read.timers.last == ledger.timers.last)
    #expect(read.timers.count == 2)
    #expect(read.scopeInstances == ledger.scopeInstances)
    #expect((read.random, read.effectRandom) == (ledger.random, ledger.effectRandom))
    #expect(read.clock == ledger.clock)
    var next = read
    #expect(next.take(x, action: "go", revision: 5) == 3)
  }

  // MARK: All that it holds

  /// A change of each stored property; nil for one that is worked out from others, or belongs to a step under way.
  private static let changes: [String: (@Sendable (inout Ledger) -> Void)?] = [
    "passages": {
      _ = $0.take(GatekeeperOption(gatekeeper: "k", option: "z"), action: "a", revision: 1)
    },
    "timers": {
      $0.set(
        QueuedAction(name: "a", payload: [:], cause: Cause(revision: 1)), due: 9, owner: .nobody)
    },
    "scopeInstances": { $0.note(scopeInstances: [Ledger.ScopeInstance(scope: "s", number: 3)]) },
    "historyValues": {
      $0.remember(
        ["a.b"], for: Ledger.Remembered(machine: "m", keys: [1], state: "a", isDeep: true))
    },
    "stateEffectTriggers": {
      $0.begin(
        ActiveState(machine: "m", state: "a"),
        QueuedAction(name: "a", payload: [:], cause: Cause(revision: 1)))
    },
    "refusedTimers": {
      $0.set(refusedTimers: ["x is spent"], of: ActiveState(machine: "m", state: "a"))
    },
    "random": { _ = $0.random.next() },
    "effectRandom": { _ = $0.effectRandom.next() },
    "clock": { $0.clock.pass(to: 77) },
    "lastingSize": nil, "changes": nil, "keepsLog": nil, "log": nil, "toldRandom": nil,
    "toldEffectRandom": nil,
  ]

  private func bytes(_ ledger: Ledger) -> [UInt8] {
    var writer = ValueWriter()
    writer.write(ledger)
    return writer.bytes
  }

  @Test("each property is known here, and no other")
  func properties() {
    let labels = Mirror(reflecting: ledger()).children.compactMap(\.label)
    #expect(Set(labels) == Set(Self.changes.keys))
  }

  @Test("each property is encoded, and decoded as it was")
  func encoded() throws {
    let beginning = bytes(ledger())
    for (label, change) in Self.changes {
      guard let change else { continue }
      var changed = ledger()
      change(&changed)
      #expect(bytes(changed) != beginning, "\(label)")
      let read: Ledger = try bytes(changed).withUnsafeBytes {
        var reader = ValueReader($0)
        return try reader.read()
      }
      #expect(bytes(read) == bytes(changed), "\(label)")
    }
  }

  @Test("a savepoint takes each property back, but the clock and the chance of effects")
  func rolledBack() {
    for (label, change) in Self.changes {
      guard let change, !["clock", "effectRandom"].contains(label) else { continue }
      var changed = ledger()
      let savepoint = changed.savepoint
      change(&changed)
      changed.rollback(to: savepoint)
      // Numbers that were given once are not given again.
      changed.forgetNumbers()
      #expect(bytes(changed) == bytes(ledger()), "\(label)")
    }
  }

  @Test("the history takes each property back and makes it again, but the clock, which it has")
  func history() {
    for (label, change) in Self.changes {
      guard let change, label != "clock" else { continue }
      var changed = ledger()
      change(&changed)
      let after = bytes(changed)
      let taken = changed.takeChanges()
      changed.undo(taken)
      var before = changed
      before.forgetNumbers()
      #expect(bytes(before) == bytes(ledger()), "\(label)")
      changed.redo(taken)
      #expect(bytes(changed) == after, "\(label)")
    }
  }
}

extension Ledger {
  /// The same with no number given yet, where nothing has one.
  fileprivate mutating func forgetNumbers() {
    guard passages.options.isEmpty, timers.isEmpty else { return }
    var fresh = Ledger(random: random, effectRandom: effectRandom, clock: clock)
    fresh.note(scopeInstances: scopeInstances)
    for (key, states) in historyValues { fresh.remember(states, for: key) }
    fresh.set(stateEffectTriggers: stateEffectTriggers)
    for (state, sentences) in refusedTimers { fresh.set(refusedTimers: sentences, of: state) }
    self = fresh
  }
}
