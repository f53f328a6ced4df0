import Moonlatch
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct HostClockTests {
  /// A clock that moves when a test says so, and wakes whoever it has passed.
  private final class TestClock: Clock {
    struct Instant: InstantProtocol {
      var offset: Duration
      func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
      func duration(to other: Instant) -> Duration { other.offset - offset }
      static func < (one: Instant, other: Instant) -> Bool { one.offset < other.offset }
    }

    private struct State {
      var now = Instant(offset: .seconds(100))
      var sleepers: [(due: Instant, wake: CheckedContinuation<Void, Never>)] = []
      var watcher: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())
    let minimumResolution: Duration = .microseconds(1)
    var now: Instant { state.withLock { $0.now } }

    func sleep(until deadline: Instant, tolerance: Duration?) async {
      await withCheckedContinuation { continuation in
        let (isDue, watcher) = state.withLock { state in
          if state.now >= deadline { return (true, nil as CheckedContinuation<Void, Never>?) }
          state.sleepers.append((deadline, continuation))
          defer { state.watcher = nil }
          return (false, state.watcher)
        }
        watcher?.resume()
        if isDue { continuation.resume() }
      }
    }

    /// Waits until somebody sleeps.
    func someoneSleeps() async {
      await withCheckedContinuation { continuation in
        let isAsleep = state.withLock { state in
          if state.sleepers.isEmpty { state.watcher = continuation }
          return !state.sleepers.isEmpty
        }
        if isAsleep { continuation.resume() }
      }
    }

    func advance(by duration: Duration) {
      let woken = state.withLock { state in
        state.now = state.now.advanced(by: duration)
        let due = state.sleepers.filter { $0.due <= state.now }
        state.sleepers.removeAll { $0.due <= state.now }
        return due
      }
      for sleeper in woken { sleeper.wake.resume() }
    }
  }

  private static let flow = """
    state { at = -1.0 }
    action.go {}
    action.ring {}
    function effect.go() after(3, "ring") end
    function reduce.ring(s) s.at = now() end
    function view.at(s) return s.at end
    """

  @Test("a host is driven by a clock of the program's own, which wakes it for its timers")
  func driven() async throws {
    let clock = TestClock()
    let host = try FlowHost(source: Self.flow, options: HostOptions(clock: .driven(by: clock)))
    var values = host.values(of: "at", as: Double.self, buffering: .unbounded).makeAsyncIterator()
    #expect(try await values.next() == -1)
    clock.advance(by: .seconds(1))
    try host.dispatch("go")
    await clock.someoneSleeps()
    clock.advance(by: .seconds(3))
    #expect(try await values.next() == 4)
    #expect(throws: HostError.self) { try host.advance(1) }
  }

  @Test("a clock that goes back stands still for the flow")
  func backwards() throws {
    let clock = TestClock()
    let host = try FlowHost(source: Self.flow, options: HostOptions(clock: .driven(by: clock)))
    clock.advance(by: .seconds(2))
    try host.dispatch("ring")
    clock.advance(by: .seconds(-1))
    try host.dispatch("ring")
    #expect(try host.view("at") == 2.0)
  }
}
