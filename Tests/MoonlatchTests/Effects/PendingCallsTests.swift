import FlowHosting
import FlowKernel
import FlowLanguage
import Synchronization
import Testing

/// A task-local value for the duration of a request, as in tracing libraries.
private enum Request {
  @TaskLocal static var id: String?
}

@Suite(.timeLimit(.minutes(5))) struct PendingCallsTests {
  private static let shop = """
    state { paid = list {}, problem = "", user = "ann" }
    action.pay { order = string } action.paid { receipt = string }
    action.buy { order = string } action.lost { error = string } action.log_out {}
    scope.user { key = function(s) return s.user end, actions = { "buy" } }
    function reduce.paid(s, a) table.insert(s.paid, a.receipt) end
    function reduce.lost(s, a) s.problem = a.error end
    function reduce.log_out(s) s.user = false end
    function effect.pay(self, a) dispatch.paid { receipt = self:charge(a.order) } end
    effect.buy = {
      run = function(self, a) dispatch.paid { receipt = self:charge(a.order) } end, on_error = "lost",
    }
    function view.paid(s) return s.paid end
    function view.problem(s) return s.problem end
    """

  private func shop(
    _ provider: Provider, _ reports: Heard = Heard(), clock: HostClock = .virtual
  ) throws -> FlowHost {
    try FlowHost(
      source: Self.shop, name: "shop.lua",
      options: HostOptions(clock: clock, report: { reports.add("\($0)") })
    ) { scopes in
      scopes.root.provide("charge") { (order: String) async throws in
        try await provider.ask(order)
      }
    }
  }

  // MARK: Calls that nobody waits for any more

  @Test("stopping a host cancels its calls, and one that respects the cancellation is not reported")
  func stop() async throws {
    let (provider, reports) = (Provider(heedsCancellation: true), Heard())
    let host = try shop(provider, reports)
    try await host.dispatch("pay", ["order": "a"])
    await provider.isAsked()
    #expect(try await host.stop() == ["effect.pay waits (#1)"])
    #expect(provider.cancelled == ["a"])
    for _ in 0..<100 { await Task.yield() }
    #expect(reports.all == [])
  }

  @Test("the answer of a cancelled call is reported with its caller and the reason for cancelling")
  func charged() async throws {
    let (provider, reports) = (Provider(), Heard())
    let host = try shop(provider, reports)
    try await host.dispatch("pay", ["order": "a"])
    try await host.dispatch("pay", ["order": "b"])
    await provider.isAsked(times: 2)
    try await host.stop()
    #expect(provider.cancelled == ["a", "b"])
    provider.answer("receipt a", to: "a")
    #expect(
      await reports.lines(1) == [
        "charge, called by effect.pay (#1, shop.lua:8), answered \"receipt a\" after the flow "
          + "had stopped waiting for it (the host was stopped); the flow never receives it"
      ])
    provider.decline("b")
    #expect(
      await reports.lines(2).last
        == "charge, called by effect.pay (#2, shop.lua:8), failed (declined) after the flow had "
        + "stopped waiting for it (the host was stopped); the flow never receives it")
  }

  @Test("closing a scope cancels the calls of its effects, and runs on_error")
  func closing() async throws {
    let (provider, reports) = (Provider(), Heard())
    let host = try shop(provider, reports)
    try await host.dispatch("buy", ["order": "a"])
    await provider.isAsked()
    try await host.dispatch("log_out")
    #expect(provider.cancelled == ["a"])
    #expect(try await host.view("problem") == "scope user is closed (since log_out, #2)")
    provider.answer("receipt a", to: "a")
    #expect(
      await reports.lines(1) == [
        "charge, called by effect.buy (#1, shop.lua:10), answered \"receipt a\" after the flow "
          + "had stopped waiting for it (scope user is closed (since log_out, #2)); the flow never receives it"
      ])
    #expect(try await host.view("paid") == .list([]))
  }

  @Test("undo cancels the calls of later effects only")
  func undo() async throws {
    let (provider, reports) = (Provider(), Heard())
    let host = try shop(provider, reports, clock: .real)
    try await host.dispatch("pay", ["order": "a"])
    try await host.dispatch("pay", ["order": "b"])
    await provider.isAsked(times: 2)
    try await host.undo()
    #expect(provider.cancelled == ["b"])
    provider.answer("receipt b", to: "b")
    await reports.lines(where: { $0.contains("answered \"receipt b\"") })
    var paid = host.values(of: "paid", as: [String].self, buffering: .unbounded).makeAsyncIterator()
    #expect(try await paid.next() == [])
    provider.answer("receipt a", to: "a")
    #expect(try await paid.next() == ["receipt a"])
    #expect(provider.asked.sorted() == ["a", "b"])
  }

  @Test("a reload with reset cancels the calls of the effects that it ends")
  func reset() async throws {
    let (provider, reports) = (Provider(), Heard())
    let host = try shop(provider, reports)
    try await host.dispatch("pay", ["order": "a"])
    await provider.isAsked()
    try host.reload(.reset)
    #expect(provider.cancelled == ["a"])
    provider.answer("receipt a", to: "a")
    await reports.lines(where: { $0.contains("answered \"receipt a\"") })
    #expect(try await host.view("paid") == .list([]))
    #expect(provider.asked == ["a"])
  }

  @Test("a replay cancels the calls for which no effect waits in the replayed run")
  func replay() async throws {
    let (provider, reports, folder) = (Provider(), Heard(), try TestFolder())
    let file = try folder.write(Self.shop, to: "shop.lua")
    let host = try FlowHost(
      flow: file,
      options: HostOptions(clock: .virtual, keepsTranscript: true, report: { reports.add("\($0)") })
    ) { scopes in
      scopes.root.provide("charge") { (order: String) async throws in
        try await provider.ask(order)
      }
    }
    try await host.dispatch("pay", ["order": "a"])
    try await host.dispatch("buy", ["order": "b"])
    await provider.isAsked(times: 2)
    let kept = Self.shop.split(separator: "\n").filter { !$0.contains("function effect.pay") }
    try folder.write(kept.joined(separator: "\n"), to: "shop.lua")
    #expect(try host.reload(.replay) != nil)
    #expect(provider.cancelled == ["a", "b"])
    for order in ["a", "b"] { provider.answer("receipt \(order)", to: order) }
    await reports.lines(where: { $0.contains("answered \"receipt a\"") })
    await reports.lines(where: { $0.contains("answered \"receipt b\"") })
    #expect(provider.asked.count == 2)
  }

  @Test("the end of a host cancels its calls")
  func gone() async throws {
    let (provider, reports) = (Provider(), Heard())
    var host: FlowHost? = try shop(provider, reports)
    try await host?.dispatch("pay", ["order": "a"])
    await provider.isAsked()
    host = nil
    await provider.isCancelled()
    provider.answer("receipt a", to: "a")
    #expect(await reports.lines(1).first?.contains("(the host was released)") == true)
  }

  @Test("an answer that was not delivered is reported when its call is cancelled")
  func untaken() async throws {
    let (reports, came) = (Heard(), Heard())
    let calls = PendingCalls { reports.add("\($0)") }
    calls.onAnswer { came.add("\($0)") }
    let number = 7
    let caller = PendingCalls.Caller(
      capability: "charge", effect: "effect.pay", revision: 3,
      place: SourcePlace(file: "shop.lua", line: 7))
    calls.start(number, by: caller, inheriting: true) { "receipt" }
    #expect(await came.lines(1) == ["\(number)"])
    #expect(calls.currentWork == [number])
    calls.cancel(number, because: "the order was withdrawn")
    calls.cancel(number, because: "again")
    #expect(
      reports.all == [
        "charge, called by effect.pay (#3, shop.lua:7), answered \"receipt\" after the flow had "
          + "stopped waiting for it (the order was withdrawn); the flow never receives it"
      ])
    #expect(calls.currentWork == [])
    #expect(calls.take(number) == nil)
  }

  @Test("an asynchronous capability is not called where an effect cannot wait")
  func notWaiting() async throws {
    let (provider, reports) = (Provider(), Heard())
    let host = try FlowHost(
      source: """
        state {} action.go {} action.sort {}
        function effect.go(self) coroutine.wrap(function() self:charge("a") end)() end
        function effect.sort(self) table.sort({ 1, 2 }, function() return self:charge("b") end) end
        """, options: HostOptions(clock: .virtual, report: { reports.add("\($0)") })
    ) { scopes in
      scopes.root.provide("charge") { (order: String) async throws in
        try await provider.ask(order)
      }
    }
    try await host.dispatch("go")
    try await host.dispatch("sort")
    #expect(reports.all.count == 2)
    #expect(reports.all.first?.contains("only the effect itself can wait") == true)
    for _ in 0..<100 { await Task.yield() }
    #expect(provider.asked == [])
  }

  // MARK: Task-locals

  private static let traced = """
    state { n = 0 }
    action.later {} action.fire {} action.direct {} action.follow {} action.pair { order = string }
    action.now {} action.add {}
    function reduce.add(s) s.n = s.n + 1 end
    function effect.later() after(3, "fire") end
    function effect.fire(self) self:note("fire") end
    function effect.direct(self)
      self:note("first") self:note("second") dispatch.follow()
    end
    function effect.follow(self) self:note("follow") end
    action.nap {}
    function effect.nap(self) sleep(1) self:note("woken") end
    function effect.pair(self, a) self:note(self:charge(a.order)) end
    function effect.now(self) self:mark() end
    """

  private func traced(
    _ clock: HostClock, _ heard: Heard, _ provider: Provider = Provider()
  ) throws -> FlowHost {
    try FlowHost(source: Self.traced, options: HostOptions(clock: clock)) { scopes in
      scopes.root.provide("note") { (what: String) async in
        heard.add("\(what) \(Request.id ?? "none")")
      }
      scopes.root.provide("mark") { heard.add("mark \(Request.id ?? "none")") }
      scopes.root.provide("charge") { (order: String) async throws in
        try await provider.ask(order)
      }
    }
  }

  @Test(
    "the calls of an effect have the task-locals of the dispatch that caused it, along its chain")
  func chain() async throws {
    let heard = Heard()
    let host = try traced(.virtual, heard)
    for id in ["one", "two"] {
      let count = heard.all.count
      try Request.$id.withValue(id) { _ = try host.dispatch("direct") }
      #expect(
        await heard.lines(count + 3).suffix(3) == ["first \(id)", "second \(id)", "follow \(id)"])
    }
  }

  @Test("a timer's actions do not have the task-locals of the code that set it")
  func timers() async throws {
    let (heard, clock) = (Heard(), TestClock())
    let host = try traced(.driven(by: clock), heard)
    for id in ["one", "two", "three"] {
      try Request.$id.withValue(id) { _ = try host.dispatch("later") }
    }
    await clock.sleepers { $0 == 1 }
    clock.advance(by: .seconds(3))
    #expect(await heard.lines(3) == ["fire none", "fire none", "fire none"])
  }

  @Test("a timer's actions do not have the task-locals of the code that advances the clock")
  func catchingUp() async throws {
    let heard = Heard()
    let host = try traced(.virtual, heard)
    try Request.$id.withValue("one") {
      _ = try host.dispatch("later")
      _ = try host.dispatch("nap")
    }
    try Request.$id.withValue("two") { try host.advance(3) }
    #expect(await heard.lines(2).sorted() == ["fire none", "woken none"])
  }

  @Test("each answer is delivered with the task-locals of its own call, in any order")
  func answers() async throws {
    let (heard, provider) = (Heard(), Provider())
    let host = try traced(.virtual, heard, provider)
    for id in ["one", "two", "three"] {
      try Request.$id.withValue(id) { _ = try host.dispatch("pair", ["order": .string(id)]) }
    }
    await provider.isAsked(times: 3)
    for id in ["three", "one", "two"] { provider.answer("receipt \(id)", to: id) }
    #expect(
      await heard.lines(3).sorted() == [
        "receipt one one", "receipt three three", "receipt two two",
      ])
  }

  @Test("a synchronous capability has the task-locals of the dispatch that waits for it")
  func waiting() async throws {
    let heard = Heard()
    let host = try traced(.virtual, heard)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for id in 0..<50 {
        group.addTask {
          try await Request.$id.withValue("\(id)") { _ = try await host.dispatchAndWait("now") }
        }
      }
      try await group.waitForAll()
    }
    #expect(heard.all.sorted() == (0..<50).map { "mark \($0)" }.sorted())
  }
}
