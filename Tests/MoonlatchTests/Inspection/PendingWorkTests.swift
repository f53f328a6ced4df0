import FlowHosting
import FlowKernel
import FlowLanguage
import LuaRuntime
import Testing

@Suite struct PendingWorkTests {
  private let flow = """
    state { n = 0 }
    action.start { seconds = number, name = string }
    action.late { text = string }
    action.ask { url = string }
    action.rest {}
    action.close {}
    machine.door { initial = "opened", opened = { close = "closed", after = { close = 30 } }, closed = {} }
    function effect.start(self, a) after(a.seconds, "late", { text = a.name }) end
    function effect.ask(self, a) self:fetch(a.url) end
    effect("napping", "rest", function() sleep(10) end)
    """

  private func host() throws -> FlowHost {
    try FlowHost(source: flow, options: HostOptions(clock: .virtual, report: { _ in })) { scopes in
      scopes.root.provide("fetch") { (_: String) async throws in
        try await Task.sleep(for: .seconds(600))
      }
    }
  }

  @Test("pending work has its kind, action, payload and due time")
  func items() throws {
    let host = try host()
    try host.passing("start", ["seconds": 5, "name": "tea"])
    try host.passing("ask", ["url": "a"])
    try host.passing("rest")
    let pendingWork = try host.settle()
    #expect(pendingWork == (try host.pendingWork))
    #expect(pendingWork.map(\.kind) == [.timer, .effect, .timer, .effect])
    #expect(pendingWork.map(\.action) == ["late", "rest", "close", "ask"])
    #expect(pendingWork.map(\.payload) == [["text": "tea"], [:], [:], ["url": "a"]])
    #expect(pendingWork.map(\.due) == [.seconds(5), .seconds(10), .seconds(30), nil])
    #expect(pendingWork.map(\.dueSeconds) == [5, 10, 30, nil])
    #expect(pendingWork.map(\.cause) == [1, 3, 0, 2])
    #expect(pendingWork.map(\.title) == ["late", "effect napping", "close", "effect.ask"])
    #expect(
      pendingWork.map(\.description) == [
        "late is due at 5 s", "effect napping waits (#3)", "close is due at 30 s",
        "effect.ask waits (#2)",
      ])
    #expect(try host.stop() == pendingWork)
  }

  @Test("queued actions are pending work")
  func queued() throws {
    let flow = try LoadedFlow(
      source: """
        state { n = 0 } action.go {} action.next { n = integer }
        function effect.go() dispatch.next { n = 7 } end
        """)
    let engine = try Engine(flow, limits: Limits(), log: ScriptLog { _ in })
    _ = engine.dispatch("go", [:])
    let item = try #require(engine.pendingWork.first)
    #expect(item.kind == .queued && item.due == nil && item.dueSeconds == nil)
    #expect(item.action == "next" && item.payload == ["n": 7] && item.cause == 1)
    #expect(item.description == "next is queued (by #1)")
  }
}
