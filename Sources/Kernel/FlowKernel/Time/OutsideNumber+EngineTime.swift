import LuaRuntime

extension OutsideNumber {
  /// Converts seconds of a calendar to microseconds; nil if the result is out of range.
  ///
  /// In the range, the difference of any two times is a time that a clock can show.
  package static func microseconds(_ seconds: Double) -> Int? {
    guard abs(seconds) * 1_000_000 < Double(EngineTime.last / 2) else { return nil }
    return EngineTime.microseconds(seconds)
  }
}
