import FlowLanguage
import LuaRuntime

/// The events of a recorded log in order, each with its case, its time, and the action that it dispatches.
package final class RecordedEvents {
  /// A row of the log.
  enum Row {
    /// An event: the bytes of its case's name, valid until the next row is read, and its time in microseconds, if the
    /// log has times.
    case event(of: UnsafeBufferPointer<UInt8>, at: Int?)
    case malformed(String)
    /// The map left the row out.
    case skipped(String)
  }

  @exclusivity(unchecked) private var reader: LogReader
  private let caseColumn: LogColumn
  @exclusivity(unchecked) private var clock: LogClock?
  private let name = ByteBuffer()
  /// The event of the row that was read last.
  let events: LogEvents

  /// Reads the log's header.
  ///
  /// - Throws: `LogError` if the log has no such columns.
  package init(_ flow: Flow, options: Replay.Options, log: LogInput) throws {
    var (log, format) = (log, options.timeFormat)
    if !options.timeColumn.isEmpty, format == nil {
      let survey = try LogTimeSurvey(log, column: options.timeColumn)
      (log, format) = (survey.log, survey.format)
    }
    reader = try LogReader(log)
    caseColumn = try RecordedEvents.column(options.caseColumn, "--case", reader)
    if !options.timeColumn.isEmpty {
      let column = try RecordedEvents.column(options.timeColumn, "--time", reader)
      clock = LogClock(column, format: format)
    }
    let action =
      options.map == nil
      ? try RecordedEvents.column(options.actionColumn, "--action", reader) : nil
    events = try LogEvents(
      flow, action: action, map: options.map, header: reader.header, column: reader.column)
  }

  private static func column(_ name: String, _ option: String, _ reader: LogReader) throws
    -> LogColumn
  {
    if let column = try reader.column(name) { return column }
    let names = (reader.header ?? []).map { Value.quoted($0, limit: 60) }
    let quoted = Value.quoted(name, limit: 60)
    throw LogError(
      description: "the log has no column \(quoted)\(Names.suggestion(for: quoted, among: names))"
        + "; name it with \(option) (its columns: \(names.joined(separator: ", ")))")
  }

  /// The character between the cells; nil for JSON lines.
  var delimiter: UInt8? { reader.header == nil ? nil : reader.delimiter }

  /// The format in which the times were read; nil if there were none.
  var timeFormat: LogTime.Format? { clock?.format }

  /// Returns the next row with the number of its first line, or nil at the end.
  func next() throws -> (line: Int, row: Row)? {
    guard let (line, row) = try reader.next() else { return nil }
    return (line, read(row))
  }

  private func read(_ row: LogRow) -> Row {
    if case .malformed(let reason) = row { return .malformed(reason) }
    guard let name = name(of: row) else {
      return .malformed("no case in \(Value.quoted(caseColumn.name, limit: 60))")
    }
    switch events.read(row) {
    case .malformed(let reason)?: return .malformed(reason)
    case .skipped(let reason)?: return .skipped(reason)
    case nil: break
    }
    guard let column = clock?.column else { return .event(of: name, at: nil) }
    guard let time = clock?.time(of: row) else { return .malformed(noTime(in: column, of: row)) }
    return .event(of: name, at: time)
  }

  private func noTime(in column: LogColumn, of row: LogRow) -> String {
    let found = (row.value(column) ?? .nil).text(limit: 60)
    let expected = clock?.format.map { $0 == .iso ? "" : ", where the times are \($0.rawValue)" }
    let formats = row.timeText(column).map(LogTime.formats)
    var hint = ""
    if let formats, formats.count > 1 {
      let choices = formats.map(\.rawValue).joined(separator: " or ")
      hint = ", which can be \(choices); say with --time-format which"
    } else if formats?.isEmpty == true, expected == nil {
      hint = "; --time-format sets the format of times"
    }
    return "no time in \(Value.quoted(column.name, limit: 60))\(expected ?? ""): \(found)\(hint)"
  }

  /// Returns the bytes of the case's name, valid until the next row is read.
  private func name(of row: LogRow) -> UnsafeBufferPointer<UInt8>? {
    if case .cells(let cells) = row, let index = caseColumn.index {
      return cells[index].isEmpty ? nil : cells[index]
    }
    guard var text = row.name(caseColumn) else { return nil }
    name.clear()
    text.withUTF8 { name.append($0) }
    return name.bytes
  }
}
