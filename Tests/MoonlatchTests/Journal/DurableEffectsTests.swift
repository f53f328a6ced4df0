import Foundation
import Platform
import Testing

@testable import FlowHosting
@testable import FlowKernel

/// Durable effects, which resume after a restart with their recorded results.
@Suite struct DurableEffectsTests {
  private final class Calls: Sendable {
    private let state = Mutex<(all: [String], kept: [MemoryJournal])>(([], []))
    var all: [String] { state.withLock(\.all) }
    var kept: [MemoryJournal] { state.withLock(\.kept) }
    func add(_ call: String, _ journal: MemoryJournal? = nil) {
      state.withLock {
        $0.all.append(call)
        if let journal { $0.kept.append(journal) }
      }
    }
  }

  private let order = """
    state { cents = 0, receipt = none, problem = none, steps = list {}, seen = none }
    action.pay { cents = integer { min = 1 } }
    action.step { text = string }
    action.paid { receipt = string }
    action.payment_failed { error = string }
    effect.pay = {
      durable = true, on_error = "payment_failed",
      run = function(self, a)
        print("paying")
        local first = random(1000000)
        local at = now()
        local receipt = self:charge(a.cents)
        dispatch.step { text = "charged " .. receipt }
        sleep(10)
        self:mail("receipt " .. receipt)
        dispatch.step { text = "mailed " .. first .. " " .. at .. " " .. view.count() }
        dispatch.paid { receipt = receipt }
      end,
    }
    function view.count(s) return #s.steps end
    function reduce.pay(s, a) s.cents = a.cents end
    function reduce.step(s, a) table.insert(s.steps, a.text) end
    function reduce.paid(s, a) s.receipt = a.receipt end
    function reduce.payment_failed(s, a) s.problem = a.error end
    """

  private func host(
    _ journal: MemoryJournal, _ flow: String, _ calls: Calls, prints: Calls = Calls(),
    reports: Calls = Calls()
  ) throws -> FlowHost {
    try FlowHost(
      LoadedFlow(source: flow, name: "order.lua"), journal: journal, case: "o-17",
      options: HostOptions(
        clock: .virtual, print: { prints.add($0) }, report: { reports.add("\($0)") })
    ) { scopes in
      scopes.root.provide("charge") { (call: CallID, cents: Int) in
        calls.add("charge \(cents) \(call)", journal.restarted())
        return "r\(cents)"
      }
      scopes.root.provide("mail") { (call: CallID, text: String) in
        calls.add("mail \(text) \(call)", journal.restarted())
      }
      scopes.root.provide("flaky") { (call: CallID) throws -> String in
        calls.add("flaky \(call)", journal.restarted())
        if calls.all.count < 3 { throw Refused() }
        return "fine"
      }
    }
  }

  private struct Refused: Error, CustomStringConvertible {
    var description: String { "not now" }
  }

  @Test("an answered call is never made again after a restart, nor a dispatch repeated")
  func goesOn() throws {
    let (journal, calls, prints) = (MemoryJournal(), Calls(), Calls())
    let first = try host(journal, order, calls, prints: prints)
    let id = try journal.identify(as: "order", adopting: false).id
    try first.dispatch("pay", ["cents": 250])
    #expect(calls.all == ["charge 250 \(id)/o-17/e1/1"])
    try first.advance(4)
    let second = try host(journal.restarted(), order, calls, prints: prints)
    #expect(try second.state()["steps"] == ["charged r250"])
    try second.advance(6)
    #expect(calls.all == ["charge 250 \(id)/o-17/e1/1", "mail receipt r250 \(id)/o-17/e1/2"])
    #expect(try second.state()["receipt"] == "r250")
    let live = try host(MemoryJournal(), order, Calls())
    try live.dispatch("pay", ["cents": 250])
    try live.advance(10)
    #expect(try live.state() == second.state())
    #expect(prints.all == ["paying"])
  }

