import Foundation
import LuaRuntime
import Platform
import Testing

@testable import FlowHosting
@testable import FlowKernel

/// Hosts whose case is stored in a journal and resumed by later hosts.
@Suite struct JournaledHostTests {
  private let flow = """
    state { coins = 0, seen = list {}, note = none }
    action.coin { amount = integer { min = 1 } }
    action.expire {}
    action.note { text = string }
    machine.gate {
      initial = "locked",
      locked = { coin = "open" },
      open   = { coin = true, expire = "locked", after = { expire = 60 } },
    }
    function reduce.coin(s, a) s.coins = s.coins + a.amount end
    function reduce.expire(s) table.insert(s.seen, now()) end
    function reduce.note(s, a) s.note = a.text end
    function view.coins(s) return s.coins end
    """

  private func host(
    _ journal: MemoryJournal, _ flow: String? = nil, case id: String = "main",
    reports: Reports = Reports(), clock: HostClock = .virtual,
    scopes: (inout HostScopes) -> Void = { _ in }
  ) throws -> FlowHost {
    try FlowHost(
      LoadedFlow(source: flow ?? self.flow, name: "gate.lua"), journal: journal, case: id,
      options: HostOptions(clock: clock, report: { reports.add("\($0)") }), scopes: scopes)
  }

  private final class Reports: Sendable {
    private let lines = Mutex<[String]>([])
    var all: [String] { lines.withLock { $0 } }
    func add(_ line: String) { lines.withLock { $0.append(line) } }
  }

  @Test("a case resumes in another process where it was, with its timers on time")
  func again() throws {
    let journal = MemoryJournal()
    let first = try host(journal)
    try first.dispatch("coin", ["amount": 2])
    try first.advance(10)
    let second = try host(journal.restarted())
    #expect(try second.view("coins") == 2)
    #expect(try second.machine("gate") == "open")
    #expect(try second.revision == 1)
    // The clock is virtual: it stands still while nobody runs.
    try second.advance(50)
    #expect(try second.machine("gate") == "locked")
    #expect(try second.state()["seen"] == [60.0])
  }

  @Test("timers that came due while nothing ran fire at the restart, with their own times")
  func overdue() throws {
    let journal = MemoryJournal()
    let born = Date(timeIntervalSinceNow: -3_600)
    let flow = try LoadedFlow(source: self.flow, name: "gate.lua")
    let first = try FlowHost(
      flow, journal: journal, options: HostOptions(clock: .virtual, began: born))
    try first.dispatch("coin", ["amount": 2])
    let second = try FlowHost(
      flow, journal: journal.restarted(), options: HostOptions(clock: .real))
    #expect(try second.machine("gate") == "locked")
    #expect(try second.state()["seen"] == [60.0])
    #expect(try second.elapsed >= .seconds(3_600))
  }

  @Test(
    "after a reload that does not fit, the case continues with its text",
    arguments: [FlowHost.Reload.keep, .replay])
  func unfitReload(mode: FlowHost.Reload) throws {
    func text(_ state: String) throws -> LoadedFlow {
      try LoadedFlow(
        source: """
          state { n = 0 } action.go {} action.count {}
          machine.m { initial = "one", one = { go = "\(state)" }, \(state) = {} }
          function reduce.count(s) s.n = s.n + 1 end
          """, name: "m.lua")
    }
    let journal = MemoryJournal()
    let first = try FlowHost(
      text("two"), journal: journal, options: HostOptions(clock: .virtual))
    try first.dispatch("go")
    #expect(throws: (any Error).self) { try first.reload(to: text("three"), mode) }
    try first.dispatch("count")
    let second = try FlowHost(
      text("two"), journal: journal.restarted(), options: HostOptions(clock: .virtual))
    #expect(try second.machine("m") == "two")
    #expect(try second.state()["n"] == 1)
  }

