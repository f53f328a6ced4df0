import FlowHosting
import FlowKernel
import Testing

@Suite struct HostInspectionTests {
  private let flow = """
    state { user = none }
    action.open {} action.load {} action.log_in { id = string } action.log_out {}
    machine.door { initial = "closed", closed = { open = "opened" }, opened = {} }
    machine.light { initial = "off", off = { load = "on" }, on = { load = "on" } }
    gatekeeper.loading { load = "attempt" }
    gatekeeper.phase { load = { attempt = { "read", "write" } } }
    scope.user { key = function(s) return s.user end }
    scope.editor { parent = "user", key = function(s) return s.user end }
    function reduce.log_in(s, a) s.user = a.id end
    function reduce.log_out(s) s.user = nil end
    """

  private func host() throws -> FlowHost {
    try FlowHost(source: flow, options: HostOptions(clock: .virtual))
  }

  @Test("the state of each machine can be read by its name")
  func machines() throws {
    let host = try host()
    #expect(try host.machines == ["door": "closed", "light": "off"])
    try host.passing("open")
    #expect(try host.machine("door") == "opened")
    #expect(try host.machine("light") == "off")
    #expect(try host.machine("dor") == nil)
  }

  @Test("the status has machines, passages, scopes and pending work of one revision")
  func status() async throws {
    let host = try host()
    try await host.dispatch("load")
    let status = try await host.status()
    #expect(status.revision == 1)
    #expect(status.machines == ["door": "closed", "light": "on"])
    #expect(status.passages.map(\.gatekeeper) == ["loading", "phase", "phase"])
    #expect(status.openScopes.map(\.name) == ["root"])
    #expect(status.pendingWork.isEmpty)
    #expect(status.elapsed == .zero)
  }

  @Test("held passages can be read: the gatekeeper, who took them and when")
  func passages() throws {
    let host = try host()
    #expect(try host.passages.isEmpty)
    try host.advance(.seconds(3))
    try host.passing("load")
    let passages = try host.passages
    #expect(passages.map(\.gatekeeper) == ["loading", "phase", "phase"])
    #expect(passages.map(\.option) == [nil, "read", "write"])
    #expect(passages.allSatisfy { $0.action == "load" && $0.revision == 1 })
    #expect(passages.allSatisfy { $0.time == 3 && $0.elapsed == .seconds(3) })
  }

  @Test("open scopes can be read, with the key in the state and what opened them")
  func scopes() throws {
    let desk = KeyedScope("desk", key: Int.self, parent: "user")
    let host = try FlowHost(source: flow, options: HostOptions(clock: .virtual)) {
      $0.declare(desk)
    }
    #expect(try host.openScopes.map(\.name) == ["root"])
    try host.passing("log_in", ["id": "ann"])
    _ = try host.open(desk, with: 1)
    _ = try host.open(desk, with: 2)
    let scopes = try host.openScopes
    #expect(scopes.map(\.name) == ["root", "user", "editor", "desk", "desk"])
    #expect(scopes.map(\.parent) == [nil, "root", "user", "user", "user"])
    #expect(scopes.map(\.key) == [nil, "ann", "ann", nil, nil])
    #expect(scopes.map(\.isHosts) == [false, false, false, true, true])
    try host.passing("log_out")
    #expect(try host.openScopes.map(\.name) == ["root"])
  }

  @Test("the host's clock can be read, and advanced by a Duration or by seconds")
  func clock() throws {
    let host = try host()
    try host.advance(.milliseconds(1_500))
    try host.advance(0.25)
    #expect(try host.elapsed == .milliseconds(1_750))
    #expect { try host.advance(.seconds(-1)) } throws: {
      ($0 as? HostError)?.kind == .invalidTime
        && "\($0)" == "advance takes 0 or more seconds, not -1.0"
    }
  }

  @Test(
    "`instructionsUsed` counts each call in steps of 997, and separately the work done in C",
    arguments: [
      ("s.n = s.n + 1", 0),
      ("for _ = 1, 900 do end s.n = 1", 0),
      ("for _ = 1, 1000 do end s.n = 1", 997),
      ("for _ = 1, 10000 do end s.n = 1", 9_970),
      ("coroutine.create(function() end) s.n = 1", 1_000),
    ])
  func instructions(work: String, count: Int) throws {
    let host = try FlowHost(
      source: "state { n = 0 } action.go {} function reduce.go(s) \(work) end",
      options: HostOptions(clock: .virtual))
    for _ in 1...3 {
      let before = try host.instructionsUsed
      #expect(try host.dispatch("go").isPassed)
      #expect(try host.instructionsUsed - before == count)
    }
  }
}
