import FlowLanguage
import LuaRuntime

/// A reader of the events in rows, as bytes: rows with the same bytes are the same event.
final class LogEvents {
  /// The byte between the cells of a CSV row, which no UTF-8 text contains.
  private static let between: UInt8 = 0xff

  private let action: LogColumn?
  private let map: LogMap?
  private let header: [String]
  /// The names that several columns have; a map does not receive these columns.
  private let doubled: [String: Value]
  private let payloads: [String: LogPayload]
  private var names = ByteNames()
  private var columns: [[Int]] = []
  private let buffer = ByteBuffer()
  /// The events that were decoded, and their meaning: in most logs the same few come again and again.
  private var seen = ByteNames()
  private var meant: [(action: String, payload: Value)] = []
  private static let mostSeen = 1 << 12
  private static let longestSeen = 1 << 9
  private let isCSV: Bool

  /// The reason that a row has no event.
  enum Nothing: Equatable {
    case malformed(String)
    /// The map left the row out.
    case skipped(String)
  }

  /// Prepares to read the rows of a log.
  ///
  /// - Parameters:
  ///   - action: the column with the action's name; nil if the map returns it.
  ///   - header: the names of the columns; nil for JSON lines.
  ///   - column: returns a column by its name, or nil if there is none.
  init(
    _ flow: Flow, action: LogColumn?, map: LogMap?, header: [String]?,
    column: (String) throws -> LogColumn?
  ) rethrows {
    (self.action, self.map, self.header) = (action, map, header ?? [])
    isCSV = header != nil
    doubled = Dictionary(grouping: header ?? [], by: { $0 }).filter { $1.count > 1 }.mapValues {
      _ in Value.boolean(true)
    }
    payloads = try Dictionary(
      flow.actions.map { ($0.name, try LogPayload($0.payload, column)) }, uniquingKeysWith: { $1 })
    for (name, payload) in payloads {
      var name = name
      _ = name.withUTF8 { names.add($0) }
      columns.append(payload.fields.compactMap(\.column.index))
    }
  }

  /// The event of the row that was read last, valid until the next row is read.
  var bytes: UnsafeBufferPointer<UInt8> { buffer.bytes }

  /// Reads a row; returns the reason if it has no event.
  func read(_ row: LogRow) -> Nothing? {
    buffer.clear()
    if let map { return read(row, map) }
    switch row {
    case .cells(let cells):
      guard let index = action?.index, !cells[index].isEmpty else { return missing }
      let name = cells[index]
      buffer.append(name)
      guard let number = names.number(of: name) else { return nil }
      for column in columns[number] {
        buffer.append(LogEvents.between)
        buffer.append(cells[column])
      }
    case .fields(let fields):
      guard let name = action.flatMap(row.name) else { return missing }
      write(name, payloads[name]?.payload(of: fields) ?? [:])
    case .malformed(let reason): return .malformed(reason)
    }
    return nil
  }

  private var missing: Nothing {
    .malformed("no action in \(Value.quoted(action?.name ?? "", limit: 60))")
  }

  private func read(_ row: LogRow, _ map: LogMap) -> Nothing? {
    let answer: LogMap.Answer
    switch row {
    case .cells(let cells):
      var named: [String: Value] = [:]
      for (index, name) in header.enumerated() where doubled[name] == nil {
        named[name] = .string(cells.string(index))
      }
      answer = map.answer(.record(named), isCSV: true, doubled: doubled)
    case .fields(let fields): answer = map.answer(.record(fields), isCSV: false)
    case .malformed(let reason): return .malformed(reason)
    }
    switch answer {
    case .event(let action, let payload): write(action, payload)
    case .named(let action): write(action, payload(of: action, in: row))
    case .skipped(let reason): return .skipped(reason)
    case .malformed(let reason): return .malformed(reason)
    }
    return nil
  }

  /// Returns the payload from the columns that are named like the action's fields.
  private func payload(of action: String, in row: LogRow) -> Value {
    guard let payload = payloads[action] else { return [:] }
    switch row {
    case .cells(let cells):
      return payload.payload(of: payload.fields.compactMap(\.column.index).map { cells[$0] })
    case .fields(let fields): return payload.payload(of: fields)
    case .malformed: return [:]
    }
  }

  private func write(_ action: String, _ payload: Value) {
    var writer = ValueWriter()
    writer.write(.string(action))
    writer.write(payload)
    writer.bytes.withUnsafeBufferPointer { buffer.append($0) }
  }

  /// Returns the action and the payload that these bytes encode.
  func event(_ bytes: UnsafeBufferPointer<UInt8>) -> (action: String, payload: Value) {
    if let number = seen.number(of: bytes) { return meant[number] }
    let event = read(bytes)
    if seen.count < LogEvents.mostSeen, bytes.count <= LogEvents.longestSeen {
      _ = seen.add(bytes)
      meant.append(event)
    }
    return event
  }

  private func read(_ bytes: some Collection<UInt8>) -> (action: String, payload: Value) {
    guard isCSV, map == nil else { return LogEvents.written(Array(bytes)) }
    let parts = bytes.split(separator: LogEvents.between, omittingEmptySubsequences: false)
    let action = parts.first.map { String(decoding: $0, as: UTF8.self) } ?? ""
    return (action, payloads[action]?.payload(of: parts.dropFirst()) ?? [:])
  }

  private static func written(_ bytes: [UInt8]) -> (action: String, payload: Value) {
    bytes.withUnsafeBytes { bytes in
      var reader = ValueReader(bytes)
      // The name is read by itself, so that it is reported whatever the payload may be.
      let action = try? reader.value().stringValue
      return (action ?? "", (try? reader.value()) ?? [:])
    }
  }
}
