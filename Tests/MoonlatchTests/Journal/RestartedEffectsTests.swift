import Foundation
import Platform
import Testing

@testable import FlowHosting
@testable import FlowKernel
@testable import LuaRuntime

/// Durable effects after a restart: they behave as if there had been none.
@Suite struct RestartedEffectsTests {
  private final class Lines: Sendable {
    private let lines = Mutex<[String]>([])
    var all: [String] { lines.withLock { $0 } }
    func add(_ line: String) { lines.withLock { $0.append(line) } }
  }

  private func host(
    _ journal: MemoryJournal, _ flow: String, _ calls: Lines = Lines(), prints: Lines = Lines(),
    left: (@Sendable (String) -> Void)? = nil
  ) throws -> FlowHost {
    try FlowHost(
      LoadedFlow(source: flow, name: "shop.lua"), journal: journal, case: "c",
      options: HostOptions(clock: .virtual, print: { prints.add($0) }, report: { _ in })
    ) { scopes in
      scopes.root.provide("ask") { (call: CallID, what: String) -> String in
        calls.add("\(what) \(call.effect)/\(call.position)")
        left?(what)
        return what.uppercased()
      }
      scopes.root.provide("fail") { (call: CallID) throws -> String in
        calls.add("fail \(call.effect)/\(call.position)")
        throw Failure()
      }
    }
  }

  private struct Failure: Error {}

  private let noting = """
    state { log = list {} }
    internal.note { text = string }
    function reduce.note(s, a) table.insert(s.log, a.text .. "@" .. now()) end

    """

  @Test("an effect that wakes at the same time as a later timer keeps its order after a restart")
  func order() throws {
    let flow =
      noting + """
        action.go {}
        action.set {}
        effect.go = { durable = true, run = function() sleep(5) dispatch.note { text = "slept" } end }
        function effect.set() after(5, "note", { text = "timer" }) end
        """
    let journal = MemoryJournal()
    let first = try host(journal, flow)
    try first.dispatch("go")
    try first.dispatch("set")
    let second = try host(journal.restarted(), flow)
    try second.advance(5)
    #expect(try second.state()["log"] == ["slept@5.0", "timer@5.0"])
  }

  @Test("other timers due when the process ended within a call keep their order")
  func orderWithinTurn() throws {
    let flow =
      noting + """
        action.go { text = string }
        action.set {}
        effect.go = { durable = true, run = function(self, a)
          sleep(5) dispatch.note { text = self:ask(a.text) }
        end }
        function effect.set() after(5, "note", { text = "timer" }) end
        """
    let journal = MemoryJournal()
    let kept = Mutex<MemoryJournal?>(nil)
    let first = try host(
      journal, flow, left: { if $0 == "a" { kept.withLock { $0 = journal.restarted() } } })
    try first.dispatch("go", ["text": "a"])
    try first.dispatch("set")
    try first.dispatch("go", ["text": "b"])
    try first.advance(5)
    let second = try host(try #require(kept.withLock { $0 }), flow)
    try second.advance(0)
    #expect(try second.state()["log"] == ["A@5.0", "timer@5.0", "B@5.0"])
    #expect(try second.state() == first.state())
  }

  @Test("a finished concurrent function prints nothing again after a restart")
  func prints() throws {
    let flow = """
      state {} action.go {}
      effect.go = { durable = true, run = function()
        all {
          a = function() sleep(5) end,
          b = function() print("here") end,
        }
        print("there")
      end }
      """
    let (journal, prints) = (MemoryJournal(), Lines())
    try host(journal, flow, prints: prints).dispatch("go")
    let second = try host(journal.restarted(), flow, prints: prints)
    #expect(prints.all == ["here"])
    try second.advance(5)
    #expect(prints.all == ["here", "there"])
  }

  @Test("a text that prints less can continue an effect that has printed more")
  func printsLess() throws {
    let flow =
      noting + """
        action.go {}
        effect.go = { durable = true, run = function()
          print("a")
          sleep(5)
          dispatch.note { text = "done" }
        end }
        """
    let journal = MemoryJournal()
    try host(journal, flow).dispatch("go")
    let second = try host(
      journal.restarted(), flow.replacingOccurrences(of: "print(\"a\")", with: ""))
    try second.advance(5)
    #expect(try second.state()["log"] == ["done@5.0"])
  }

  @Test("calls of concurrent functions have separate ids, whatever their order")
  func ids() throws {
    let flow = """
      state {} action.go {}
      effect.go = { durable = true, run = function(self)
        all {
          a = function() retry({ times = 2, wait = 3 }, function() self:ask("a") self:fail() end) end,
          b = function() sleep(1) self:ask("b") retry({}, function() return self:ask("c") end) end,
          c = function() race { a = function() sleep(4) self:ask("d") end } end,
        }
      end }
      """
    let calls = Lines()
    let journal = MemoryJournal()
    let first = try host(journal, flow, calls)
    try first.dispatch("go")
    try first.advance(2)
    let second = try host(journal.restarted(), flow, calls)
    try second.advance(10)
    #expect(
      calls.all == [
        "a 1/all1.1.retry1.1", "fail 1/all1.1.retry1.2", "b 1/all1.2.1", "c 1/all1.2.retry1.1",
        "a 1/all1.1.retry1.1", "fail 1/all1.1.retry1.2",
      ])
  }

