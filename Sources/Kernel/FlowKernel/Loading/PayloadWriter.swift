import FlowLanguage
import LuaRuntime

/// A writer that checks and encodes payloads in one pass if they are as their actions declare them, as most are.
///
/// A payload that has to be changed, completed or refused is left to `PayloadCheck`, which knows every fault.
struct PayloadWriter {
  /// The greatest nesting that is written here; deeper payloads are left to the check, which has a limit of its own.
  private static let deepest = 16

  private var writer = ValueWriter(behind: [])

  /// The encoded payload.
  package var bytes: [UInt8] { writer.bytes }

  package init() {}

  /// Creates a writer that holds the encoding of a checked payload.
  package init(of bytes: [UInt8]) { writer = ValueWriter(behind: bytes) }

  /// Encodes a payload in place of the previous one; returns false if it is left to the check.
  package mutating func write(_ payload: Value, _ type: PayloadType) -> Bool {
    guard case .record(let fields) = payload, !fields.isEmpty else { return false }
    writer.begin()
    return write(payload, type, 0)
  }

  private mutating func write(_ value: Value, _ type: PayloadType, _ depth: Int) -> Bool {
    if depth > PayloadWriter.deepest { return false }
    switch type {
    case .optional(let inner): return write(value, inner, depth)
    case .integer(nil, nil, _):
      guard let integer = PayloadCheck.wholeNumber(value) else { return false }
      writer.write(.integer(integer))
      return true
    case .string(nil, _, _, _), .boolean, .integer, .number, .oneOf:
      guard let accepted = PayloadCheck.accepted(value, type) else { return false }
      writer.write(accepted)
      return true
    case .any:
      guard !value.isNil, PayloadCheck.isPlain(value, within: PayloadWriter.deepest - depth)
      else { return false }
      writer.write(value)
      return true
    case .listOf(let element, let min, let max, _):
      guard case .list(let elements) = value, PayloadCheck.isLength(elements.count, min, max)
      else { return false }
      writer.beginList(elements.count)
      return elements.allSatisfy { write($0, element, depth + 1) }
    case .record(let fields):
      guard case .record(let given) = value else { return false }
      writer.beginRecord(given.count)
      var known = 0
      for field in fields {
        guard let value = PayloadWriter.value(of: field.name, in: given) else {
          if field.type.isPresent { return false }
          continue
        }
        known += 1
        writer.writeName(field.name)
        if !write(value, field.type, depth + 1) { return false }
      }
      return known == given.count
    case .string, .mapOf: return false
    }
  }

  /// Returns the value of a field; the only field of a payload is found without hashing its name.
  private static func value(of name: String, in given: [String: Value]) -> Value? {
    guard given.count == 1, let only = given.first else { return given[name] }
    return only.key == name ? only.value : nil
  }
}

extension PayloadType {
  /// True if a checked payload always has a field of this type.
  fileprivate var isPresent: Bool { !isOptional || defaultValue != nil }
}
