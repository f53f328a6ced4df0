import Foundation
import LuaRuntime
import Testing

@Suite struct ValueCodableTests {
  private func json(_ value: Value) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  @Test("a value is encoded as plain JSON")
  func encodes() throws {
    #expect(
      try json(["a": [1, 2.5, "x", .nil, true], "b": [:]]) == #"{"a":[1,2.5,"x",null,true],"b":{}}"#
    )
    #expect(try json(.map([2: "b"])) == #"{"2":"b"}"#)
  }

  @Test("JSON is decoded as the value that was encoded")
  func roundTrip() throws {
    let values: [Value] = [
      .nil, true, false, 1, -7, 2.5, "text", "", [], [1, [2, 3]], ["a": ["b": 1], "c": .nil], [:],
      .integer(.max), .integer(.min),
    ]
    for value in values {
      let wrapped: Value = [value]
      let data = try JSONEncoder().encode(wrapped)
      #expect(try JSONDecoder().decode(Value.self, from: data) == wrapped)
    }
  }
}
