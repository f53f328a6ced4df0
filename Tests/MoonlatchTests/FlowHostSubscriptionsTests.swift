import Dispatch
import FlowHosting
import FlowKernel
import StateBlocks
import Platform
import struct Synchronization.Atomic
import Testing

@Suite(.timeLimit(.minutes(5))) struct HostSubscriptionsTests {
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

  @Test("a subscription ends with its owner, and does not keep it alive")
  func owner() throws {
    let host = try FlowHost(source: flow)
    var owner: Owner? = Owner()
    weak let gone = owner
    try host.subscribe("n", owner: try #require(owner)) { owner, value in
      owner.tell("\((try? value.get()) ?? .nil)")
    }
    try host.observe(owner: try #require(owner)) { owner, commit in owner.tell("\(commit)")
    }
    try host.passing("add")
    #expect(owner?.told.withLock { $0 } == ["0", "add passed (#1)", "1"])
    owner = nil
    #expect(gone == nil)
    let before = try host.recomputations(of: "n")
    try host.passing("add")
    #expect(try host.recomputations(of: "n") == before)
  }

  @Test("an observer gets every commit in order, until it is cancelled, across reloads")
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

  @Test("dispatchAndWait returns when the effects of the action have ended")
  func waiting() async throws {
    let host = try FlowHost(source: flow) { scopes in
      scopes.root.provide("answer") { () async throws in await Task.yield() }
    }
    let outcome = try await host.dispatchAndWait("ask")
    #expect(outcome.isPassed)
    #expect(try await host.view("n") == 1)
  }

  @Test("dispatchAndWait returns at once if nothing was started, or when the host stops")
  func notWaiting() async throws {
    let host = try FlowHost(source: flow) { scopes in
      scopes.root.provide("answer") { () async throws in try await Task.sleep(for: .seconds(600)) }
    }
    #expect(try await host.dispatchAndWait("add").isPassed)
    #expect(try await !host.dispatchAndWait("fail").isPassed)
    #expect(try await !host.dispatchAndWait("ad").isPassed)
    async let waiting = host.dispatchAndWait("ask")
    while try await host.settle().isEmpty { await Task.yield() }
    try await host.stop()
    #expect(try await waiting.isPassed)
    await #expect(throws: (any Error).self) { try await host.dispatchAndWait("add") }
  }
}

