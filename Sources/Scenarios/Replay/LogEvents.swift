import LuaRuntime
import Moonlatch

/// Takes from rows what they offer the flow, as bytes: rows of the same bytes offer the same.
final class LogEvents {
  /// Stands between the cells of a CSV row; no UTF-8 text holds it.
  private static let between: UInt8 = 0xff

  private let action: LogColumn
  private let payloads: [String: LogPayload]
  private var names = ByteNames()
  private var columns: [[Int]] = []
  private let buffer = ByteBuffer()
  private let isCSV: Bool

  /// - Parameter column: a column by its name, nil where there is none.
  init(_ flow: Flow, action: LogColumn, isCSV: Bool, column: (String) -> LogColumn?) {
    (self.action, self.isCSV) = (action, isCSV)
    payloads = Dictionary(
      flow.actions.map { ($0.name, LogPayload($0.payload, column)) }, uniquingKeysWith: { $1 })
    for (name, payload) in payloads {
      var name = name
      _ = name.withUTF8 { names.add($0) }
      columns.append(payload.fields.compactMap(\.column.index))
    }
  }

  /// What the row that was read last offers, until the next is read.
  var bytes: UnsafeBufferPointer<UInt8> { buffer.bytes }

  /// Reads a row; says what is wrong with one that offers nothing.
  func read(_ row: LogRow) -> String? {
    buffer.clear()
    switch row {
    case .cells(let cells):
      guard let index = action.index, !cells[index].isEmpty else { return missing }
      let name = cells[index]
      buffer.append(name)
      guard let number = names.number(of: name) else { return nil }
      for column in columns[number] {
        buffer.append(LogEvents.between)
        buffer.append(cells[column])
      }
    case .fields(let fields):
      guard let name = row.name(action) else { return missing }
      write(name, payloads[name]?.payload(of: fields) ?? [:])
    case .malformed(let reason): return reason
    }
    return nil
  }

  private var missing: String { "no action in \(action.name)" }

  private func write(_ action: String, _ payload: Value) {
    var writer = ValueWriter()
    writer.write(.string(action))
    writer.write(payload)
    writer.bytes.withUnsafeBufferPointer { buffer.append($0) }
  }

  /// The action and the payload that these bytes stand for.
  func event(_ bytes: some Collection<UInt8>) -> (action: String, payload: Value) {
    guard isCSV else { return LogEvents.written(Array(bytes)) }
    let parts = bytes.split(separator: LogEvents.between, omittingEmptySubsequences: false)
    let action = parts.first.map { String(decoding: $0, as: UTF8.self) } ?? ""
    return (action, payloads[action]?.payload(of: parts.dropFirst()) ?? [:])
  }

  private static func written(_ bytes: [UInt8]) -> (action: String, payload: Value) {
    bytes.withUnsafeBytes { bytes in
      var reader = ValueReader(bytes)
      let values = (try? reader.values()) ?? []
      return (values.first?.stringValue ?? "", values.last ?? [:])
    }
  }
}
