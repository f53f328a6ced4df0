import Foundation
import LuaRuntime
import Testing

@testable import FlowKernel

@Suite struct CaseStateTests {
  private let x = GatekeeperOption(gatekeeper: "k", option: "x")
  private let y = GatekeeperOption(gatekeeper: "k", option: "y")

  private func fresh() -> CaseState {
    CaseState(
      random: SeededRandom(seed: 1), effectRandom: SeededRandom(seed: 2),
      clock: CaseClock(wall: 1_000, isCase: true))
  }

  private func action(_ name: String, _ payload: Value = [:]) -> QueuedAction {
    QueuedAction(name: name, payload: payload, cause: Cause(revision: 1))
  }

  private func names(_ caseState: CaseState) -> [String] {
    caseState.timers.pending.compactMap { $0.action?.name }
  }

  @Test("a rollback restores the values at its savepoint, and numbers are not reused")
  func mark() {
    var caseState = fresh()
    _ = caseState.take(x, action: "first", revision: 1)
    let savepoint = caseState.savepoint
    caseState.free(x)
    #expect(caseState.take(y, action: "second", revision: 2) == 2)
    _ = caseState.random.next()
    caseState.rollback(to: savepoint)
    #expect(caseState.passages[x].holder?.passage.number == 1)
    #expect(caseState.passages[y].mayPass)
    #expect(caseState.random == SeededRandom(seed: 1))
    #expect(caseState.take(y, action: "third", revision: 2) == 3)
  }

  @Test("changes are undone and redone: passages, timers, scope instances, both generators")
  func undo() {
    var caseState = fresh()
    caseState.set(action("a"), due: 5, owner: .nobody)
    _ = caseState.takeChanges()
    let random = (caseState.random, caseState.effectRandom)
    _ = caseState.take(x, action: "go", revision: 1)
    caseState.set(action("b"), due: 3, owner: .instance(1))
    _ = caseState.takeNextTimer()
    caseState.stopTimers(ownedBy: .nobody)
    caseState.set(action("c"), due: 9, owner: .state(ActiveState(machine: "m", state: "")))
    caseState.note(scopeInstances: [CaseState.ScopeInstance(scope: "s", number: 2)])
    _ = caseState.random.next()
    _ = caseState.effectRandom.next()
    let later = (caseState.random, caseState.effectRandom)
    let changes = caseState.takeChanges()
    #expect(caseState.takeChanges().isEmpty)
    caseState.undo(changes)
    #expect(names(caseState) == ["a"])
    #expect(caseState.passages.count == 0)
    #expect(caseState.scopeInstances.map(\.scope) == ["root"])
    #expect((caseState.random, caseState.effectRandom) == random)
    #expect(caseState.takeChanges().isEmpty)
    caseState.redo(changes)
    #expect(names(caseState) == ["c"])
    #expect(caseState.passages[x].holder?.name == "go")
    #expect(caseState.scopeInstances.map(\.scope) == ["s"])
    #expect((caseState.random, caseState.effectRandom) == later)
  }

  @Test("time that passes without a transition keeps only its final changes")
  func condensed() {
    var caseState = fresh()
    caseState.set(action("first"), due: 1, owner: .nobody)
    _ = caseState.takeChanges()
    for time in 1...10_000 {
      _ = caseState.takeNextTimer()
      caseState.set(action("tick"), due: time + 1, owner: .nobody)
      caseState.note(scopeInstances: [CaseState.ScopeInstance(scope: "s", number: time)])
      caseState.condense()
    }
    let changes = caseState.takeChanges()
    #expect(changes.count < 200)
    caseState.undo(changes)
    #expect(names(caseState) == ["first"])
    #expect(caseState.scopeInstances.map(\.scope) == ["root"])
    caseState.redo(changes)
    #expect(names(caseState) == ["tick"])
    #expect(caseState.scopeInstances.map(\.number) == [10_000])
  }

  @Test("the case state is read back as it was written, without effects")
  func coding() throws {
    var caseState = fresh()
    _ = caseState.take(x, action: "go", revision: 3)
    caseState.free(x)
    _ = caseState.take(y, action: "go", revision: 4)
    let payload: Value = [
      "map": .map([7: 1.5]), "list": .list([]), "infinite": .number(.infinity), "whole": 1.0,
    ]
    var cause = Cause(revision: 4, passages: [y: 2])
    cause.scopeInstances["s"] = 5
    caseState.set(
      QueuedAction(name: "late", payload: payload, cause: cause), due: 70,
      owner: .state(ActiveState(machine: "m", state: "")))
    caseState.set(action("soon"), due: 7, owner: .instance(3))
    caseState.wake(9, due: 8)
    caseState.note(scopeInstances: [CaseState.ScopeInstance(scope: "s", number: 5)])
    caseState.clock.pass(to: 6)
    var writer = ValueWriter()
    writer.write(caseState)
    let read: CaseState = try writer.bytes.withUnsafeBytes {
      var reader = ValueReader($0)
      return try reader.read()
    }
    #expect(Array(read.passages.options) == [y])
    #expect(read.passages[y].holder == caseState.passages[y].holder)
    #expect(read.passages.time(of: y) == caseState.passages.time(of: y))
    #expect(names(read) == ["soon", "late"])
    let late = try #require(read.timers.pending.last)
    #expect(late.action?.payload == payload)
    #expect(late.action?.cause.passages == [y: 2])
    #expect(late.action?.cause.scopeInstances == ["s": 5])
    #expect(late.owner == .state(ActiveState(machine: "m", state: "")))
    #expect(read.timers.last == caseState.timers.last)
    #expect(read.timers.count == 2)
    #expect(read.scopeInstances == caseState.scopeInstances)
    #expect((read.random, read.effectRandom) == (caseState.random, caseState.effectRandom))
    #expect(read.clock == caseState.clock)
    var next = read
    #expect(next.take(x, action: "go", revision: 5) == 3)
  }