  @Test("a retry within a retry has the same ids in each attempt of the outer one")
  func nested() throws {
    let flow = """
      state {} action.go {}
      effect.go = { durable = true, run = function(self)
        retry({ times = 2, wait = 1 }, function()
          retry({ times = 1 }, function() self:ask("a") end)
          self:fail()
        end)
      end }
      """
    let calls = Lines()
    let host = try host(MemoryJournal(), flow, calls)
    try host.dispatch("go")
    try host.advance(5)
    let attempt = ["a 1/retry1.retry1.1", "fail 1/retry1.1"]
    #expect(calls.all == attempt + attempt)
  }

  @Test("a case whose last effect is in a call has not ended before the call has")
  func endsBehindCall() throws {
    let flow =
      noting + """
        action.go {}
        machine.m { initial = "open", open = { go = "done" }, done = { final = true } }
        effect.go = { durable = true, run = function(self)
          self:ask("a")
          dispatch.note { text = self:ask("b") }
        end }
        """
    let journal = MemoryJournal()
    let host = try host(journal, flow)
    try host.dispatch("go")
    #expect(try host.state()["log"] == ["B@0.0"])
    #expect(try journal.summary(of: "c")?.ended != nil)
  }

  @Test("effects have the same numbers with and without a restart")
  func numbers() throws {
    let flow = """
      state {} action.go {}
      effect.go = { durable = true, run = function(self)
        self:ask("begun")
        all { a = function() sleep(5) end, b = function() sleep(5) end }
      end }
      """
    let (journal, calls) = (MemoryJournal(), Lines())
    try host(journal, flow, calls).dispatch("go")
    let second = try host(journal.restarted(), flow, calls)
    try second.dispatch("go")
    #expect(calls.all == ["begun 1/1", "begun 4/1"])
  }

  @Test("an effect whose action has closed its own scope has the closed scope after a restart, too")
  func ownScope() throws {
    let flow =
      noting
        + """
        state { user = 1 }
        action.leave {}
        scope.user { key = function(s) return s.user end, actions = { "leave" } }
        function reduce.leave(s) s.user = none end
        effect.leave = { durable = true, run = function(self)
          local _, one = pcall(function() return self:ask("a") end)
          dispatch.note { text = one }
          sleep(5)
          local _, other = pcall(function() return self:ask("b") end)
          dispatch.note { text = other }
        end }
        """.replacingOccurrences(of: "user = 1", with: "user = optional(integer { min = 1 })")
    let enter = """

      action.enter {}
      function reduce.enter(s) s.user = 1 end
      """
    let (journal, calls) = (MemoryJournal(), Lines())
    let first = try host(journal, flow + enter, calls)
    try first.dispatch("enter")
    try first.dispatch("leave")
    let second = try host(journal.restarted(), flow + enter, calls)
    try second.advance(5)
    try first.advance(5)
    #expect(try second.state() == first.state())
    #expect(try second.state()["log"]?.listValue?.count == 2)
    #expect(calls.all == [])
  }

  @Test("a call refused by a closed scope counts in the ids of later calls, replayed or not")
  func refusedCalls() throws {
    let flow = """
      state { user = none } action.go {}
      scope.user { key = function(s) return s.user end }
      effect.go = { durable = true, run = function(self)
        local user = self:unlock("user", 1)
        user:close()
        pcall(function() return user:ask("a") end)
        sleep(1)
        self:ask("b")
      end }
      """
    let (journal, calls) = (MemoryJournal(), Lines())
    let first = try host(journal, flow, calls)
    try first.dispatch("go")
    let second = try host(journal.restarted(), flow, calls)
    try second.advance(1)
    try first.advance(1)
    #expect(calls.all.count == 2)
    #expect(calls.all.first == calls.all.last)
  }

  @Test("a zero-delay timer set after a restart has a number that was not used before")
  func numbersOfQueued() throws {
    let flow =
      noting + """
        action.go {}
        effect.go = { durable = true, run = function()
          local first = after(0, "note", { text = "first" })
          sleep(5)
          after(0, "note", { text = "second" })
          cancel(first)
        end }
        """
    let journal = MemoryJournal()
    let first = try host(journal, flow)
    try first.dispatch("go")
    let second = try host(journal.restarted(), flow)
    try second.advance(5)
    try first.advance(5)
    #expect(try second.state()["log"] == ["first@0.0", "second@5.0"])
    #expect(try second.state() == first.state())
  }

