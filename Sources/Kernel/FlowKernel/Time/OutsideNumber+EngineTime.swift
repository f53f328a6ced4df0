import LuaRuntime

extension OutsideNumber {
  /// Seconds of a calendar as microseconds; nil where they are none, or so many that between two of
  /// them lies more than a clock shows.
  package static func microseconds(_ seconds: Double) -> Int? {
    guard abs(seconds) * 1_000_000 < Double(EngineTime.last / 2) else { return nil }
    return EngineTime.microseconds(seconds)
  }
}
