import Dispatch
import FlowHosting
import FlowKernel
import Platform
import Testing

@Suite(.timeLimit(.minutes(5))) struct FlowHostWaitingTests {
  private let flow = """
    state { n = 0, order = list {} }
    action.add {} function reduce.add(s) s.n = s.n + 1 end
    action.note { i = integer } function reduce.note(s, a) table.insert(s.order, a.i) end
    action.hold {} function effect.hold(self) self:hold() end
    action.ask {} function effect.ask(self) self:answer() dispatch.add() end
    action.twice {}
    effect("first", "twice", function(self) self:answer() dispatch.add() end)
    effect("second", "twice", function(self) self:answer() self:answer() dispatch.add() end)
    action.fail {} function reduce.fail() error("no") end
    function view.n(s) return s.n end
    function view.order(s) return s.order end
    """

  /// Lets nobody through until it is opened.
  private final class Gate: Sendable {
    private let state = Mutex((isOpen: false, waiting: [CheckedContinuation<Void, Never>]()))

    func pass() async {
      await withCheckedContinuation { continuation in
        let isOpen = state.withLock { state in
          if !state.isOpen { state.waiting.append(continuation) }
          return state.isOpen
        }
        if isOpen { continuation.resume() }
      }
    }

    var count: Int { state.withLock { $0.waiting.count } }

    func open() {
      let waiting = state.withLock { state in
        state.isOpen = true
        defer { state.waiting = [] }
        return state.waiting
      }
      for continuation in waiting { continuation.resume() }
    }
  }

  /// Keeps a host busy, on a thread of its own, until it is told to stop.
  private final class Holding: Sendable {
    private let isHeld = DispatchSemaphore(value: 0)
    private let mayGo = DispatchSemaphore(value: 0)
    let thread = DispatchQueue(label: "holding")

    /// Blocks the script that calls this.
    func hold() {
      isHeld.signal()
      mayGo.wait()
    }

    func begin(_ host: FlowHost) { hold(during: { _ = try? host.dispatch("hold") }) }

    /// Does something on the thread, and returns once it is held.
    func hold(during body: @escaping @Sendable () -> Void) {
      thread.async(execute: body)
      isHeld.wait()
    }

    func end() { mayGo.signal() }
  }

  /// Runs what tasks do one after the other, in the order in which they were made.
  private final class OneByOne: TaskExecutor {
    let queue = DispatchQueue(label: "one by one")

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
  }

  private func host(_ holding: Holding = Holding(), _ gate: Gate = Gate()) throws -> FlowHost {
    try FlowHost(source: flow, options: HostOptions(clock: .virtual)) { scopes in
      scopes.root.provide("hold") { holding.hold() }
      scopes.root.provide("answer") { () async throws in await gate.pass() }
    }
  }

  @Test("dispatchAndWait returns when all effects of the action have ended")
  func all() async throws {
    let gate = Gate()
    let host = try host(Holding(), gate)
    async let outcome = host.dispatchAndWait("twice")
    while gate.count < 2 { await Task.yield() }
    gate.open()
    #expect(try await outcome.isPassed)
    #expect(try await host.view("n") == 2)
  }

  @Test("8,000 tasks can wait for effects of one host at the same time")
  func thousands() async throws {
    let gate = Gate()
    let host = try host(Holding(), gate)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8_000 { group.addTask { _ = try await host.dispatchAndWait("ask") } }
      while gate.count < 8_000 { try await Task.sleep(for: .milliseconds(1)) }
      gate.open()
      try await group.waitForAll()
    }
    #expect(try await host.view("n") == 8_000)
  }

  @Test("tasks that wait for a busy host do not block threads of other tasks")
  func suspending() async throws {
    let holding = Holding()
    let host = try host(holding)
    holding.begin(host)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<64 { group.addTask { _ = try await host.dispatchAndWait("add") } }
      // On as many threads as there are cores: were they kept, nobody would come to this.
      for _ in 0..<200 { await Task.detached { await Task.yield() }.value }
      holding.end()
      try await group.waitForAll()
    }
    #expect(try await host.view("n") == 64)
  }

  /// Calls what hosts and cases have in common.
  private func work(_ instance: some FlowInstance, at desk: KeyedScope<Int>, _ key: Int)
    async throws
  {
    try await instance.settle()
    let opening = try await instance.open(desk, with: key)
    try await opening.dispatch("add", [:])
    try await opening.close()
    try await instance.advance(.seconds(1))
  }

  @Test("in generic code, scopes, settle and the clock of a busy host do not block threads")
  func generic() async throws {
    let holding = Holding()
    let desk = KeyedScope("desk", key: Int.self)
    let host = try FlowHost(source: flow, options: HostOptions(clock: .virtual)) { scopes in
      scopes.declare(desk)
      scopes.root.provide("hold") { holding.hold() }
    }
    holding.begin(host)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for key in 0..<64 { group.addTask { try await work(host, at: desk, key) } }
      for _ in 0..<200 { await Task.detached { await Task.yield() }.value }
      holding.end()
      try await group.waitForAll()
    }
    #expect(try await host.view("n") == 64)
    #expect(try host.elapsed == .seconds(64))
  }

  @Test("an answer that arrives while the host is busy does not block a thread")
  func answers() async throws {
    let (holding, gate) = (Holding(), Gate())
    let host = try host(holding, gate)
    for _ in 0..<64 { try await host.dispatch("ask") }
    while gate.count < 64 { await Task.yield() }
    holding.begin(host)
    gate.open()
    for _ in 0..<200 { await Task.detached { await Task.yield() }.value }
    holding.end()
    var values = host.values(of: "n", as: Int.self).makeAsyncIterator()
    while let n = try await values.next(), n < 64 {}
  }

  @Test("tasks that wait for a busy host are served in order")
  func order() async throws {
    let holding = Holding()
    let host = try host(holding)
    holding.begin(host)
    let executor = OneByOne()
    let tasks = (1...50).map { i in
      Task(executorPreference: executor) {
        _ = try await host.dispatchAndWait("note", ["i": .integer(i)])
      }
    }
    executor.queue.sync {}
    holding.end()
    for task in tasks { try await task.value }
    #expect(try await host.view("order") == .list((1...50).map { .integer($0) }))
  }

  @Test("calls that wait for a busy host throw if the host is stopped")
  func stopped() async throws {
    let holding = Holding()
    let host = try host(holding)
    holding.begin(host)
    let executor = OneByOne()
    let tasks = (1...3).map { _ in
      Task(executorPreference: executor) { try await host.dispatchAndWait("add") }
    }
    executor.queue.sync {}
    let stopping = Task.detached { holding.thread.sync { _ = try? host.stop() } }
    holding.end()
    await stopping.value
    for task in tasks {
      switch await task.result {
      case .success(let outcome): #expect(outcome.isPassed)
      case .failure(let error): #expect("\(error)".contains("stopped"))
      }
    }
    await #expect(throws: AgentError.self) { try await host.dispatchAndWait("add") }
  }

  @Test("dispatchAndWait returns after observers have been notified of its effects' commits")
  func told() async throws {
    let gate = Gate()
    gate.open()
    let host = try host(Holding(), gate)
    let heard = Heard()
    let observing = try host.observe { heard.add("\($0)") }
    for i in 0..<50 {
      _ = try await host.dispatchAndWait("ask")
      #expect(heard.all.count == 2 * i + 2)
    }
    observing.cancel()
  }

  @Test(
    "tasks that wait for a slow subscriber to be notified do not block threads of others",
    arguments: [false, true])
  func slowSubscriber(isJournaled: Bool) async throws {
    let holding = Holding()
    let loaded = try LoadedFlow(source: flow)
    let options = HostOptions(clock: .virtual)
    let host =
      isJournaled
      ? try FlowHost(loaded, journal: MemoryJournal(), options: options)
      : try FlowHost(loaded, options: options)
    let subscription = try host.subscribe("n") { value in
      if case .success(1) = value { holding.hold() }
    }
    // The one who tells the subscriber is a thread of its own.
    holding.hold(during: { _ = try? host.dispatch("add") })
    let tasks = (0..<64).map { _ in Task { try await host.dispatchAndWait("add") } }
    while try await host.view("n") != 65 { await Task.yield() }
    for _ in 0..<200 { await Task.detached { await Task.yield() }.value }
    #expect(try await host.view("n") == 65)
    holding.end()
    for task in tasks { #expect(try await task.value.isPassed) }
    subscription.cancel()
    try await host.stop()
  }

  @Test("cancelling a task ends neither its wait nor the flow's calls, but the host's end does")
  func cancelling() async throws {
    let gate = Gate()
    let (ended, cancelled) = (Count(), Count())
    let host = try FlowHost(source: flow, options: HostOptions(clock: .virtual)) { scopes in
      scopes.root.provide("answer") { () async throws in
        await gate.pass()
        if Task.isCancelled { cancelled.add() }
      }
    }
    let tasks = (0..<100).map { _ in
      Task {
        defer { ended.add() }
        return try await host.dispatchAndWait("ask")
      }
    }
    while gate.count < 100 { await Task.yield() }
    for task in tasks { task.cancel() }
    for _ in 0..<200 { await Task.detached { await Task.yield() }.value }
    #expect(ended.now == 0)
    try await host.stop()
    for task in tasks { #expect(try await task.value.isPassed) }
    gate.open()
    while cancelled.now < 100 { await Task.yield() }
  }
}
