import LuaRuntime
import Testing

@testable import Moonlatch

@Suite struct LedgerTests {
  private let x = GatekeeperOption(gatekeeper: "k", option: "x")
  private let y = GatekeeperOption(gatekeeper: "k", option: "y")

  private func ledger() -> Ledger {
    Ledger(random: SeededRandom(seed: 1), effectRandom: SeededRandom(seed: 2))
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
    ledger.time = 6
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
    #expect(read.time == 6)
    var next = read
    #expect(next.take(x, action: "go", revision: 5) == 3)
  }
}
