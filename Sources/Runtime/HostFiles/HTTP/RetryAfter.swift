import FlowKernel

/// The header `Retry-After`: seconds, or a date of HTTP (RFC 9110).
enum RetryAfter {
  /// The longest time in seconds that is respected.
  static let longest = 3_600.0

  /// Returns the seconds to wait, from 0 to an hour; nil if the text is neither a number nor a date.
  ///
  /// - Parameters:
  ///   - date: the header `Date` of the same response, by whose clock the time is measured.
  ///   - now: the time in seconds since 1970, used if there is no such header.
  static func seconds(_ text: String, date: String?, now: Double) -> Double? {
    let words = text.split(separator: " ")
    if words.count == 1, words[0].utf8.allSatisfy({ (48...57).contains($0) }) {
      return min(longest, Double(words[0]) ?? longest)
    }
    guard let end = RetryAfter.time(of: text) else { return nil }
    let start = date.flatMap { RetryAfter.time(of: $0) } ?? now
    return min(longest, max(0, end - start))
  }

  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// Returns the seconds since 1970 of a date in one of the three forms that HTTP allows; nil for another text.
  ///
  /// They are `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` and `Sun Nov  6 08:49:37 1994`.
  static func time(of text: String) -> Double? {
    var words = text.split { $0 == " " || $0 == "-" || $0 == "," }.map(String.init)
    guard words.count >= 5 else { return nil }
    words.removeFirst()
    let isFromC = Int(words[0]) == nil
    if isFromC { words = [words[1], words[0], words[3], words[2]] }
    if !isFromC, words.count != 5 || words[4] != "GMT" { return nil }
    let clock = words[3].split(separator: ":").map { Int($0) }
    guard let day = Int(words[0]), (1...31).contains(day),
      let month = months.firstIndex(of: words[1]), var year = Int(words[2]), year >= 0,
      clock.count == 3, let hour = clock[0], (0...23).contains(hour),
      let minute = clock[1], (0...59).contains(minute),
      let second = clock[2], (0...60).contains(second)
    else { return nil }
    if words[2].utf8.count == 2 { year += year < 70 ? 2_000 : 1_900 }
    guard year <= 9_999 else { return nil }
    let days = WallTime.days(year, month + 1, day)
    return Double(((days * 24 + hour) * 60 + minute) * 60 + second)
  }
}
