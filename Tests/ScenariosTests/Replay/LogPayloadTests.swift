import LuaRuntime
import Testing

@testable import FlowLanguage
@testable import Scenarios

@Suite struct LogPayloadTests {
  private static let plain = PayloadType.Common(defaultValue: nil, samples: [])

  /// A type by a short name.
  private func type(_ name: String) -> PayloadType {
    let plain = LogPayloadTests.plain
    return switch name {
    case "string": .string(pattern: nil, minLength: nil, maxLength: nil, plain)
    case "integer": .integer(min: nil, max: nil, plain)
    case "number": .optional(.number(min: nil, max: nil, plain))
    case "boolean": .boolean(plain)
    case "one_of": .oneOf(["low", 2, true], plain)
    default: .listOf(.integer(min: nil, max: nil, plain), minLength: nil, maxLength: nil, plain)
    }
  }

  private static let cells: [(String, String, Value)] = [
    ("string", "1", .string("1")), ("integer", "12", .integer(12)),
    ("integer", "x", .string("x")), ("number", "nan", .string("nan")),
    ("number", "inf", .string("inf")), ("number", "1e999", .string("1e999")),
    ("integer", "99999999999999999999", .number(1e20)), ("boolean", "FALSE", .boolean(false)),
    ("one_of", "2.0", .integer(2)), ("list_of", "[1", .string("[1")), ("string", " ", .string(" ")),
    ("number", "1.5", .number(1.5)),
    ("boolean", "True", .boolean(true)), ("boolean", "yes", .string("yes")),
    ("one_of", "low", .string("low")), ("one_of", "2", .integer(2)),
    ("one_of", "true", .boolean(true)), ("one_of", "3", .string("3")),
    ("list_of", "[1,2]", .list([.integer(1), .integer(2)])), ("list_of", "1;2", .string("1;2")),
  ]

  @Test("text is read as the declared type, and stays text if it does not fit", arguments: cells)
  func types(name: String, text: String, value: Value) {
    #expect(LogPayload.value(text, type(name)) == value)
  }
}
