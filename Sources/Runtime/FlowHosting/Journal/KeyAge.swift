import FlowKernel

/// How long a journal keeps keys, and the clock by which it does.
package struct KeyAge: Sendable {
  /// In microseconds.
  package let age: Int
  /// What the wall clock shows, in microseconds since 1970.
  package let wall: @Sendable () -> Int

  /// As long as journals keep keys unless they are told otherwise: a week.
  package static let week = Duration.seconds(7 * 24 * 3_600)

  package init(_ age: Duration, wall: @escaping @Sendable () -> Int = EngineTime.wall) {
    (self.age, self.wall) = (max(0, EngineTime.microseconds(age)), wall)
  }

  /// Whether a key that was answered at one time is forgotten at another, which is now by default.
  package func isForgotten(_ time: Int, at now: Int? = nil) -> Bool {
    EngineTime.later(time, by: age) < now ?? wall()
  }
}
