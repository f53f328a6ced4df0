import Platform

/// The clock of a host and a wall clock, which only advance on request; the wall clock can also be set.
final class MovingClock: Clock {
  struct Instant: InstantProtocol {
    var offset: Duration
    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (one: Instant, other: Instant) -> Bool { one.offset < other.offset }
  }

  private let state: Mutex<(offset: Duration, wall: Int)>
  let minimumResolution: Duration = .microseconds(1)

  init(wall: Int = 1_700_000_000_000_000) { state = Mutex((.zero, wall)) }

  /// Returns the clocks of another process that starts now.
  func restarted() -> MovingClock { MovingClock(wall: wall) }

  var now: Instant { Instant(offset: state.withLock(\.offset)) }
  /// The wall clock, in microseconds since 1970.
  var wall: Int { state.withLock(\.wall) }

  /// Advances both clocks.
  func pass(_ seconds: Double) {
    let microseconds = Int(seconds * 1_000_000)
    state.withLock { state in
      state.offset += .microseconds(microseconds)
      state.wall += microseconds
    }
  }

  /// Sets the wall clock forward or back.
  func setWall(by seconds: Int) { state.withLock { $0.wall += seconds * 1_000_000 } }

  /// Never returns before cancellation: a host checks the time whenever it is called.
  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
    for await _ in stream {}
    continuation.finish()
    throw CancellationError()
  }
}
