import LuaRuntime

/// One row of a log.
enum LogRow {
  /// The cells of a CSV row, in the order of its columns.
  case cells(CSVCells)
  /// The fields of a JSON object.
  case fields([String: Value])
  /// The row cannot be read, for the given reason.
  case malformed(String)
}

/// A column of a log.
struct LogColumn {
  let name: String
  /// The index in a CSV row; nil for a log without a header.
  let index: Int?
}

extension LogRow {
  /// Returns the value in a column; nil for an empty cell and for null.
  func value(_ column: LogColumn) -> Value? {
    switch self {
    case .cells(let cells):
      guard let index = column.index, !cells[index].isEmpty else { return nil }
      return .string(cells.string(index))
    case .fields(let fields):
      guard let value = fields[column.name], !value.isNil else { return nil }
      return value
    case .malformed: return nil
    }
  }

  /// Returns the value in a column as a name: a text, or an integer as text.
  func name(_ column: LogColumn) -> String? {
    switch value(column) {
    case .string(let text): text.isEmpty ? nil : text
    case .integer(let integer): String(integer)
    default: nil
    }
  }
}