  @Test("on a real clock all timers that are due at one time are one turn")
  func dueTurns() throws {
    let journal = MemoryJournal()
    let source = """
      state { seen = list {} }
      action.go {} internal.ring {} internal.echo {}
      function reduce.ring(s) table.insert(s.seen, now()) end
      function effect.go() after(10, "ring") after(20, "ring") after(20, "ring") after(30, "ring") end
      function effect.ring() dispatch.echo() end
      """
    let born = Date(timeIntervalSinceNow: -3_600)
    let first = try FlowHost(
      LoadedFlow(source: source), journal: journal,
      options: HostOptions(clock: .virtual, began: born))
    try first.dispatch("go")
    let later = journal.restarted()
    let second = try FlowHost(
      LoadedFlow(source: source), journal: later, options: HostOptions(clock: .real))
    #expect(try second.state()["seen"] == [10.0, 20.0, 20.0, 30.0])
    let turns = try later.entries(of: "main", from: 3, limit: 9).map { try $0.contents() }
    #expect(
      turns.map { $0.commits.map(\.action) } == [
        ["ring", "echo"], ["ring", "echo", "ring", "echo"], ["ring", "echo"],
      ])
    #expect(turns.map(\.time) == [10_000_000, 20_000_000, 30_000_000])
  }

  @Test("on a virtual clock all timers that are due in one advance are one turn")
  func virtualTurn() throws {
    let journal = MemoryJournal()
    let host = try host(
      journal,
      "state {} action.go {} internal.ring {} function effect.go() after(1, \"ring\") after(2, \"ring\") end"
    )
    try host.dispatch("go")
    try host.advance(5)
    let last = try #require(try journal.entries(of: "main", from: 3, limit: 9).last)
    #expect(last.seq == 3)
    #expect(try last.contents().commits.count == 2)
  }

  @Test("a timer whose turn could not be stored is retried")
  func timerTriedAgain() async throws {
    let (journal, clock) = (MemoryJournal(), TestClock())
    let host = try host(journal, clock: .driven(by: clock))
    try await host.dispatch("coin", ["amount": 1])
    await clock.sleepers { $0 > 0 }
    journal.fail(append: journal.appends + 1, .before(JournalError(.full, "no space is left")))
    clock.advance(by: .seconds(60))
    while journal.appends < 3 { try await Task.sleep(for: .milliseconds(2)) }
    #expect(try journal.summary(of: "main")?.seq == 2)
    // It goes by the wall clock from where the case was taken up again.
    for _ in 0..<2_000 where try journal.summary(of: "main")?.seq == 2 {
      clock.advance(by: .seconds(1))
      try await Task.sleep(for: .milliseconds(2))
    }
    #expect(try journal.summary(of: "main")?.seq == 3)
    #expect(try await host.state()["seen"] == [60.0])
  }

  @Test("a dispatch is answered once it is stored, and observers are notified then")
  func waits() throws {
    let journal = MemoryJournal()
    let host = try host(journal)
    let told = Reports()
    let subscription = try host.subscribe("coins") { told.add("\((try? $0.get()) ?? .nil)") }
    defer { subscription.cancel() }
    journal.hold()
    let thread = Thread { _ = try? host.dispatch("coin", ["amount": 5]) }
    thread.start()
    while journal.held == 0 { Thread.sleep(forTimeInterval: 0.001) }
    #expect(told.all == ["0"])
    journal.release()
    // Whoever asks now waits for what it sees.
    #expect(try host.view("coins") == 5)
    while told.all.count < 2 { Thread.sleep(forTimeInterval: 0.001) }
    #expect(told.all == ["0", "5"])
  }

  @Test("if the journal fails, the dispatch throws and the case has the stored state")
  func fails() throws {
    let journal = MemoryJournal()
    let host = try host(journal)
    try host.dispatch("coin", ["amount": 1])
    journal.fail(
      append: journal.appends + 1, .before(JournalError(.full, "gate.journal: no space is left")))
    let error = #expect(throws: JournalError.self) { try host.dispatch("coin", ["amount": 10]) }
    #expect(error?.kind == .full)
    #expect(try host.view("coins") == 1)
    #expect(try host.dispatch("coin", ["amount": 2]).isPassed)
    #expect(try host.view("coins") == 3)
  }

  @Test("if only the journal's answer was lost, a retry with the key returns the commit")
  func answerLost() throws {
    let journal = MemoryJournal()
    let host = try host(journal)
    journal.fail(
      append: journal.appends + 1, .after(JournalError(.failed, "gate.journal: the disk is gone")))
    #expect(throws: JournalError.self) {
      try host.dispatch("coin", ["amount": 10], key: "req-1")
    }
    #expect(try host.dispatch("coin", ["amount": 10], key: "req-1").commit?.revision == 1)
    #expect(try host.view("coins") == 10)
  }

  @Test("a dispatch with a key is executed once, by whichever process")
  func keys() throws {
    let journal = MemoryJournal()
    let first = try host(journal)
    #expect(try first.dispatch("coin", ["amount": 2], key: "a").commit?.revision == 1)
    #expect(try first.dispatch("coin", ["amount": 2], key: "a").commit?.revision == 1)
    let second = try host(journal.restarted())
    #expect(try second.dispatch("coin", ["amount": 2], key: "a").commit?.revision == 1)
    #expect(try second.view("coins") == 2)
    let error = #expect(throws: JournalError.self) {
      try second.dispatch("coin", ["amount": 3], key: "a")
    }
    #expect(error?.kind == .keyReused)
  }

  @Test("a key cannot be reused for another payload, even with the same FNV-1a hash")
  func collidingKeys() throws {
    let texts = [#"Pg.t/r7,&#9$"#, #"Q%,P;X#.86~5"#]
    let hashes = texts.map { text in
      var writer = ValueWriter()
      writer.writeText("note")
      writer.write(["text": .string(text)])
      return writer.bytes.reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
        ($0 ^ UInt64($1)) &* 0x100_0000_01b3
      }
    }
    #expect(texts[0] != texts[1] && hashes[0] == hashes[1])
    let host = try host(MemoryJournal())
    #expect(try host.dispatch("note", ["text": .string(texts[0])], key: "a").isPassed)
    let error = #expect(throws: JournalError.self) {
      try host.dispatch("note", ["text": .string(texts[1])], key: "a")
    }
    #expect(error?.kind == .keyReused)
  }

  @Test("a refused or failed dispatch can be repeated under the same key")
  func refusedKeys() throws {
    let host = try host(MemoryJournal())
    #expect(try host.dispatch("expire", key: "a").refusal != nil)
    #expect(try host.dispatch("coin", ["amount": 0], key: "a").failure != nil)
    #expect(try host.dispatch("coin", ["amount": 1], key: "a").isPassed)
  }

  @Test("two hosts never both write a case, and the one that lost it is told so")
  func fenced() throws {
    let journal = MemoryJournal()
    let first = try host(journal)
    let second = try host(journal)
    #expect(try second.dispatch("coin", ["amount": 1]).isPassed)
    let error = #expect(throws: JournalError.self) { try first.dispatch("coin", ["amount": 7]) }
    #expect(error?.kind == .fenced)
  }

  private let ordering = """
    state { paid = none, problem = none, step = 0 }
    action.pay {} action.paid { receipt = string } action.failed { error = string } action.step {}
    effect.pay = { on_error = "failed", run = function(self, a)
      dispatch.step()
      dispatch.paid { receipt = self:charge(5) }
    end }
    function reduce.paid(s, a) s.paid = a.receipt end
    function reduce.failed(s, a) s.problem = a.error end
    function reduce.step(s) s.step = s.step + 1 end
    """

  @Test("a capability is called once everything that led to the call is stored")
  func barrier() throws {
    let journal = MemoryJournal()
    let seen = Reports()
    let made = try self.host(journal, ordering) { scopes in
      scopes.root.provide("charge") { (cents: Int) in
        // The entries that another process would find now.
        let entries = (try? journal.restarted().entries(of: "main", from: 1, limit: 100)) ?? []
        seen.add("\(entries.map(\.revision))")
        return "r\(cents)"
      }
    }
    try made.dispatch("pay")
    #expect(seen.all == ["[0, 1]"])
    #expect(try made.state()["paid"] == "r5")
    #expect(try made.state()["step"] == 1)
  }

  @Test(
    "a process that ends inside a capability keeps its queue, and the effect ends as on_error says"
  )
  func endsInside() throws {
    let journal = MemoryJournal()
    let left = Mutex<MemoryJournal?>(nil)
    let made = try host(journal, ordering) { scopes in
      scopes.root.provide("charge") { (cents: Int) in
        left.withLock { $0 = journal.restarted() }
        return "r\(cents)"
      }
    }
    try made.dispatch("pay")
    let rest = try #require(left.withLock { $0 })
    let second = try host(rest, ordering) { $0.root.provide("charge") { (_: Int) in "again" } }
    #expect(try second.state()["step"] == 1)
    #expect(try second.state()["paid"] == nil)
    #expect(try second.state()["problem"] == "effect.pay was cut off by a restart")
    // It is told once.
    let third = try host(rest.restarted(), ordering)
    #expect(try third.revision == second.revision)
  }

  @Test("a sleeping plain effect is ended by a restart, which is reported if it has no on_error")
  func sleeping() throws {
    let journal = MemoryJournal()
    let flow = """
      state { done = false } action.go {} action.done {}
      function effect.go() sleep(10) dispatch.done() end
      function reduce.done(s) s.done = true end
      """
    let first = try host(journal, flow)
    try first.dispatch("go")
    let reports = Reports()
    let second = try host(journal.restarted(), flow, reports: reports)
    try second.advance(20)
    #expect(try second.state()["done"] == false)
    #expect(reports.all.count == 1)
    #expect(reports.all.first?.contains("was cut off by a restart") == true)
  }

  @Test("undo, redo and a reload are stored like any other input")
  func images() throws {
    let journal = MemoryJournal()
    let first = try host(journal)
    try first.dispatch("coin", ["amount": 2])
    try first.dispatch("note", ["text": "x"])
    try first.undo()
    let second = try host(journal.restarted())
    #expect(try second.revision == 1)
    #expect(try second.state()["note"] == nil)
    try second.reload(to: LoadedFlow(source: flow + "\n-- another text\n", name: "gate.lua"))
    try second.dispatch("coin", ["amount": 2])
    #expect(try host(journal.restarted()).view("coins") == 2)
  }

  @Test("another text takes over a case like a reload")
  func anotherText() throws {
    let journal = MemoryJournal()
    try host(journal).dispatch("coin", ["amount": 2])
    let text = flow.replacingOccurrences(of: "note = none", with: "note = none, tips = 3")
    let second = try host(journal.restarted(), text)
    #expect(try second.state()["tips"] == 3)
    #expect(try second.view("coins") == 2)
    try second.dispatch("coin", ["amount": 1])
    #expect(try host(journal.restarted(), text).view("coins") == 2)
    let gone = flow.replacingOccurrences(of: "open ", with: "wide ")
      .replacingOccurrences(of: "\"open\"", with: "\"wide\"")
    #expect(throws: HistoryError.self) { try host(journal.restarted(), gone) }
    // Its journal is as it was.
    #expect(try host(journal.restarted()).view("coins") == 2)
  }

  @Test("a long history is restored from a snapshot")
  func snapshots() throws {
    let journal = MemoryJournal()
    let first = try host(journal)
    for _ in 0..<400 {
      try first.dispatch("note", ["text": .string(String(repeating: "x", count: 200))])
    }
    let stored = try #require(try journal.restarted().activate("main"))
    #expect(stored.snapshot != nil)
    #expect(stored.entries.count < 200)
    #expect(try host(journal.restarted()).revision == 400)
  }

  @Test("an entry of the counter takes at most 120 bytes")
  func size() throws {
    let journal = MemoryJournal()
    let host = try host(journal)
    try host.dispatch("coin", ["amount": 1])
    try host.advance(3)
    for _ in 0..<9 { try host.dispatch("coin", ["amount": 1]) }
    let entries = try journal.entries(of: "main", from: 3, limit: 100)
    #expect(entries.map(\.body.count).max() ?? 999 <= 120)
  }

  @Test("a dispatch with a key fails without a journal")
  func noJournal() throws {
    let host = try FlowHost(source: flow, options: HostOptions(clock: .virtual))
    #expect(throws: JournalError.self) { try host.dispatch("coin", ["amount": 1], key: "a") }
  }

  @Test("dispatchAndWait stores its action in the journal")
  func asynchronous() async throws {
    let journal = MemoryJournal()
    let host = try host(journal)
    let outcome = try await host.dispatchAndWait("coin", ["amount": 4])
    #expect(outcome.isPassed)
    #expect(try await self.host(journal.restarted()).view("coins") == 4)
  }
}
