import FlowHosting
import FlowKernel
import StateBlocks
import Platform
import Testing

@Suite struct HostOptionsTests {
  private let flow = """
    state { n = 0 }
    action.go {} function reduce.go(s) s.n = s.n + 1 end
    action.call {} function reduce.call(s) print("calling") end
    function effect.go() error("late") end
    """

  private func options(_ id: String?, _ lines: Trial.Lines) -> HostOptions {
    HostOptions(id: id, clock: .virtual, print: { lines.add($0) }, report: { lines.add("\($0)") })
  }

  @Test("a host is named by its id in reports and errors, and by its flow's name without one")
  func id() throws {
    let lines = Trial.Lines()
    let named = try FlowHost(source: flow, options: options("order 17", lines))
    let plain = try FlowHost(source: flow, options: options(nil, lines))
    #expect(named.id == "order 17" && plain.id == "flow.lua" && named.name == "flow.lua")
    for host in [named, plain] { try host.passing() }
    #expect(
      lines.take().map { $0.split(separator: "\n")[0] } == [
        "order 17: effect.go did not finish: flow.lua:4: late",
        "effect.go did not finish: flow.lua:4: late",
      ])
    try named.passing("call")
    #expect(lines.take() == ["calling"], "what a script prints is its own")
    #expect { try named.advance(-1) } throws: {
      "\($0)" == "order 17: advance takes 0 or more seconds, not -1.0"
        && ($0 as? HostError)?.host == "order 17"
    }
    #expect { try plain.advance(-1) } throws: {
      "\($0)" == "advance takes 0 or more seconds, not -1.0" && ($0 as? HostError)?.host == nil
    }
    let scope = KeyedScope("none", key: Int.self)
    #expect { try named.open(scope, with: 1) } throws: {
      "\($0)" == "order 17: this host has not declared scope none"
    }
    #expect {
      try FlowHost(source: flow, options: options("order 18", lines)) { $0.declare(scope) }
        .reload(to: LoadedFlow(source: flow.replacing("go", with: "come")), .replay)
    } throws: { "\($0)".hasPrefix("order 18: a replay needs") }
    #expect {
      try FlowHost(source: flow, options: options("order 19", lines)) {
        $0["usr"].provide("a") { 1 }
      }
    } throws: { "\($0)".hasPrefix("order 19: flow.lua declares no scope usr") }
  }

  @Test("a report has a kind, the host's id, the flow and a message")
  func kinds() throws {
    let reports = Mutex<[HostReport]>([])
    let host = try FlowHost(
      source: flow + """

        action.chain {} internal.refused {} internal.broken {}
        function gate.refused() return false, "never" end
        function reduce.broken() error("broken") end
        function effect.chain() dispatch.refused() dispatch.broken() end
        """,
      options: HostOptions(
        id: "order 17", clock: .virtual,
        report: { report in reports.withLock { $0.append(report) } }))
    for action in ["go", "chain"] { try host.passing(action) }
    let all = reports.withLock { $0 }
    #expect(all.map(\.kind) == [.effectFailed, .actionRefused, .actionFailed])
    #expect(all.allSatisfy { $0.host == "order 17" && $0.flow == "flow.lua" })
    #expect(all.first?.message.hasPrefix("effect.go did not finish") == true)
    #expect(all.first?.description.hasPrefix("order 17: effect.go did not finish") == true)
  }

  @Test("the error of a re-entrant call names the chain of hosts by their ids")
  func chain() throws {
    let hosts = Mutex<[FlowHost]>([])
    let heard = Trial.Lines()
    func calling(_ other: Int) -> @Sendable (String) -> Void {
      { _ in
        do {
          try hosts.withLock { $0[other] }.dispatch("call")
        } catch {
          if case .reentrant(let chain) = error as? AgentError {
            heard.add(chain.joined(separator: " "))
          }
        }
      }
    }
    var options = HostOptions(id: "first", clock: .virtual, print: calling(1))
    let first = try FlowHost(source: flow, options: options)
    options.id = "second"
    options.print = calling(0)
    let second = try FlowHost(source: flow, options: options)
    hosts.withLock { $0 = [first, second] }
    try first.passing("call")
    #expect(heard.all == ["first second first"])
    try second.stop()
    #expect { try second.dispatch("go") } throws: { "\($0)".contains("\"second\"") }
    hosts.withLock { $0 = [] }
  }
}
