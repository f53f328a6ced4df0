import LuaRuntime
import Platform

/// Reads the bytes as JSON and compares the value with Foundation's.
///
/// The value must be the same when it is written and read again, and every part of it must have a position in the text.
func playJSON(_ bytes: [UInt8]) throws {
  guard let text = String(validating: bytes, as: UTF8.self) else { return }
  let value: Value
  do throws(JSONText.Malformed) {
    value = try JSONText.value(of: text)
  } catch {
    try require(
      (1...bytes.count + 1).contains(error.column), "no column of the text: \(error)")
    return
  }
  try checkJSON(of: value)
  if let other = try? JSONDecoder().decode(Value.self, from: Data(bytes)),
    value.isPlain, text.utf8.count(where: { $0 == UInt8(ascii: ":") }) == value.fieldCount
  {
    try require(
      value.isAlike(other), "\(text) is \(value.source) here and \(other.source) there")
  }
  for path in value.paths.prefix(50) {
    let column = JSONText.column(of: path, in: text[...].utf8)
    try require((1...max(1, bytes.count)).contains(column), "\(path) has no place in \(text)")
  }
}

extension Value {
  /// The paths to some of the nested parts.
  fileprivate var paths: [StatePath] {
    func below(_ key: StatePath.Key, _ value: Value) -> [StatePath] {
      [StatePath([key])] + value.paths.prefix(10).map { StatePath([key] + $0.keys) }
    }
    return switch self {
    case .list(let elements): elements.prefix(10).enumerated().flatMap { below(.index($0 + 1), $1) }
    case .record(let fields): fields.prefix(10).flatMap { below(.field($0), $1) }
    default: []
    }
  }

  /// True if no name is in brackets, which Foundation does not interpret.
  fileprivate var isPlain: Bool {
    switch self {
    case .list(let elements): elements.allSatisfy(\.isPlain)
    case .record(let fields): fields.allSatisfy { $0.key.first != "[" && $0.value.isPlain }
    case .map: false
    case .number(let number): number.isFinite
    default: true
    }
  }

  /// The number of fields; it is less than the number of colons if a name occurs twice, of which Foundation takes the
  /// first.
  fileprivate var fieldCount: Int {
    switch self {
    case .list(let elements): elements.reduce(0) { $0 + $1.fieldCount }
    case .record(let fields): fields.values.reduce(fields.count) { $0 + $1.fieldCount }
    default: 0
    }
  }

  /// Returns true if Foundation, to which 1.0 is an integer, may have read the same value.
  fileprivate func isAlike(_ other: Value) -> Bool {
    switch (self, other) {
    case (.list(let mine), .list(let others)):
      mine.count == others.count && zip(mine, others).allSatisfy { $0.isAlike($1) }
    case (.record(let mine), .record(let others)):
      mine.count == others.count
        && mine.allSatisfy { others[$0.key].map($0.value.isAlike) ?? false }
    case (.number(let mine), .integer(let other)): mine == Double(other)
    default: isLuaEqual(to: other)
    }
  }
}
