extension LogRow {
  /// The text of a time; nil for what can be none.
  func timeText(_ column: LogColumn) -> String? {
    switch value(column) {
    case .string(let text): text
    case .integer(let number): String(number)
    case .number(let number): String(number)
    default: nil
    }
  }
}