  @Test("a call that was pending is made again with the same id")
  func again() throws {
    let (journal, calls) = (MemoryJournal(), Calls())
    let first = try host(journal, order, calls)
    try first.dispatch("pay", ["cents": 5])
    // The process ended inside the call: this is what it left.
    let left = try #require(calls.kept.first)
    let others = Calls()
    let second = try host(left, order, others)
    let id = try journal.identify(as: "order", adopting: false).id
    #expect(others.all == ["charge 5 \(id)/o-17/e1/1"])
    try second.advance(10)
    #expect(try second.state()["receipt"] == "r5")
    #expect(try second.state()["steps"]?.listValue?.count == 2)
  }

  @Test(
    "an error of a plain capability is replayed too, and retry uses the same id for each attempt")
  func retry() throws {
    let flow = """
      state { answer = none, problem = none }
      action.go {} action.done { answer = string } action.failed { error = string }
      effect.go = { durable = true, on_error = "failed", run = function(self)
        local answer = retry({ times = 5, wait = 2, factor = 2 }, function() return self:flaky() end)
        self:mail(answer)
        dispatch.done { answer = answer }
      end }
      function reduce.done(s, a) s.answer = a.answer end
      function reduce.failed(s, a) s.problem = a.error end
      """
    let (journal, calls) = (MemoryJournal(), Calls())
    let first = try host(journal, flow, calls)
    try first.dispatch("go")
    try first.advance(1)
    let second = try host(journal.restarted(), flow, calls)
    try second.advance(1)
    let third = try host(
      try #require(calls.kept.last).restarted(), flow, calls)
    try third.advance(10)
    #expect(try third.state()["answer"] == "fine")
    let id = try journal.identify(as: "order", adopting: false).id
    #expect(Set(calls.all.prefix(3)) == ["flaky \(id)/o-17/e1/retry1.1"])
    #expect(calls.all.last == "mail fine \(id)/o-17/e1/1")
  }

  @Test("retry gives up after its attempts, or if only says no, with the last error")
  func givesUp() throws {
    let flow = """
      state { problem = none, tries = 0 }
      action.go { only = boolean } action.failed { error = string } action.tried {}
      effect.go = { on_error = "failed", run = function(self, a)
        retry({ times = 3, wait = 1, factor = 1, only = a.only and function(m) return m:find("again") end or nil },
          function() dispatch.tried() error("no luck", 0) end)
      end }
      function reduce.tried(s) s.tries = s.tries + 1 end
      function reduce.failed(s, a) s.problem = a.error end
      """
    let host = try FlowHost(source: flow, options: HostOptions(clock: .virtual, report: { _ in }))
    try host.dispatch("go", ["only": false])
    try host.advance(10)
    #expect(try host.state()["tries"] == 3)
    #expect(try host.state()["problem"] == "no luck")
    try host.dispatch("go", ["only": true])
    try host.advance(10)
    #expect(try host.state()["tries"] == 4)
  }

  @Test(
    "the arguments of retry are checked",
    arguments: [
      ("retry({ times = 0 }, print)", "times from 1 to 1000"),
      ("retry({ wait = -1 }, print)", "a wait of 0 seconds or more"),
      ("retry({ factor = 0 }, print)", "a factor from 1 to 1000"),
      ("retry(print)", "a table and a function"),
      ("retry({ only = 3 }, print)", "only as a function"),
    ])
  func retryTakes(call: String, complaint: String) throws {
    let reports = Calls()
    let host = try FlowHost(
      source: "state {} action.go {} function effect.go() \(call) end",
      options: HostOptions(clock: .virtual, report: { reports.add("\($0)") }))
    try host.dispatch("go")
    #expect(reports.all.first?.contains("retry takes \(complaint)") == true)
  }

  @Test("concurrent functions are replayed in the order in which they resumed")
  func sideBySide() throws {
    let flow = """
      state { log = list {} }
      action.go {} action.note { text = string }
      effect.go = { durable = true, run = function(self)
        local first = race {
          slow = function() sleep(20) return "slow" end,
          fast = function() sleep(5) dispatch.note { text = "woke" } return "fast" end,
        }
        dispatch.note { text = first .. " " .. random(1000) }
        local both = all {
          a = function() sleep(3) return self:charge(1) end,
          b = function() sleep(2) return self:charge(2) end,
        }
        sleep(10)
        dispatch.note { text = both.a .. both.b .. random(1000) }
      end }
      function reduce.note(s, a) table.insert(s.log, a.text .. "@" .. now()) end
      """
    let live = try host(MemoryJournal(), flow, Calls())
    try live.dispatch("go")
    try live.advance(40)
    let expected = try live.state()
    let (calls, journal) = (Calls(), MemoryJournal())
    var restarted = try host(journal, flow, calls)
    var at = journal
    try restarted.dispatch("go")
    for _ in 0..<40 {
      at = at.restarted()
      restarted = try host(at, flow, calls)
      try restarted.advance(1)
    }
    #expect(try restarted.state() == expected)
    #expect(calls.all.count == 2)
  }

  @Test("a different call in a new text ends the effect, and on_error runs")
  func changed() throws {
    let (journal, calls) = (MemoryJournal(), Calls())
    let first = try host(journal, order, calls)
    try first.dispatch("pay", ["cents": 250])
    let text = order.replacingOccurrences(
      of: "self:charge(a.cents)", with: "self:mail(\"x\") or \"\"")
    let second = try host(journal.restarted(), text, calls)
    #expect(
      try second.state()["problem"]
        == "effect.pay was changed while it was running: it asks for root.mail(\"x\") where root.charge(250) is recorded"
    )
    #expect(calls.all.count == 1)
  }