  @Test("timers that were set before the latest commit and have gone are all undone, however many")
  func goneSince() {
    var caseState = fresh()
    for due in 1...1_000 { caseState.set(action("late"), due: due, owner: .nobody) }
    _ = caseState.takeChanges()
    for _ in 1...1_000 {
      _ = caseState.takeNextTimer()
      caseState.condense()
    }
    #expect(caseState.timers.isEmpty)
    let changes = caseState.takeChanges()
    #expect(changes.count == 1_000)
    caseState.undo(changes)
    #expect(caseState.timers.count == 1_000)
  }

  @Test("the waits of an effect are in the order of their functions, one for each")
  func waits() {
    var record = Self.record(1)
    let places = ["", "all1.1", "all1.10", "all1.2", "all1.21", "race2.1"]
    func wait(_ function: String, since: Int) -> EffectStatus.Wait {
      EffectStatus.Wait(
        function: function, reason: .sleep(until: .seconds(9)), since: since, attempt: 0)
    }
    for place in ["all1.2", "race2.1", "all1.10", "", "all1.21", "all1.1"] {
      record.add(wait(place, since: 1))
    }
    #expect(record.waits.map(\.function) == places)
    record.add(wait("all1.10", since: 2))
    #expect(record.waits.map(\.since) == [1, 1, 2, 1, 1, 1])
    for place in ["all1.2", "all1.3", "", "race2.1", "zero"] { record.endWait(of: place) }
    #expect(record.waits.map(\.function) == ["all1.1", "all1.10", "all1.21"])
  }

  // MARK: Each property