  @Test("with another text an interrupted state effect fails exactly once")
  func failedOnce() throws {
    let flow =
      noting + """
        action.go {}
        internal.failed { error = string }
        machine.m {
          initial = "idle",
          idle = { go = "busy" },
          busy = { failed = "idle", effect = { run = function() sleep(100) end, on_error = "failed" } },
        }
        function reduce.failed(s, a) table.insert(s.log, a.error) end
        """
    let journal = MemoryJournal()
    try host(journal, flow).dispatch("go")
    let restarted = journal.restarted()
    let second = try host(restarted, flow + "-- another text")
    try second.advance(1)
    #expect(try second.state()["log"] == ["effect of m.busy was cut off by a restart"])
    let failed = try restarted.entries(of: "c", from: 1, limit: 100).flatMap {
      try $0.contents().effectsFailed
    }
    #expect(failed.count == 1)
  }

  @Test("an effect stored in the middle of a restart with another text survives the next restart")
  func keptWhileResuming() throws {
    let flow =
      noting + """
        action.go {}
        machine.m {
          initial = "idle",
          idle = { go = "busy" },
          busy = { effect = { durable = true, run = function(self)
            dispatch.note { text = self:ask("b") }
          end } },
        }
        function effect.go(self) self:ask("a") end
        """
    let journal = Mutex(MemoryJournal())
    let kept = Mutex<MemoryJournal?>(nil)
    func host(endingIn call: String, _ text: String) throws -> FlowHost {
      try self.host(
        journal.withLock { $0 }, text,
        left: { what in
          if what == call { kept.withLock { $0 = journal.withLock(\.self).restarted() } }
        })
    }
    func restart() throws {
      let next = try #require(kept.withLock { $0 })
      journal.withLock { $0 = next }
    }
    try host(endingIn: "a", flow).dispatch("go")
    try restart()
    _ = try host(endingIn: "b", flow + "-- another text")
    try restart()
    let third = try host(endingIn: "", flow + "-- another text")
    try third.advance(0)
    #expect(try third.state()["log"] == ["B@0.0"])
  }

  @Test("a state effect that a chain limit has dropped does not start after a restart")
  func droppedBeginnings() throws {
    let flow = """
      action.go {}
      local function waits() sleep(60) end
      machine.a { initial = "off", off = { go = "on" }, on = { effect = { durable = true, run = waits } } }
      machine.b { initial = "off", off = { go = "on" }, on = { effect = { durable = true, run = waits } } }
      machine.c { initial = "off", off = { go = "on" }, on = { effect = { durable = true, run = waits } } }
      """
    let journal = MemoryJournal()
    let told = Lines()
    func host() throws -> FlowHost {
      try FlowHost(
        LoadedFlow(source: flow), journal: journal, case: "c",
        options: HostOptions(
          limits: Limits(chain: 2), clock: .virtual, print: { _ in }, report: { told.add("\($0)") })
      )
    }
    let live = try host()
    try live.dispatch("go")
    try live.undo()
    try live.redo()
    try live.settle()
    #expect(told.all.last?.contains("2 actions ran from the queue") == true)
    let count = told.all.count
    let restarted = try host()
    #expect(told.all.count == count)
    for (one, other) in try zip(live.standing, restarted.standing) {
      #expect(one == other)
    }
    let begun = try restarted.standing.first { $0.part == "effects of states" }
    #expect(begun?.text == "[\"a.on #1\", \"b.on #1\"]")
  }

  @Test("undo and a reload start a new chain, like every input from outside")
  func chainsAnew() throws {
    let flow = """
      action.go {}
      internal.next {}
      machine.m { initial = "off", off = { go = "on" }, on = { effect = function() dispatch.next() sleep(60) end } }
      function reduce.next() end
      """
    let told = Lines()
    let loaded = try LoadedFlow(source: flow)
    let host = try FlowHost(
      loaded,
      options: HostOptions(limits: Limits(chain: 3), clock: .virtual, report: { told.add("\($0)") })
    )
    try host.dispatch("go")
    for _ in 0..<5 {
      try host.go(to: 0)
      try host.go(to: 1)
      try host.settle()
      #expect(try host.revision == 2)
    }
    for count in 1...5 {
      try host.reload(to: loaded, .keep)
      try host.settle()
      #expect(try host.revision == 2 + count)
    }
    #expect(told.all.filter { $0.contains("ran from the queue") } == [])
  }
}
