import FlowHosting
import FlowKernel
import LuaRuntime
import StateBlocks
import Platform
import Testing

/// The Swift of the page for those who come from Redux.
@Suite struct ReduxSampleTests: ReadsAsOnPage {
  let desk: Desk

  init() throws { desk = try Desk("ComingFromRedux") }

  @Test("the counter has its value")
  func counter() throws {
    let host = try FlowHost(flow: URL(filePath: "counter.lua"))
    let subscription = try host.subscribe("value") { value in print(value) }
    try host.dispatch("add", ["by": 2])
    subscription.cancel()
    #expect(desk.printed == ["success(0)", "success(2)"])
  }
}

/// The Swift of the page for those who come from ReSwift.
@Suite struct ReSwiftSampleTests: ReadsAsOnPage {
  let desk: Desk

  init() throws { desk = try Desk("ComingFromReSwift") }

  private final class Label: Sendable {
    let count = Mutex(0)
    func show(_ value: Result<Value, ViewError>) { count.withLock { $0 += 1 } }
  }

  @Test("a label is set")
  func label() throws {
    let label = Label()
    let host = try FlowHost(flow: URL(filePath: "counter.lua"))
    try host.subscribe("count", owner: label) { label, count in
      label.show(count)
    }
    try host.dispatch("add", ["by": 2])
    #expect(label.count.withLock { $0 } == 2)
  }
}

/// The Swift of the page for those who come from Elixir's Agent.
@Suite struct AgentSampleTests: ReadsAsOnPage {
  let desk: Desk

  init() throws { desk = try Desk("ComingFromAgent") }

  @Test("an agent counts")
  func agent() throws {
    let counter = Agent(0, name: "counter")
    try counter.update { $0 += 1 }
    let now = try counter.fetch { $0 }
    let old = try counter.fetchAndUpdate { count in
      defer { count += 1 }
      return count
    }
    print(now, old, try counter.fetch { $0 })  // 1 1 2
    try expectPrinted(as: "counter.update")
  }

  @Test("a flow counts with rules")
  func flow() throws {
    let host = try FlowHost(flow: URL(filePath: "counter.lua"))
    print(try host.dispatch("reset"))  // refused by gate reset: there is nothing to reset
    try host.dispatch("add")
    let n: Int = try host.view("n")
    print(n)  // 1
    try expectPrinted(as: "counter.lua")
  }
}