  /// A change of each stored property; nil for one that is worked out from others, or belongs to a step under way.
  private static let changes: [String: (@Sendable (inout CaseState) -> Void)?] = [
    "revision": { $0.set(revision: $0.revision + 1, time: $0.revisionTime) },
    "revisionTime": { $0.set(revision: $0.revision, time: 5) },
    "passages": {
      _ = $0.take(GatekeeperOption(gatekeeper: "k", option: "z"), action: "a", revision: 1)
    },
    "timers": {
      $0.set(
        QueuedAction(name: "a", payload: [:], cause: Cause(revision: 1)), due: 9, owner: .nobody)
    },
    "scopeInstances": { $0.note(scopeInstances: [CaseState.ScopeInstance(scope: "s", number: 3)]) },
    "historyValues": {
      $0.remember(
        ["a.b"], for: CaseState.Remembered(machine: "m", keys: [1], state: "a", isDeep: true))
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
    "queue": {
      $0.queue.add(
        .action(QueuedAction(name: "a", payload: ["n": 1], cause: Cause(revision: 1))),
        owner: .instance(2), from: ActiveState(machine: "m", state: "a"))
    },
    "effects": { $0.effects[4] = record(4) },
    "upcomingEffects": { $0.upcomingEffects.append(record(0)) },
    "draws": { $0.give(draws: [3, "heads"]) },
    "drawsTaken": {
      if $0.givenDraws.isEmpty { $0.give(draws: [3, "heads"]) }
      $0.takeGivenDraw()
    },
    "lastScopeInstance": { $0.lastScopeInstance += 1 },
    "lastEffect": { _ = $0.nextEffectNumber() },
    "lastCall": { _ = $0.nextCallNumber() },
    "changes": {
      let number = $0.set(
        QueuedAction(name: "a", payload: [:], cause: Cause(revision: 1)), due: 9, owner: .nobody)
      _ = $0.cancel(number)
    },
    "toldRandom": { _ = $0.random.next() },
    "toldEffectRandom": { _ = $0.effectRandom.next() },
    "lastingSize": nil, "keepsLog": nil, "log": nil, "condensed": nil,
  ]

  private static func record(_ number: Int) -> EffectRecord {
    let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
    return EffectRecord(
      number: number, title: "effect.a", ordinal: 1, state: nil, cause: Cause(revision: 1),
      instance: 1,
      commit: Commit(
        revision: 1, action: "a", cause: nil, microseconds: 5, hostBegan: 0, writes: nothing,
        payload: nothing, secrets: nil),
      log: [1, 2])
  }

  private func bytes(_ caseState: CaseState) -> [UInt8] {
    var writer = ValueWriter()
    writer.write(caseState)
    return writer.bytes
  }

  private static func text(_ path: String) -> String {
    let sources = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../Sources")
    return (try? String(contentsOf: sources.appending(path: path), encoding: .utf8)) ?? ""
  }

  /// The rows of the table that documents the properties.
  private static let rows = text("Kernel/FlowKernel/State/CaseState.swift").split(separator: "\n")
    .filter { $0.hasPrefix("/// | ") }.map { String($0.dropFirst(4)) }

  /// Their cells, by property and by the titles of the columns.
  private static let documented: [String: [String: String]] = {
    let rows = CaseStateTests.rows.map { row in
      row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        .filter { !$0.isEmpty }
    }
    guard let titles = rows.first else { return [:] }
    var documented: [String: [String: String]] = [:]
    for row in rows.dropFirst(2) {
      let cells = Dictionary(uniqueKeysWithValues: zip(titles, row))
      for name in row[0].split(separator: ",") {
        documented[name.trimmingCharacters(in: CharacterSet(charactersIn: " `"))] = cells
      }
    }
    return documented
  }()

  @Test("the table of properties has a row for each, and no other")
  func rows() {
    let labels = Set(Mirror(reflecting: fresh()).children.compactMap(\.label))
    #expect(labels == Set(Self.changes.keys))
    #expect(Set(Self.documented.keys) == Set(Self.changes.filter { $0.value != nil }.keys))
  }

  @Test("the documentation has the same table of properties")
  func page() {
    let table = Self.rows.joined(separator: "\n")
    #expect(Self.text("Programs/Moonlatch/Moonlatch.docc/HowItWorks.md").contains(table))
  }

  @Test("each property is encoded, and decoded as it was")
  func encoded() throws {
    let beginning = bytes(fresh())
    for (label, change) in Self.changes {
      guard let change else { continue }
      var changed = fresh()
      change(&changed)
      #expect(bytes(changed) != beginning, "\(label)")
      let read: CaseState = try bytes(changed).withUnsafeBytes {
        var reader = ValueReader($0)
        return try reader.read()
      }
      #expect(bytes(read) == bytes(changed), "\(label)")
    }
  }

  @Test("a rollback restores or keeps each property as the table says")
  func rolledBack() {
    for (label, change) in Self.changes {
      guard let change else { continue }
      var changed = fresh()
      changed.give(draws: [7, "tails"])
      let before = changed
      let savepoint = changed.savepoint
      change(&changed)
      let after = changed
      changed.rollback(to: savepoint)
      // Numbers that were given once are not given again; and draws are given by nobody within a step.
      if label == "draws" { continue }
      switch Self.documented[label]?["failed step"] {
      case "back":
        #expect(bytes(changed.withoutNumbers) == bytes(before.withoutNumbers), "\(label)")
      case "same": #expect(bytes(changed) == bytes(after), "\(label)")
      default: Issue.record("\(label): the table does not say what a failed step does")
      }
    }
  }

  @Test("the history undoes and redoes each property except the clock and the revision")
  func history() {
    for (label, change) in Self.changes {
      guard let change, !["clock", "revision", "revisionTime"].contains(label),
        Self.documented[label]?["undo, go to"] == "back"
      else { continue }
      var changed = fresh()
      change(&changed)
      let taken = changed.takeChanges()
      let after = bytes(changed)
      changed.undo(taken)
      #expect(bytes(changed.withoutNumbers) == bytes(fresh().withoutNumbers), "\(label)")
      changed.redo(taken)
      #expect(bytes(changed) == after, "\(label)")
    }
  }

  @Test("explorations compare exactly the properties that the table says")
  func explored() throws {
    let flow = try LoadedFlow(
      source: """
        state {}
        action.a {}
        gatekeeper.k { a = "attempt" }
        function reduce.a(s) end
        function effect.a() sleep(1) end
        """
    ).flow
    func canonical(_ caseState: CaseState) -> CanonicalState {
      caseState.canonical(
        of: flow, effects: Array(caseState.effects.values), isTimeBounded: false)
    }
    for (label, change) in Self.changes {
      guard let change else { continue }
      var changed = fresh()
      change(&changed)
      let isCompared = Self.documented[label]?["exploring"] == "compared"
      #expect((canonical(changed) != canonical(fresh())) == isCompared, "\(label)")
    }
  }
}

extension CaseState {
  /// The same with no number of passages and timers given yet, where nothing has one.
  fileprivate var withoutNumbers: CaseState {
    guard passages.options.isEmpty, timers.isEmpty else { return self }
    var same = self
    same.set(passages: HeldPassages(), Timers(), scopeInstances, historyValues, refusedTimers)
    return same
  }
}
