import Platform

extension Date {
  /// Creates a date from whole microseconds since 1970.
  package init(microseconds: Int) {
    self.init(timeIntervalSince1970: EngineTime.seconds(microseconds))
  }
}
