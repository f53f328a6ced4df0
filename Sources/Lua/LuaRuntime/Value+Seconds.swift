import CLatch

extension Value {
  /// The length of time in seconds that a number of at least 0, or a text such as `1h30m`, stands for; nil for
  /// other values.
  package var seconds: Double? {
    switch self {
    case .integer(let number): return number >= 0 ? Double(number) : nil
    case .number(let number): return number >= 0 && number.isFinite ? number : nil
    case .string(let text):
      var seconds = 0.0
      return latch_read_duration(text, text.utf8.count, &seconds) ? seconds : nil
    default: return nil
    }
  }

  /// A description of the accepted lengths of time, as the end of a sentence.
  package var whatSecondsAre: String {
    String(cString: latch_what_seconds_are(stringValue != nil))
  }
}
