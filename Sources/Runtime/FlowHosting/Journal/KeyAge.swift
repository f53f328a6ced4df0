import FlowKernel

/// The age at which keys of a journal expire, with the clock by which it is measured.
package struct KeyAge: Sendable {
  /// The age, in microseconds.
  package let age: Int
  /// Returns the time of the wall clock, in microseconds since 1970.
  package let wall: @Sendable () -> Int

  /// The default age of journals: a week.
  package static let week = Duration.seconds(7 * 24 * 3_600)

  package init(_ age: Duration, wall: @escaping @Sendable () -> Int = EngineTime.wall) {
    (self.age, self.wall) = (max(0, EngineTime.microseconds(age)), wall)
  }

  /// True if a key that was answered at `time` has expired at `now`, which is the present by default.
  package func isForgotten(_ time: Int, at now: Int? = nil) -> Bool {
    EngineTime.later(time, by: age) < now ?? wall()
  }
}