/// The order in which dispatches return and observers are notified.
@Suite(.timeLimit(.minutes(5))) struct HostTellingTests {
  private let flow = """
    state { n = 0, m = 0 }
    action.add {} function reduce.add(s) s.n = s.n + 1 end
    action.more {} function reduce.more(s) s.m = s.m + 1 end
    action.never {} function gate.never() return false, "never" end
    function view.n(s) return s.n end
    function view.m(s) return s.m end
    """

  /// A subscriber that is kept at its first call until a test lets it go.
  private final class Slow: Sendable {
    private let isThere = DispatchSemaphore(value: 0)
    private let mayGo = DispatchSemaphore(value: 0)
    private let calls = Atomic(0)

    func told() {
      guard calls.wrappingAdd(1, ordering: .relaxed).newValue == 1 else { return }
      isThere.signal()
      mayGo.wait()
    }

    func begins() { isThere.wait() }
    func end() { mayGo.signal() }
  }

  @Test("a dispatch returns once its observers have been notified, on whichever thread")
  func contended() async throws {
    let host = try FlowHost(source: flow)
    let told = Mutex<Set<Int>>([])
    let observing = try host.observe { commit in
      _ = told.withLock { $0.insert(commit.revision) }
    }
    let early = Atomic(0)
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for _ in 0..<500 {
        guard case .passed(let commit)? = try? host.dispatch("add") else { continue }
        if !told.withLock({ $0.contains(commit.revision) }) {
          early.wrappingAdd(1, ordering: .relaxed)
        }
      }
    }
    #expect(early.load(ordering: .relaxed) == 0)
    #expect(told.withLock { $0.count } == 4_000)
    observing.cancel()
  }

  @Test("a dispatch waits for a slow observer of its commit, also on another thread")
  func slow() async throws {
    let host = try FlowHost(source: flow)
    let (slow, heard) = (Slow(), Heard())
    let observing = try host.observe { commit in
      slow.told()
      heard.add("\(commit)")
    }
    let (first, second) = (DispatchQueue(label: "first"), DispatchQueue(label: "second"))
    first.async { _ = try? host.dispatch("add") }
    slow.begins()
    second.async {
      _ = try? host.dispatch("add")
      heard.add("back after \(heard.all.count)")
    }
    // The transition is made, and the caller still waits.
    while try host.revision < 2 { await Task.yield() }
    #expect(heard.all == [])
    slow.end()
    #expect(
      await heard.lines(3) == ["add passed (#1)", "add passed (#2)", "back after 2"])
    observing.cancel()
  }

  @Test("a slow subscriber does not block calls that do not concern it")
  func others() async throws {
    let host = try FlowHost(source: flow)
    let (slow, heard) = (Slow(), Heard())
    _ = try await host.dispatch("add")
    let subscription = try host.subscribe("n") { value in
      if case .success(2) = value { slow.told() }
      heard.add("\((try? value.get()) ?? .nil)")
    }
    let thread = DispatchQueue(label: "slow")
    thread.async { _ = try? host.dispatch("add") }
    slow.begins()
    #expect(try await host.view("n") == 2)
    #expect(try await host.may("add").isGranted)
    #expect(try await !host.dispatch("never").isPassed)
    #expect(try await host.dispatch("more").isPassed)
    #expect(try await host.dispatchAndWait("more").isPassed)
    #expect(try await host.view("m") == 2)
    #expect(heard.all == ["1"])
    slow.end()
    #expect(await heard.lines(2) == ["1", "2"])
    thread.sync {}
    subscription.cancel()
  }

  @Test("a dispatch inside a subscriber returns before other subscribers are notified of it")
  func inside() throws {
    let host = try FlowHost(source: flow)
    let heard = Heard()
    let observing = try host.observe { commit in
      heard.add("told \(commit.revision)")
      if commit.revision == 1 {
        _ = try? host.dispatch("add")
        heard.add("back")
      }
    }
    try host.dispatch("add")
    #expect(heard.all == ["told 1", "back", "told 2"])
    observing.cancel()
  }

  @Test("a dispatch inside an agent's closure notifies observers after the closure has ended")
  func insideAnAgent() throws {
    let host = try FlowHost(source: flow)
    let log = Agent<[String]>([], name: "log")
    let observing = try host.observe { commit in
      try? log.update { $0.append("\(commit)") }
    }
    try log.update { lines in
      _ = try? host.dispatch("add")
      lines.append("dispatched")
    }
    #expect(try log.value == ["dispatched", "add passed (#1)"])
    observing.cancel()
  }

  @Test("two hosts whose subscribers dispatch to each other do not deadlock")
  func circle() async throws {
    let one = try FlowHost(source: flow, name: "one.lua")
    let other = try FlowHost(source: flow, name: "other.lua")
    let subscriptions = [
      try one.subscribe("n") { _ in _ = try? other.dispatch("more") },
      try other.subscribe("n") { _ in _ = try? one.dispatch("more") },
      try one.subscribe("m") { _ in }, try other.subscribe("m") { _ in },
    ]
    DispatchQueue.concurrentPerform(iterations: 2) { thread in
      for _ in 0..<500 { _ = try? (thread == 0 ? one : other).dispatch("add") }
    }
    #expect(try await one.view("n") == 500)
    #expect(try await one.view("m") == 501)
    #expect(try await other.view("m") == 501)
    for subscription in subscriptions { subscription.cancel() }
  }

  @Test("an observer of dispatches gets commits and rejections in order, whatever dispatched them")
  func dispatches() throws {
    var options = HostOptions()
    options.report = { _ in }
    let host = try FlowHost(
      source: """
        action.go {}
        internal.after_it {}
        gate["after_it"] = function() return false, "not today" end
        function effect.go() dispatch.after_it() end
        """, options: options)
    let log = Agent<[String]>([], name: "log")
    let observing = try host.observeDispatches(
      passed: { commit in try? log.update { $0.append("\(commit)") } },
      rejected: { dispatch in
        try? log.update {
          $0.append("\(dispatch.action) \(dispatch.outcome), because of \(dispatch.cause ?? 0)")
        }
      })
    try host.dispatch("go")
    try host.dispatch("went")
    let told = try log.value
    #expect(
      told == [
        "go passed (#1)", "after_it refused by gate after_it: not today, because of 1",
        "went there is no action went, because of 0",
      ])
    observing.cancel()
    try host.dispatch("go")
    #expect(try log.value.count == 3)
  }
}
