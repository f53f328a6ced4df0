extension LogRow {
  /// Returns the text of a time; nil if the value cannot be a time.
  func timeText(_ column: LogColumn) -> String? {
    switch value(column) {
    case .string(let text): text
    case .integer(let number): String(number)
    case .number(let number): String(number)
    default: nil
    }
  }
}
