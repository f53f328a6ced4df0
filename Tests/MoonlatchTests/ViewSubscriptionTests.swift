import FlowHosting
import FlowKernel
import Foundation
import Platform
import Testing

@Suite struct ViewSubscriptionTests {
  private let flow = """
    state { n = 0 }
    action.add {} function reduce.add(s) s.n = s.n + 1 end
    action.say {} function reduce.say(s) s.n = s.n + 1 print("inside") end
    function view.n(s) return s.n end
    """

  private final class Log: Sendable {
    private let lines = Mutex<[String]>([])
    func add(_ line: String) { lines.withLock { $0.append(line) } }
    var all: [String] { lines.withLock { $0 } }
  }

  @Test("a subscription ends when it is released, and releases its handler")
  func released() throws {
    let host = try FlowHost(source: flow)
    var log: Log? = Log()
    weak let gone = log
    var subscription: ViewSubscription? = try host.subscribe("n") { [log] _ in log?.add("told") }
    var observing: ViewSubscription? = try host.observe { [log] _ in log?.add("observed") }
    try host.passing("add")
    #expect(log?.all == ["told", "observed", "told"])
    log = nil
    #expect(gone != nil)
    (subscription, observing) = (nil, nil)
    #expect(gone == nil, "the handlers are gone before the host is called again")
    let before = try host.recomputations(of: "n")
    try host.passing("add")
    #expect(try host.recomputations(of: "n") == before)
    _ = (subscription, observing)
  }

  @Test("a subscription with an owner lasts as long as the owner, without being kept")
  func owned() throws {
    let host = try FlowHost(source: flow)
    let log = Log()
    try host.subscribe("n", owner: log) { log, _ in log.add("told") }
    try host.observe(owner: log) { log, _ in log.add("observed") }
    try host.passing("add")
    #expect(log.all == ["told", "observed", "told"])
    let kept = try host.observe(owner: log) { log, _ in log.add("again") }
    kept.cancel()
    try host.passing("add")
    #expect(log.all.suffix(2) == ["observed", "told"])
  }

  @Test("a subscription can be cancelled inside the host, and delivers nothing from then on")
  func inside() throws {
    let log = Log()
    let own = Mutex<ViewSubscription?>(nil)
    let host = try FlowHost(
      source: flow,
      options: HostOptions(
        clock: .virtual,
        print: { _ in
          own.withLock { $0 }?.cancel()
          log.add("cancelled")
        }))
    own.withLock { $0 = nil }
    let subscription = try host.subscribe("n") { log.add("\((try? $0.get()) ?? .nil)") }
    own.withLock { $0 = subscription }
    try host.passing("add")
    try host.passing("say")
    try host.passing("add")
    #expect(log.all == ["0", "1", "cancelled"])
  }

  @Test("cancelling does not wait for a dispatch on another thread")
  func another() async throws {
    let (events, signal) = AsyncStream.makeStream(of: String.self)
    let mayEnd = DispatchSemaphore(value: 0)
    let host = try FlowHost(
      source: flow,
      options: HostOptions(
        clock: .virtual,
        print: { _ in
          signal.yield("under way")
          mayEnd.wait()
        }))
    let log = Log()
    let subscription = try host.subscribe("n") { _ in log.add("told") }
    Thread.detachNewThread {
      signal.yield((try? host.dispatch("say"))?.isPassed == true ? "passed" : "failed")
    }
    var heard = events.makeAsyncIterator()
    #expect(await heard.next() == "under way")
    subscription.cancel()
    mayEnd.signal()
    #expect(await heard.next() == "passed")
    #expect(log.all == ["told"])
  }

  @Test("a subscription does not keep its host alive, and survives the host's end")
  func outliving() throws {
    var host: FlowHost? = try FlowHost(source: flow)
    weak let gone = host
    let subscription = try #require(host).subscribe("n") { _ in }
    host = nil
    #expect(gone == nil)
    subscription.cancel()
  }
}
