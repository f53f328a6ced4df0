import CLatch

extension Value {
  /// The seconds that a number from 0 on, or a text such as `1h30m`, stands for.
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

  /// What is taken where seconds are, as the end of a sentence.
  package var whatSecondsAre: String {
    String(cString: latch_what_seconds_are(stringValue != nil))
  }
}
