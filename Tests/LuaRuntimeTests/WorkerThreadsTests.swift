import Dispatch
import Platform
import Testing

/// Threads for tasks that may block.
@Suite(.timeLimit(.minutes(5))) struct WorkerThreadsTests {
  /// How many jobs run, and how many did at once.
  private final class Counts: Sendable {
    private let state = Mutex((running: 0, most: 0))
    var running: Int { state.withLock(\.running) }
    var most: Int { state.withLock(\.most) }

    func start() {
      state.withLock { state in
        state.running += 1
        state.most = max(state.most, state.running)
      }
    }

    func end() { state.withLock { $0.running -= 1 } }
  }

  @Test("blocked jobs use no more threads than the limit, and the rest run once they are free")
  func limit() async {
    let threads = WorkerThreads(limit: 3)
    let gate = DispatchSemaphore(value: 0)
    let counts = Counts()
    let tasks = (0..<9).map { _ in
      Task.detached(executorPreference: threads) {
        counts.start()
        gate.wait()
        counts.end()
      }
    }
    while counts.running < 3 { await Task.yield() }
    for _ in 0..<9 { gate.signal() }
    for task in tasks { await task.value }
    #expect(counts.most == 3)
  }

  @Test("asynchronous code runs on the waiting thread, also after it was suspended")
  func caller() {
    let here = pthread_self()
    let seen = CallerThread.run { () async -> [Bool] in
      let before = pthread_equal(pthread_self(), here) != 0
      await Task.yield()
      return [before, pthread_equal(pthread_self(), here) != 0]
    }
    #expect(seen == [true, true])
    #expect(throws: CancellationError.self) {
      try CallerThread.run { () async throws in throw CancellationError() }
    }
  }
}
