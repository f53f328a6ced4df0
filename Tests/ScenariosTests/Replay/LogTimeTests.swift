import Testing

@testable import Scenarios

@Suite struct LogTimeTests {
  @Test(
    "times are read with zone, fraction, or as a date alone",
    arguments: [
      ("1970-01-01", 0), ("1970-01-01T00:00:01Z", 1_000_000),
      ("1970-01-01 01:00:00.25+01:00", 250_000), ("1970-01-01T00:00-0130", 5_400_000_000),
      ("2000-02-29 00:00:00", 951_782_400_000_000), ("1969-12-31T23:59:59", -1_000_000),
    ])
  func read(text: String, microseconds: Int) { #expect(LogTime.microseconds(text) == microseconds) }

  @Test(
    "what is no time is none",
    arguments: ["", "now", "2001-02-29", "2001-13-01", "2001-01-01T25:00", "2001-01-01T10:00+1"])
  func refused(text: String) { #expect(LogTime.microseconds(text) == nil) }
}
