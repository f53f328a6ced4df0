import Foundation
import Testing

@testable import FlowHosting
@testable import FlowKernel

/// New versions of a flow that take over cases.
@Suite struct MigrationTests {
  private let first = """
    state { euros = 1.5, list = list {}, note = none, was = "x" }
    action.pay {} action.old {}
    machine.order { initial = "open", open = { pay = "paid", after = { old = 50 }, old = true }, paid = {} }
    function reduce.old(s) table.insert(s.list, "old") end
    effect.pay = function() after(30, "old") end
    """

  private func second(_ migrate: String) -> String {
    """
    version(2)
    state { cents = 0, list = list {}, note = none, was = "x" }
    action.pay {} action.new {}
    machine.order { initial = "open", open = { pay = "done", new = true }, done = { new = true } }
    function reduce.new(s) table.insert(s.list, "new") end
    \(migrate)
    """
  }

  private let steps = """
    function migrate.to_2(s)
      s.cents, s.euros = math.floor(s.euros * 100 + 0.5), nil
      if s.order == "paid" then s.order = "done" end
      table.insert(s.list, "migrated")
      s.was = nil
      s.was = "y"
    end
    migrate.actions_2 { old = "new" }
    """

  private func host(_ flow: String, _ journal: MemoryJournal) throws -> FlowHost {
    try FlowHost(
      LoadedFlow(source: flow, name: "order.lua"), journal: journal,
      options: HostOptions(clock: .virtual, report: { _ in }))
  }

  @Test("a case of an earlier version is migrated once: state, machines and pending work")
  func migrated() throws {
    let journal = MemoryJournal()
    let old = try host(first, journal)
    try old.dispatch("pay")
    let rest = journal.restarted()
    let new = try host(second(steps), rest)
    let state = try new.state()
    #expect(state["cents"] == 150)
    #expect(state["list"] == ["migrated"])
    #expect(state["was"] == "y")
    #expect(try new.machine("order") == "done")
    try new.advance(30)
    #expect(try new.state()["list"] == ["migrated", "new"])
    let later = try host(second(steps), rest.restarted())
    #expect(try later.state() == new.state())
  }

  private let waiting = """
    state { fired = list {} }
    action.go {} action.leave {} internal.late {} internal.tick {}
    machine.m {
      initial = "idle", idle = { go = "waiting" },
      waiting = { late = true, tick = true, leave = "idle", after = { late = 50 }, every = { tick = 20 } },
    }
    function reduce.late(s) table.insert(s.fired, now()) end
    function reduce.tick(s) table.insert(s.fired, now()) end
    """

  private func renamed(_ migrate: String) -> String {
    "version(2)\n"
      + waiting.replacingOccurrences(of: "waiting", with: "pending") + "\n"
      + "function migrate.to_2(s) \(migrate) end"
  }

  @Test("timers of a renamed state keep their start time, and stop when the state is left")
  func renamedState() throws {
    let journal = MemoryJournal()
    let old = try host(waiting, journal)
    try old.advance(7)
    try old.dispatch("go")
    try old.advance(23)
    let flow = renamed("if s.m == \"waiting\" then s.m = \"pending\" end")
    let new = try host(flow, journal.restarted())
    #expect(try new.machine("m") == "pending")
    try new.advance(28)
    #expect(try new.state()["fired"] == [27.0, 47.0, 57.0])
    try new.dispatch("leave")
    try new.advance(100)
    #expect(try new.state()["fired"] == [27.0, 47.0, 57.0])
  }

  @Test("timers of a state that a migration leaves stop, and those of its target start")
  func leftState() throws {
    let journal = MemoryJournal()
    let old = try host(waiting, journal)
    try old.dispatch("go")
    try old.advance(10)
    let left = try host(renamed("s.m = \"idle\""), journal.restarted())
    try left.advance(100)
    #expect(try left.state()["fired"] == [])
  }

  @Test("an earlier version refuses the case of a later one")
  func older() throws {
    let journal = MemoryJournal()
    try host(first, journal).dispatch("pay")
    let rest = journal.restarted()
    try host(second(steps), rest).dispatch("new")
    let error = #expect(throws: JournalError.self) { try host(first, rest.restarted()) }
    #expect(error?.kind == .otherVersion)
    #expect(
      error?.description
        == "case main was written by version 2 of order.lua, and this is version 1: serve it with the later version"
    )
  }

  @Test(
    "a migration whose result does not fit leaves the case unchanged",
    arguments: [
      ("function migrate.to_2(s) s.euros = nil end", "paid, a state that was removed"),
      ("function migrate.to_2(s) s.order = \"done\" end", "euros"),
      ("function migrate.to_2(s) error(\"no\", 0) end", "no"),
      ("function migrate.to_2(s) return 3 end", "migrate must return a table"),
    ])
  func unfit(step: String, complaint: String) throws {
    let journal = MemoryJournal()
    try host(first, journal).dispatch("pay")
    let rest = journal.restarted()
    do {
      _ = try host(second(step), rest)
      Issue.record("it fitted")
    } catch {
      #expect("\(error)".contains(complaint), "\(error)")
    }
    #expect(try host(first, rest.restarted()).state()["euros"] == 1.5)
  }

  @Test("a reload of a running host migrates too")
  func reload() throws {
    let host = try FlowHost(
      LoadedFlow(source: first, name: "order.lua"),
      options: HostOptions(clock: .virtual, report: { _ in }))
    try host.dispatch("pay")
    try host.reload(to: LoadedFlow(source: second(steps), name: "order.lua"))
    #expect(try host.state()["cents"] == 150)
  }

  @Test("a field without a value stays empty when a reload gives it an optional type")
  func none() throws {
    let flow =
      "state { note = none, text = \"a\" } action.clear {} function reduce.clear(s) s.note = none end"
    let host = try FlowHost(
      LoadedFlow(source: flow), options: HostOptions(clock: .virtual, report: { _ in }))
    try host.reload(
      to: LoadedFlow(
        source: flow.replacingOccurrences(of: "note = none", with: "note = optional(string)")))
    #expect(try host.state()["note"] == nil)
  }

  @Test(
    "errors of version and migrate say what they take",
    arguments: [
      ("version(0)", "version takes a whole number, at least 1"),
      ("version(2) version(3)", "version is declared twice"),
      ("version(2) function migrate.to_x(s) end", "migrate.to_2 must be a function"),
      ("function migrate.to_3(s) end", "leads to version 3, and this is version 1"),
      ("version(2) migrate.actions_2 { a = \"missing\" }", "missing"),
      ("version(2) migrate(3)", "migrate.to_2 must be a function"),
    ])
  func faults(text: String, complaint: String) {
    do {
      _ = try LoadedFlow(source: "state {} action.go {}\n\(text)")
      Issue.record("no fault")
    } catch {
      #expect("\(error)".contains(complaint), "\(error)")
    }
  }
}
