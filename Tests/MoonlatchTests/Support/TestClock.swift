import Platform

/// A clock that advances on request, wakes its sleepers, and counts calls.
final class TestClock: Clock {
  struct Instant: InstantProtocol {
    var offset: Duration
    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (one: Instant, other: Instant) -> Bool { one.offset < other.offset }
  }

  private struct Sleeper {
    let due: Instant
    let wake: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var now = Instant(offset: .seconds(100))
    var reads = 0
    var sleeps = 0
    var last = 0
    var sleepers: [Int: Sleeper] = [:]
    var cancelled: Set<Int> = []
    var watchers: [(isThere: (Int) -> Bool, go: CheckedContinuation<Void, Never>)] = []

    /// Removes and returns the watchers that wait for the present number of sleepers.
    mutating func takeWatchers() -> [CheckedContinuation<Void, Never>] {
      let count = sleepers.count
      defer { watchers.removeAll { $0.isThere(count) } }
      return watchers.filter { $0.isThere(count) }.map(\.go)
    }
  }

  private let state = Mutex(State())
  /// True if a sleep returns at once, which a correct clock never does.
  private let wakesTooEarly: Bool
  let minimumResolution: Duration = .microseconds(1)

  init(wakesTooEarly: Bool = false) { self.wakesTooEarly = wakesTooEarly }

  var now: Instant {
    state.withLock { state in
      state.reads += 1
      return state.now
    }
  }

  /// How often somebody asked for the time.
  var reads: Int { state.withLock { $0.reads } }
  /// How often somebody went to sleep, and how many sleep now.
  var sleeps: Int { state.withLock { $0.sleeps } }
  var sleepers: Int { state.withLock { $0.sleepers.count } }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    let number = state.withLock { state in
      state.sleeps += 1
      state.last += 1
      return state.last
    }
    if wakesTooEarly { return }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let (result, watchers) = state.withLock {
          state -> (Result<Void, any Error>?, [CheckedContinuation<Void, Never>]) in
          if state.cancelled.remove(number) != nil {
            return (.failure(CancellationError()), [])
          }
          if state.now >= deadline { return (.success(()), []) }
          state.sleepers[number] = Sleeper(due: deadline, wake: continuation)
          return (nil, state.takeWatchers())
        }
        if let result { continuation.resume(with: result) }
        for watcher in watchers { watcher.resume() }
      }
    } onCancel: {
      let (sleeper, watchers) = state.withLock { state in
        let sleeper = state.sleepers.removeValue(forKey: number)
        if sleeper == nil { state.cancelled.insert(number) }
        return (sleeper, state.takeWatchers())
      }
      sleeper?.wake.resume(throwing: CancellationError())
      for watcher in watchers { watcher.resume() }
    }
  }

  /// Waits until so many sleep.
  func sleepers(_ isThere: @escaping @Sendable (Int) -> Bool) async {
    await withCheckedContinuation { continuation in
      let go = state.withLock { state in
        state.watchers.append((isThere, continuation))
        return state.takeWatchers()
      }
      for watcher in go { watcher.resume() }
    }
  }

  func advance(by duration: Duration) {
    let woken = state.withLock { state in
      state.now = state.now.advanced(by: duration)
      let now = state.now
      let due = state.sleepers.filter { $0.value.due <= now }
      for number in due.keys { state.sleepers[number] = nil }
      return due.values.map(\.wake)
    }
    for wake in woken { wake.resume() }
  }
}
