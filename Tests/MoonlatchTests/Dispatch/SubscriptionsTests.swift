import FlowHosting
import FlowKernel
import LuaRuntime
import Platform
import Testing

@Suite struct SubscriptionsTests {
  private let flow = """
    state { n = 0, m = 0 }
    action.n { by = integer { default = 1 } } function reduce.n(s, a) s.n = s.n + a.by end
    action.m {} function reduce.m(s) s.m = s.m + 1 end
    action.fail {} function reduce.fail(s) s.n = 99 error("no") end
    function view.n(s) return s.n end
    function view.even(s) return s.n % 2 == 0 end
    function view.m(s) return s.m end
    function view.picky(s) if s.n == 2 then error("not two") end return s.n end
    """

  private final class Log: Sendable {
    private let lines = Mutex<[String]>([])
    func add(_ line: String) { lines.withLock { $0.append(line) } }
    var all: [String] { lines.withLock { $0 } }
    func subscriber(_ name: String) -> @Sendable (Result<Value, ViewError>) -> Void {
      { result in
        switch result {
        case .success(let value): self.add("\(name) \(value)")
        case .failure(.failed(let error)): self.add("\(name) ! \(error.message)")
        case .failure(let error): self.add("\(name) ! \(error)")
        }
      }
    }
  }

  @Test("a subscriber gets the value at once, and then each change, in the order of subscription")
  func order() throws {
    let host = try FlowHost(source: flow)
    let log = Log()
    try host.watch("n", log.subscriber("first"))
    try host.watch("even", log.subscriber("even"))
    try host.watch("n", log.subscriber("second"))
    #expect(log.all == ["first 0", "even true", "second 0"])
    try host.passing("n")
    #expect(log.all.suffix(3) == ["first 1", "even false", "second 1"])
    try host.passing("n", ["by": 2])
    #expect(log.all.suffix(2) == ["first 3", "second 3"])
    try host.passing("m")
    try host.passing("n", ["by": 0])
    try host.failure(of: "fail")
    #expect(log.all.count == 8)
  }

  @Test("a subscriber is notified when its view fails, and when it has a value again")
  func failing() throws {
    let host = try FlowHost(source: flow)
    let log = Log()
    try host.watch("picky", log.subscriber("picky"))
    for _ in 1...4 { try host.passing("n") }
    #expect(log.all == ["picky 0", "picky 1", "picky ! not two", "picky 3", "picky 4"])
  }

  @Test("a cancelled subscription gets no more values, and can be cancelled twice")
  func cancelling() throws {
    let host = try FlowHost(source: flow)
    let log = Log()
    let subscription = try host.subscribe("n", log.subscriber("n"))
    try host.passing("n")
    subscription.cancel()
    subscription.cancel()
    try host.passing("n")
    #expect(log.all == ["n 0", "n 1"])
  }

  @Test("a subscriber may dispatch, and gets the resulting values afterwards, in order")
  func dispatching() throws {
    let host = try FlowHost(source: flow)
    let log = Log()
    try host.watch("n") { result in
      log.add("a \((try? result.get()) ?? .nil)")
      if case .success(1) = result { _ = try? host.dispatch("n") }
    }
    try host.watch("n", log.subscriber("b"))
    try host.passing("n")
    #expect(log.all == ["a 0", "b 0", "a 1", "b 1", "a 2", "b 2"])
  }

  @Test("a subscriber may cancel itself in its handler")
  func cancellingInside() throws {
    let host = try FlowHost(source: flow)
    let log = Log()
    let own = Mutex<ViewSubscription?>(nil)
    let subscription = try host.subscribe("n") { result in
      log.add("\((try? result.get()) ?? .nil)")
      if case .success(1) = result { own.withLock { $0 }?.cancel() }
    }
    own.withLock { $0 = subscription }
    for _ in 1...3 { try host.passing("n") }
    #expect(log.all == ["0", "1"])
  }

  @Test("an undeclared view cannot be subscribed to")
  func undeclared() throws {
    let host = try FlowHost(source: flow)
    #expect(throws: ViewError.self) { try host.subscribe("nn") { _ in } }
  }
}
