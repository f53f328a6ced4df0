import Testing

@testable import Scenarios

@Suite struct LogTimeTests {
  @Test(
    "times are read with zone, fraction, or as a date only",
    arguments: [
      ("1970-01-01", 0), ("1970-01-01T00:00:01Z", 1_000_000),
      ("1970-01-01 01:00:00.25+01:00", 250_000), ("1970-01-01T00:00-0130", 5_400_000_000),
      ("2000-02-29 00:00:00", 951_782_400_000_000), ("1969-12-31T23:59:59", -1_000_000),
      ("1970-01-01 00:00:01 UTC", 1_000_000), ("1970-01-01 00:00:01GMT", 1_000_000),
      ("1970-01-01 01:00:01 +0100", 1_000_000), ("1970-01-01t00:00:01z", 1_000_000),
      ("1970-01-01 24:00:00", 86_400_000_000), ("1970-01-01 0:00 EST", 18_000_000_000),
      ("1970-01-01 02:00 cest", 0), ("1970-01-01 02:00 UTC+02:00", 0),
      ("1970-01-01 12:00:01 AM", 1_000_000), ("1970-01-01 12:00 PM", 43_200_000_000),
      ("1970-01-01 1:00:00.5pm +01:00", 43_200_500_000),
    ])
  func read(text: String, microseconds: Int) { #expect(LogTime.microseconds(text) == microseconds) }

  @Test(
    "times are read in the given format",
    arguments: [
      ("19700101T000001Z", LogTime.Format.compact, 1_000_000),
      ("19700102", .compact, 86_400_000_000),
      ("19700101000001", .compact, 1_000_000), ("1.1.1970 00:00", .dotted, 0),
      ("02.01.1970 00:00:01.5", .dotted, 86_401_500_000), ("1970/1/2", .yearFirst, 86_400_000_000),
      ("02/01/1970", .dayFirst, 86_400_000_000), ("01/02/1970", .monthFirst, 86_400_000_000),
      ("02-01-1970:00.00", .dashedDayFirst, 86_400_000_000),
      ("1-2-1970 00.00.01", .dashedMonthFirst, 86_401_000_000),
      ("1/2/1970, 1:00:00\u{202f}p.m.", .monthFirst, 133_200_000_000),
      ("1500000", .microseconds, 1_500_000),
      ("1318340740123456789", .nanoseconds, 1_318_340_740_123_456),
      ("25570.5", .days, 129_600_000_000),
      ("1500", .milliseconds, 1_500_000), ("1.5", .seconds, 1_500_000),
    ])
  func formats(text: String, format: LogTime.Format, microseconds: Int) {
    #expect(LogTime.microseconds(text, as: format) == microseconds)
  }

  @Test(
    "a time in another format is rejected",
    arguments: [
      ("1970-01-01", LogTime.Format.dotted), ("31.02.1970", .dotted), ("13/13/1970", .dayFirst),
      ("1970/01/01x", .yearFirst), ("1970-01-01 24:00:01", .iso), ("1970-01-01 13:00 PM", .iso),
      ("1970-01-01 00:00 AM", .iso), ("1970-01-01 00:00 IST", .iso), ("1970-01-01 1:00 xm", .iso),
      ("32-01-1970", .dashedDayFirst), ("2011-10-11", .days), ("1970-01-01 00:00 UT", .iso),
      ("1970-01-01 00:00 ", .iso),
      ("1970-01-01 00:00 UTC+1", .iso), ("19700101T00", .compact), ("", .seconds),
      ("x", .milliseconds),
      ("01.01.70", .dotted), ("1e300", .seconds),
    ])
  func misfits(text: String, format: LogTime.Format) {
    #expect(LogTime.microseconds(text, as: format) == nil)
  }

  @Test(
    "a text is a time in one format, or in several if it is ambiguous",
    arguments: [
      ("2011-10-11", [LogTime.Format.iso]), ("11.10.2011 13:45", [.dotted]),
      ("2011/10/11", [.yearFirst]), ("20111011T134540", [.compact]), ("20111011134540", [.compact]),
      ("1318340740", [.seconds]), ("1318340740276", [.milliseconds]),
      ("1318340740276123", [.microseconds]), ("1318340740276123456", [.nanoseconds]),
      ("0", [.seconds]), ("11/10/2011", [.dayFirst, .monthFirst]), ("13/10/2011", [.dayFirst]),
      ("10-13-2011", [.dashedMonthFirst]), ("40827.5", [.seconds, .days]),
      ("20111011", [.compact, .seconds]), ("201110111345", [.compact, .milliseconds]),
      ("soon", []), ("nan", []), ("1e300", []),
    ])
  func found(text: String, formats: [LogTime.Format]) {
    #expect(LogTime.formats(of: text) == formats)
  }

  @Test(
    "an invalid time is rejected",
    arguments: ["", "now", "2001-02-29", "2001-13-01", "2001-01-01T25:00", "2001-01-01T10:00+1"])
  func refused(text: String) { #expect(LogTime.microseconds(text) == nil) }
}
