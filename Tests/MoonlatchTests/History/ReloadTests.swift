import FlowHosting
import FlowKernel
import Foundation
import LuaRuntime
import Testing

@Suite struct ReloadTests {
  @Test("a reload with keep applies the new rules to the old state")
  func keep() throws {
    let written = try Written(Written.counter)
    try written.host.dispatch("add", ["by": 5])
    #expect(try written.reload(Written.doubled, .keep) == nil)
    #expect(try written.host.state() == ["n": 5])
    try written.host.dispatch("add")
    #expect(try written.host.state() == ["n": 7])
    #expect(try written.host.revision == 2)
  }

  @Test("a reload with reset restarts the flow")
  func reset() throws {
    let written = try Written(Written.counter)
    try written.host.dispatch("add", ["by": 5])
    #expect(try written.reload(Written.counter, .reset) == nil)
    #expect(try written.host.state() == ["n": 0])
    #expect(try written.host.revision == 0)
  }

  @Test("a reload reports the changed locals that it loses")
  func locals() throws {
    let flow =
      "local n = 0\n" + Written.counter + "\naction.count {}\nfunction reduce.count() n = n + 1 end"
    let written = try Written(flow)
    try written.reload(flow, .keep)
    #expect(written.reports.take() == [])
    try written.host.dispatch("count")
    #expect(written.reports.take().count == 1)
    try written.reload(flow, .keep)
    #expect(
      written.reports.take() == [
        "flow.lua:5: the reload resets the local n, which reduce.count changed; data belongs in the "
          + "state"
      ])
  }

  @Test("timers, gatekeepers and causes stay valid if declarations are reordered")
  func moved() throws {
    let gatekeeper =
      "gatekeeper.k { load = { attempt = \"x\" }, loaded = { reset = \"x\" }, stop = { reset = \"x\" } }"
    let machine =
      "machine.m { initial = \"a\", a = { load = \"b\", stop = \"a\" }, b = { stop = \"a\", load = \"b\", late = \"a\", after = { late = 9 } } }"
    let scope =
      "scope.s { key = function(s) return s.open end, actions = { \"load\", \"loaded\" } }"
    let actions =
      "state { open = true } action.load {} action.loaded {} action.stop {} action.late {} action.shut {}\n"
      + "function reduce.shut(s) s.open = false end\nfunction effect.load() after(5, \"loaded\") end\n"
    let written = try Written([actions, gatekeeper, machine, scope].joined(separator: "\n"))
    try written.host.dispatch("load")
    let more = """
      action.other {} gatekeeper.a { other = "attempt" }
      machine.b { initial = "x", x = { other = "x" } }
      scope.a { key = function() return true end, actions = { "other" } }
      """
    try written.reload([actions, more, scope, machine, gatekeeper].joined(separator: "\n"), .keep)
    #expect(try written.host.settle() == ["loaded is due at 5 s", "late is due at 9 s"])
    try written.host.dispatch("stop")
    #expect(try written.host.settle() == ["loaded is due at 5 s"])
    try written.host.dispatch("load")
    try written.host.advance(5)
    #expect(
      written.reports.take() == [
        "loaded from the queue was refused by gatekeeper k: stale: \"x\" that this chain took is now "
          + "held since load (#3)"
      ])
    try written.host.dispatch("shut")
    #expect(try written.host.settle() == ["late is due at 9 s"])
  }

  @Test("a reload is rejected if the kept state violates a new invariant")
  func brokenInvariant() throws {
    let written = try Written(Written.counter)
    try written.host.dispatch("add", ["by": 5])
    #expect {
      try written.reload(Written.counter + "\nfunction invariant.few(s) return s.n < 5 end", .keep)
    } throws: {
      "\($0)".contains("invariant.few does not hold")
    }
    try written.host.dispatch("add")
    #expect(try written.host.state() == ["n": 6])
  }

  @Test("both random generators continue after a reload")
  func generators() throws {
    let flow = """
      state { rolls = list {} } action.roll {} action.keep { n = integer }
      function reduce.roll(s) s.rolls[#s.rolls + 1] = random(1000) end
      function reduce.keep(s, a) s.rolls[#s.rolls + 1] = a.n end
      function effect.roll() dispatch.keep { n = random(1000) } end
      """
    let (plain, reloaded) = (try Written(flow), try Written(flow))
    for _ in 1...3 {
      try plain.host.dispatch("roll")
      try reloaded.host.dispatch("roll")
      try reloaded.reload(flow, .keep)
    }
    #expect(try plain.host.state() == reloaded.host.state())
  }

  // MARK: What is stale stays stale

  @Test("a completion from before a reload never releases a passage that was taken later")
  func stalePassage() throws {
    let flow = """
      state {} action.start {} action.finish {} action.free {}
      gatekeeper.g { start = "attempt", finish = "reset", free = "reset" }
      function effect.start() sleep(60) dispatch.finish {} end
      """
    let written = try Written(flow)
    for action in ["start", "free"] { try written.host.dispatch(action) }
    try written.reload(flow, .keep)
    try written.host.advance(1)
    try written.host.dispatch("start")
    try written.host.advance(58)
    #expect(written.reports.take() == [])
    try written.host.advance(1)
    #expect(
      written.reports.take() == [
        "finish from the queue was refused by gatekeeper g: stale: the passage that this chain took "
          + "is now held since start (#3)"
      ])
    #expect(!(try written.host.may("start").isGranted))
  }

  @Test("a queued action from a scope instance closed before a reload is refused in a new instance")
  func staleScopeInstance() throws {
    let flow = """
      state { user = none } action.log_in {} action.log_out {} action.greet {}
      scope.user { key = function(s) return s.user end, actions = { "greet" } }
      function reduce.log_in(s) s.user = "u" end
      function reduce.log_out(s) s.user = nil end
      function effect.log_in() after(60, "greet") end
      """
    let written = try Written(flow)
    for action in ["log_in", "log_out", "log_in"] { try written.host.dispatch(action) }
    try written.reload(flow, .keep)
    try written.reload(flow, .keep)
    try written.host.advance(60)
    #expect(
      written.reports.take() == [
        "greet from the queue was refused by scope user: stale: the scope instance in which this "
          + "chain began is closed (since log_out, #2)"
      ])
    #expect(try written.host.commits.map(\.action) == ["greet"])
  }

  // MARK: What is under way

  @Test("the answer of a running call is delivered to its effect across reloads", arguments: 0...2)
  func currentCall(reloads: Int) async throws {
    let provider = Provider()
    let written = try Written.shop(charging: provider)
    async let outcome = written.host.dispatchAndWait("pay")
    await provider.isAsked()
    for number in 0..<reloads {
      try written.reload(Written.paying + "\n-- text \(number)", .keep)
    }
    provider.answer("r-1")
    #expect(try await outcome.isPassed)
    #expect(try await written.host.state() == ["status": "paid", "receipt": "r-1"])
    #expect(provider.asked == ["100"])
    #expect(written.reports.take() == [])
  }

  @Test("the error of a running call is delivered to its effect across a reload")
  func declinedCall() async throws {
    let provider = Provider()
    let written = try Written.shop(charging: provider)
    async let outcome = written.host.dispatchAndWait("pay")
    await provider.isAsked()
    try written.reload(Written.paying, .keep)
    provider.decline()
    #expect(try await outcome.isPassed)
    let status = try await written.host.state()["status"]?.stringValue
    #expect(
      status?.contains("charge: declined") == true, "\(status ?? "") \(written.reports.take())")
    #expect(provider.asked == ["100"])
  }

  @Test("an effect uses the views and actions of the reloaded text")
  func newRules() async throws {
    let provider = Provider()
    let written = try Written.shop(charging: provider)
    async let outcome = written.host.dispatchAndWait("pay")
    await provider.isAsked()
    let changed = Written.paying.replacingOccurrences(
      of: "s.receipt = \"paid\"", with: "s.receipt = \"PAID\""
    )
    .replacingOccurrences(of: "return s.status end", with: "error('no view') end")
    try written.reload(changed, .keep)
    provider.answer("r-1")
    #expect(try await outcome.isPassed)
    #expect(try await written.host.state()["status"]?.stringValue?.contains("no view") == true)
  }

  @Test(
    "reloads keep every effect for which tasks wait, with and without a journal",
    arguments: [false, true])
  func manyReloads(isJournaled: Bool) async throws {
    let journal = MemoryJournal()
    func text(_ number: Int) throws -> LoadedFlow {
      try LoadedFlow(
        source: """
          state { got = 0, failed = 0 }
          action.go {} internal.done {} internal.bad { error = string }
          function reduce.done(s) s.got = s.got + 1 end
          function reduce.bad(s) s.failed = s.failed + 1 end
          function view.got(s) return s.got end
          effect.go = { on_error = "bad", run = function(self) self:work() dispatch.done() end }
          -- text \(number)
          """, name: "go.lua")
    }
    func host() throws -> FlowHost {
      let options = HostOptions(report: { _ in })
      let work: (inout HostScopes) -> Void = {
        $0.root.provide("work") { () async throws in for _ in 0..<5 { await Task.yield() } }
      }
      return isJournaled
        ? try FlowHost(text(0), journal: journal, options: options, scopes: work)
        : try FlowHost(text(0), options: options, scopes: work)
    }
    let host = try host()
    let texts = try (1...3).map(text)
    let (passed, ends) = (Count(), Count())
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          while ends.now == 0 {
            if try await host.dispatchAndWait("go").isPassed { passed.add() }
          }
        }
      }
      group.addTask {
        // Each reload has dispatches since the one before.
        for number in 0..<30 {
          let count = passed.now
          while passed.now == count { await Task.yield() }
          try host.reload(to: texts[number % 3])
        }
        ends.add()
      }
      try await group.waitForAll()
    }
    let count = passed.now
    #expect(try await host.state() == ["got": .integer(count), "failed": 0])
    #expect(try await host.stop() == [])
    if isJournaled {
      #expect(try await self.resumed(from: journal, text(4)) == .integer(count))
    }
  }

  private func resumed(from journal: MemoryJournal, _ flow: LoadedFlow) async throws -> Value {
    try await FlowHost(flow, journal: journal.restarted()).view("got")
  }

  @Test("an effect whose action was removed continues, and the new text checks its dispatches")
  func goneAction() async throws {
    let provider = Provider()
    let written = try Written.shop(charging: provider)
    async let outcome = written.host.dispatchAndWait("pay")
    await provider.isAsked()
    try written.reload(
      """
      state { status = "open", receipt = none } action.failed { error = string }
      function reduce.failed(s, a) s.status = a.error end
      function view.status(s) return s.status end
      """, .keep)
    provider.answer("r-1")
    #expect(try await outcome.isPassed)
    let status = try await written.host.state()["status"]?.stringValue
    #expect(status?.contains("there is no action paid") == true, "\(status ?? "")")
    #expect(provider.asked == ["100"])
  }

  @Test("a scope whose key is missing in the new text closes, with its effects and clean-ups")
  func closingScope() async throws {
    func flow(_ key: String) -> String {
      """
      state { user = "u", said = list {} } action.pay {} action.failed { error = string } action.bye {}
      scope.user { key = function(s) return \(key) end, actions = { "pay" } }
      function reduce.failed(s, a) s.said[#s.said + 1] = a.error end
      function reduce.bye(s) s.said[#s.said + 1] = "bye" end
      effect.pay = { on_error = "failed", run = function(self)
        self:defer(function() dispatch.bye {} end)
        self:charge(100)
      end }
      """
    }
    let provider = Provider()
    let written = try Written(flow("s.user")) { scopes in
      scopes["user"].provide("charge") { (cents: Int) async throws -> String in
        try await provider.ask("\(cents)")
      }
    }
    try await written.host.dispatch("pay")
    await provider.isAsked()
    try written.reload(flow("s.user"), .keep)
    #expect(try await written.host.state()["said"] == .list([]))
    try written.reload(flow("s.user == \"v\" and s.user"), .keep)
    try await written.host.settle()
    #expect(
      try await written.host.state()["said"]
        == ["scope user is closed (since the reload)", "bye"])
    provider.answer("r-1")
  }

  @Test("a reload reports dropped timers of removed actions and passages of removed gatekeepers")
  func reported() throws {
    let written = try Written(
      """
      state {} action.go {} action.late {}
      gatekeeper.g { go = "attempt", late = "reset" }
      function effect.go() after(5, "late") end
      """)
    try written.host.dispatch("go")
    try written.reload("state {} action.go {}", .keep)
    #expect(
      written.reports.take() == [
        "late, set by #1, was dropped: the reloaded flow has no such action",
        "the passage \"passage\" of gatekeeper g was dropped: the reloaded flow has no such gatekeeper",
      ])
  }

  @Test("a reload with reset reports the effects and timers that it drops")
  func dropped() throws {
    let flow = """
      state {} action.go {} action.late {}
      function effect.go() after(5, "late") sleep(9) end
      """
    let written = try Written(flow)
    try written.host.dispatch("go")
    try written.reload(flow, .reset)
    #expect(
      written.reports.take() == [
        "late, set by #1, was dropped: the flow was restarted",
        "effect.go of #1 was stopped: the flow was restarted",
      ])
  }
}
