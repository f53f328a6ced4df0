import LuaRuntime
import Testing

@testable import FlowHosting
@testable import FlowKernel
@testable import FlowLanguage

@Suite struct MemoryTests {
  @Test("a dispatch that changes nothing leaves no garbage in Lua")
  func nothingStays() throws {
    let flow = """
      state { n = 0, rows = { { id = 1 } } }
      action.look { text = string }
      gate("some", "*", function(s, a)
        local t = { a.text .. "!", s.rows[1].id }
        return #t == 2
      end)
      function reduce.look(s, a) s.n = s.n local t = { a.text } end
      """
    let engine = try Engine(
      LoadedFlow(source: flow), limits: Limits(history: 10), log: ScriptLog { _ in })
    func use(_ count: Int) -> Int {
      for _ in 0..<count { _ = engine.dispatch("look", ["text": "some text of no use"]) }
      engine.vm.collectGarbage()
      return engine.vm.memoryUsed
    }
    let before = use(50)
    #expect(use(500) <= before)
    #expect(engine.revision == 550)
  }

  @Test("an idle host uses little more memory than Lua itself, before and after use")
  func idling() throws {
    let flow = try LoadedFlow(
      source: """
        state { count = 0 }
        action.increment {}
        function gate.increment(s, a) return s.count >= 0, "the count is negative" end
        function reduce.increment(s, a) s.count = s.count + 1 end
        """)
    let engine = try Engine(flow, limits: Limits(history: 1), log: ScriptLog { _ in })
    #expect(engine.vm.memoryUsed < 27_000)
    engine.vm.collectGarbage()
    #expect(engine.vm.memoryUsed < 27_000)
    for _ in 0..<100 { _ = engine.dispatch("increment", [:]) }
    engine.vm.collectGarbage()
    #expect(engine.vm.memoryUsed < 27_000)
  }

  @Test("a released host is deallocated, whatever it was doing")
  func hostsGo() throws {
    let flow = try LoadedFlow(
      source: """
        state { n = 0, rows = list {} }
        action.go {}
        action.fail {}
        function reduce.go(s) s.n = s.n + 1 s.rows[s.n] = { id = s.n } end
        function reduce.fail(s) s.n = 7 error("no") end
        function view.count(s) return #s.rows end
        function effect.go(self) sleep(100) end
        """)
    var numbers: Set<UInt64> = []
    for _ in 0..<200 {
      let host = try FlowHost(flow, options: HostOptions(clock: .virtual, report: { _ in }))
      let number = try host.agent.fetch { $0.vm.number }
      #expect(LuaVM.isOpen(number))
      numbers.insert(number)
      for action in ["go", "fail", "go"] { try host.dispatch(action) }
      #expect(try host.view("count") == 2)
    }
    #expect(numbers.count == 200)
    #expect(!numbers.contains(where: LuaVM.isOpen))
  }

  @Test("the history discards the oldest commits unless it is told to keep more")
  func historyIsBounded() throws {
    #expect(Limits().history == 1_000)
    let host = try FlowHost(
      source: "state { n = 0 }\naction.go {}\nfunction reduce.go(s) s.n = s.n + 1 end")
    for _ in 0..<1_100 { try host.dispatch("go") }
    let commits = try host.commits
    #expect(commits.count == 1_000)
    #expect(commits.first?.revision == 101)
  }

  @Test(
    "ended effects use no memory in the host or in the snapshot of its case",
    arguments: [false, true])
  func effectsLeaveNothing(isJournaled: Bool) async throws {
    let flow = try LoadedFlow(
      source: """
        state { n = 0 }
        action.go {} internal.done {} internal.late {}
        function reduce.done(s) s.n = s.n + 1 end
        effect.go = { durable = \(isJournaled), run = function(self)
          after(1000000, "late"):cancel()
          self:work("some text of no use")
          dispatch.done()
        end }
        """)
    let options = HostOptions(limits: Limits(history: 10), clock: .virtual, report: { _ in })
    let work: (inout HostScopes) -> Void = {
      $0.root.provide("work") { (_: String) async throws in await Task.yield() }
    }
    let host =
      isJournaled
      ? try FlowHost(flow, journal: MemoryJournal(), options: options, scopes: work)
      : try FlowHost(flow, options: options, scopes: work)
    /// The bytes in Lua and of the case's image, and the number of effects and timers.
    func size(after count: Int) async throws -> (lua: Int, image: Int, pending: Int) {
      for _ in 0..<count { #expect(try await host.dispatchAndWait("go").isPassed) }
      return try host.agent.fetch { engine in
        engine.vm.collectGarbage()
        return (
          engine.vm.memoryUsed, try engine.image().count,
          engine.effects.count + engine.caseState.timers.count
        )
      }
    }
    let before = try await size(after: 100)
    let after = try await size(after: 400)
    #expect(after.lua <= before.lua)
    // Numbers grow by a byte or two.
    #expect(after.image <= before.image + 40)
    #expect(after.pending == 0)
    #expect(try await host.state()["n"] == 500)
    try await host.stop()
  }
}