  @Test("a missing capability after a restart fails new calls only")
  func lendsLess() throws {
    let journal = MemoryJournal()
    let flow = """
      state { answer = none, problem = none }
      action.go {} action.done { answer = string } action.failed { error = string }
      effect.go = { durable = true, on_error = "failed", run = function(self)
        local answer = self:charge(1)
        sleep(5)
        dispatch.done { answer = answer }
      end }
      function reduce.done(s, a) s.answer = a.answer end
      function reduce.failed(s, a) s.problem = a.error end
      """
    try host(journal, flow, Calls()).dispatch("go")
    let second = try FlowHost(
      LoadedFlow(source: flow, name: "order.lua"), journal: journal.restarted(), case: "o-17",
      options: HostOptions(clock: .virtual, report: { _ in }))
    try second.advance(5)
    #expect(try second.state()["answer"] == "r1")
    #expect(try second.state()["problem"] == nil)
  }

  @Test("a durable effect without a journal runs like a plain one")
  func plain() throws {
    let prints = Calls()
    let host = try FlowHost(
      source: order, options: HostOptions(clock: .virtual, print: { prints.add($0) })
    ) { scopes in
      scopes.root.provide("charge") { (cents: Int) in "r\(cents)" }
      scopes.root.provide("mail") { (_: CallID, _: String) in }
    }
    try host.dispatch("pay", ["cents": 3])
    try host.advance(10)
    #expect(try host.state()["receipt"] == "r3")
  }

  @Test("the durable option must be true or false")
  func faults() {
    #expect(
      faultsOf("state {} action.go {}\neffect.go = { durable = 1, run = function() end }")
        .contains { $0.contains("durable must be true or false") })
  }

  private func faultsOf(_ source: String) -> [String] {
    do {
      _ = try LoadedFlow(source: source)
      return []
    } catch {
      return ["\(error)"]
    }
  }

  @Test("a durable state effect resumes as long as its state is active")
  func ofState() throws {
    let flow = """
      state { polls = 0 }
      action.start {} action.stop {} action.poll {}
      machine.m {
        initial = "off", off = { start = "on" },
        on = { stop = "off", poll = true, effect = { durable = true, run = function(self)
          while true do sleep(5) dispatch.poll() end
        end } },
      }
      function reduce.poll(s) s.polls = s.polls + 1 end
      """
    let journal = MemoryJournal()
    let first = try host(journal, flow, Calls())
    try first.dispatch("start")
    try first.advance(12)
    let rest = journal.restarted()
    let second = try host(rest, flow, Calls())
    try second.advance(8)
    #expect(try second.state()["polls"] == 4)
    try second.dispatch("stop")
    try second.advance(20)
    #expect(try second.state()["polls"] == 4)
    let third = try host(rest.restarted(), flow, Calls())
    #expect(try third.pendingWork.map(\.description) == [])
  }
}
