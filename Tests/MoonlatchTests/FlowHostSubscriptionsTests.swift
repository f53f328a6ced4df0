import Moonlatch
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct HostSubscriptionsTests {
  private let flow = """
    state { n = 0 }
    action.add {} function reduce.add(s) s.n = s.n + 1 end
    action.fail {} function reduce.fail(s) error("no") end
    action.ask {}
    function effect.ask(self) self:answer() dispatch.add() end
    function view.n(s) return s.n end
    """

  private final class Owner: Sendable {
    let told = Mutex<[String]>([])
    func tell(_ text: String) { told.withLock { $0.append(text) } }
  }

  @Test("a subscription ends with its owner, which it does not keep alive")
  func owner() throws {
    let host = try FlowHost(source: flow)
    var owner: Owner? = Owner()
    weak let gone = owner
    try host.subscribe("n", owner: try #require(owner)) { owner, value in
      owner.tell("\((try? value.get()) ?? .nil)")
    }
    try host.observe(owner: try #require(owner)) { owner, transition in owner.tell("\(transition)")
    }
    try host.passing("add")
    #expect(owner?.told.withLock { $0 } == ["0", "add passed (#1)", "1"])
    owner = nil
    #expect(gone == nil)
    let before = try host.recomputations(of: "n")
    try host.passing("add")
    #expect(try host.recomputations(of: "n") == before)
  }

  @Test("an observer is told of every transition in order, until it is cancelled, reloads included")
  func observe() throws {
    let host = try FlowHost(source: flow)
    let log = Owner()
    let observing = try host.observe { log.tell("\($0)") }
    try host.passing("add")
    try host.failure(of: "fail")
    try host.reload()
    try host.passing("add")
    #expect(log.told.withLock { $0 } == ["add passed (#1)", "add passed (#2)"])
    observing.cancel()
    try host.passing("add")
    #expect(log.told.withLock { $0.count } == 2)
  }

  @Test("dispatchAndWait comes back when the effects that the action started have ended")
  func waiting() async throws {
    let host = try FlowHost(source: flow) { scopes in
      scopes.root.provide("answer") { () async throws in await Task.yield() }
    }
    let outcome = try await host.dispatchAndWait("ask")
    #expect(outcome.isPassed)
    #expect(try host.view("n") == 1)
  }

  @Test("dispatchAndWait comes back at once when nothing was started, and when the host is stopped")
  func notWaiting() async throws {
    let host = try FlowHost(source: flow) { scopes in
      scopes.root.provide("answer") { () async throws in try await Task.sleep(for: .seconds(600)) }
    }
    #expect(try await host.dispatchAndWait("add").isPassed)
    #expect(try await !host.dispatchAndWait("fail").isPassed)
    #expect(try await !host.dispatchAndWait("ad").isPassed)
    async let waiting = host.dispatchAndWait("ask")
    while try host.settle().isEmpty { await Task.yield() }
    try host.stop()
    #expect(try await waiting.isPassed)
    await #expect(throws: (any Error).self) { try await host.dispatchAndWait("add") }
  }
}
