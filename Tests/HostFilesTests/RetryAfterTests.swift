import Testing

@testable import HostFiles

/// The header Retry-After.
@Suite struct RetryAfterTests {
  private func seconds(_ text: String, date: String? = nil) -> Double? {
    RetryAfter.seconds(text, date: date, now: 784_111_777)
  }

  @Test("the header has seconds, of which an hour at most is respected")
  func seconds() {
    #expect(seconds("0") == 0 && seconds(" 120 ") == 120)
    #expect(seconds("7200") == 3_600 && seconds("99999999999999999999999") == 3_600)
  }

  @Test(
    "the three forms of dates are read",
    arguments: [
      "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
    ])
  func dates(text: String) { #expect(RetryAfter.time(of: text) == 784_111_777) }

  @Test("a date counts from the response's own date, or from now; one that has passed is 0")
  func relative() {
    #expect(seconds("Sun, 06 Nov 1994 08:50:37 GMT") == 60)
    #expect(seconds("Sun, 06 Nov 1994 07:00:00 GMT") == 0)
    #expect(seconds("Mon, 07 Nov 1994 08:49:37 GMT") == 3_600)
    let date = "Sun, 06 Nov 1994 08:50:27 GMT"
    #expect(seconds("Sun, 06 Nov 1994 08:50:37 GMT", date: date) == 10)
    #expect(seconds("Sun, 06 Nov 1994 08:50:37 GMT", date: "soon") == 60)
    #expect(RetryAfter.time(of: "Tue, 29 Feb 2028 23:59:60 GMT") == 1_835_481_600)
    #expect(RetryAfter.time(of: "Thu, 01 Jan 1970 00:00:00 GMT") == 0)
  }

  @Test(
    "another text says nothing",
    arguments: [
      "", "soon", "-1", "1.5", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET",
      "Sun, 32 Nov 1994 08:49:37 GMT", "Sun, 06 Nev 1994 08:49:37 GMT",
      "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:49 GMT", "a b c d e f",
    ])
  func others(text: String) { #expect(seconds(text) == nil) }
}
