import Testing

@testable import Scenarios

@Suite struct LogTimeTests {
  @Test(
    "times are read with zone, fraction, or as a date alone",
    arguments: [
      ("1970-01-01", 0), ("1970-01-01T00:00:01Z", 1_000_000),
      ("1970-01-01 01:00:00.25+01:00", 250_000), ("1970-01-01T00:00-0130", 5_400_000_000),
      ("2000-02-29 00:00:00", 951_782_400_000_000), ("1969-12-31T23:59:59", -1_000_000),
      ("1970-01-01 00:00:01 UTC", 1_000_000), ("1970-01-01 00:00:01GMT", 1_000_000),
      ("1970-01-01 01:00:01 +0100", 1_000_000),
    ])
  func read(text: String, microseconds: Int) { #expect(LogTime.microseconds(text) == microseconds) }

  @Test(
    "times are read in the format that is said",
    arguments: [
      ("19700101T000001Z", LogTime.Format.compact, 1_000_000),
      ("19700102", .compact, 86_400_000_000),
      ("19700101000001", .compact, 1_000_000), ("1.1.1970 00:00", .dotted, 0),
      ("02.01.1970 00:00:01.5", .dotted, 86_401_500_000), ("1970/1/2", .yearFirst, 86_400_000_000),
      ("02/01/1970", .dayFirst, 86_400_000_000), ("01/02/1970", .monthFirst, 86_400_000_000),
      ("1500", .milliseconds, 1_500_000), ("1.5", .seconds, 1_500_000),
    ])
  func formats(text: String, format: LogTime.Format, microseconds: Int) {
    #expect(LogTime.microseconds(text, as: format) == microseconds)
  }

  @Test(
    "what does not stand in the format is none",
    arguments: [
      ("1970-01-01", LogTime.Format.dotted), ("31.02.1970", .dotted), ("13/13/1970", .dayFirst),
      ("1970/01/01x", .yearFirst), ("1970-01-01 00:00 UT", .iso), ("1970-01-01 00:00 ", .iso),
      ("1970-01-01 00:00 UTC+1", .iso), ("19700101T00", .compact), ("", .seconds),
      ("x", .milliseconds),
      ("01.01.70", .dotted), ("1e300", .seconds),
    ])
  func misfits(text: String, format: LogTime.Format) {
    #expect(LogTime.microseconds(text, as: format) == nil)
  }

  @Test(
    "the format follows from the first time, where it can",
    arguments: [
      ("2011-10-11", LogTime.Format.iso), ("11.10.2011 13:45", .dotted), ("2011/10/11", .yearFirst),
      ("20111011T134540", .compact), ("20111011134540", .compact), ("1318340740", .seconds),
      ("1318340740276", .milliseconds), ("0", .seconds), ("11/10/2011", nil), ("soon", nil),
    ])
  func found(text: String, format: LogTime.Format?) {
    #expect(LogTime.format(of: text) == format)
  }

  @Test(
    "what is no time is none",
    arguments: ["", "now", "2001-02-29", "2001-13-01", "2001-01-01T25:00", "2001-01-01T10:00+1"])
  func refused(text: String) { #expect(LogTime.microseconds(text) == nil) }
}
