import LuaRuntime
import Platform

/// The clock of a session, which is virtual by default.
struct SessionClock {
  private(set) var isReal = false
  private var begun = 0

  /// The time since the flow began, in microseconds; nil with a virtual clock.
  var elapsed: Int? { isReal ? SessionClock.now - begun : nil }

  /// Resumes from a time of the flow, in microseconds.
  mutating func start(at time: Int) { begun = SessionClock.now - time }

  mutating func set(real: Bool, at time: Int) {
    isReal = real
    start(at: time)
  }

  private static var now: Int {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return now.tv_sec * 1_000_000 + now.tv_nsec / 1_000
  }
}

/// Durations as they are typed: `5s`, `500ms`, `1h30m`; a bare number is seconds.
enum TimeLength {
  static func seconds(_ text: String) -> Double? {
    let isBare = text.wholeMatch(of: /[0-9]+(\.[0-9]+)?/) != nil
    if isBare { return Double(text) }
    return Value.string(text.replacing(/\s+(?<unit>[a-z])/) { $0.unit }).seconds
  }

  /// Returns a duration as the prompt shows it, up to milliseconds.
  static func text(_ seconds: Double) -> String {
    DurationText.text((seconds * 1000).rounded() / 1000)
  }
}
