import LuaRuntime

/// One row of a log.
enum LogRow {
  /// The cells of a CSV row, in the order of its columns.
  case cells(CSVCells)
  /// The fields of a JSON object.
  case fields([String: Value])
  /// What cannot be read as a row, and why.
  case malformed(String)
}

/// A column as a log has it.
struct LogColumn {
  let name: String
  /// Its place in a CSV row.
  let index: Int?
}

extension LogRow {
  /// The value in a column; an empty cell and a null count as none.
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

  /// The value in a column as a name: text, or an integer as text.
  func name(_ column: LogColumn) -> String? {
    switch value(column) {
    case .string(let text): text.isEmpty ? nil : text
    case .integer(let integer): String(integer)
    default: nil
    }
  }
}
