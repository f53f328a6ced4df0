import LuaRuntime
import Testing

@testable import FlowKernel

@Suite struct ValueDecoderTests {
  private struct Point: Codable, Equatable {
    var x: Int
    var y: Int?
  }

  private struct AnyKey: CodingKey {
    let stringValue: String
    let intValue: Int? = nil
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  /// Keeps the decoder that it was read from.
  private struct Held: Decodable {
    let decoder: any Decoder
    init(from decoder: any Decoder) { self.decoder = decoder }
  }

  private func fault<Result: Decodable>(_ type: Result.Type, _ value: Value) -> String? {
    let error = #expect(throws: DecodingError.self) { try ValueDecoder.decode(type, from: value) }
    return error.map(CodingSentence.describe)
  }

  @Test("an error has the path and the expected type")
  func places() {
    #expect(
      fault([Point].self, [["x": 1], ["x": "a"]]) == "[2].x: expected an integer, got \"a\"")
    #expect(fault([Point].self, [["x": 1], ["y": 1]]) == "[2]: there is no x")
    #expect(fault([Point].self, [["x": 1, "y": true]]) == "[1].y: expected an integer, got true")
    #expect(
      fault([String: [Int]].self, ["a": [1], "b": [2, 2.5]])
        == "b[2]: expected an integer, got 2.5")
    #expect(
      fault([String: Int8].self, ["a": 1, "b": 128])
        == "b: expected an integer from -128 to 127, got 128")
    #expect(fault([[String]].self, [[], 1]) == "[2]: expected a list, got 1")
    #expect(fault(Point.self, [1]) == "expected a record, got { 1 }")
    #expect(fault([Bool].self, [true, 0]) == "[2]: expected a boolean, got 0")
  }

  @Test("of several errors in a record the first by field name is reported")
  func firstFault() {
    let value = Value.record(
      Dictionary(uniqueKeysWithValues: (0..<100).map { ("k\($0 + 100)", "x") }))
    #expect(fault([String: Int].self, value) == "k100: expected an integer, got \"x\"")
    #expect(fault([String: Point].self, value) == "k100: expected a record, got \"x\"")
    #expect(fault([String: [Int]].self, value) == "k100: expected a list, got \"x\"")
  }

  @Test("whole numbers decode as integers, and integers as numbers, in lists and records too")
  func numbers() throws {
    #expect(try ValueDecoder.decode([Int].self, from: [1, 2.0]) == [1, 2])
    #expect(try ValueDecoder.decode([Double].self, from: [1, 2.5]) == [1, 2.5])
    #expect(try ValueDecoder.decode([Float].self, from: [1, 2.5]) == [1, 2.5])
    #expect(try ValueDecoder.decode([UInt8].self, from: [1, 2.0]) == [1, 2])
    #expect(try ValueDecoder.decode([String: Int].self, from: ["a": 3.0]) == ["a": 3])
    #expect(try ValueDecoder.decode(Point.self, from: ["x": 1.0, "y": 2]) == Point(x: 1, y: 2))
    #expect(fault([Int].self, [.number(1e300)]) == "[1]: expected an integer, got 1e+300")
  }

  @Test("an empty table decodes as a list, a record or a map")
  func emptyTables() throws {
    for empty in [[], [:], .map([:])] as [Value] {
      #expect(try ValueDecoder.decode([Int].self, from: empty) == [])
      #expect(try ValueDecoder.decode([Point].self, from: empty) == [])
      #expect(try ValueDecoder.decode([String: Int].self, from: empty) == [:])
      #expect(try ValueDecoder.decode([Int: Point].self, from: empty) == [:])
    }
  }

  @Test("a map is decoded by its integer keys, given as integers or as text")
  func maps() throws {
    let map = Value.map([7: ["x": 1], -1: ["x": 2]])
    #expect(try ValueDecoder.decode([Int: Point].self, from: map)[-1] == Point(x: 2))
    #expect(try ValueDecoder.decode([String: Point].self, from: map)["7"] == Point(x: 1))
    #expect(try ValueDecoder.decode([Int: Int].self, from: ["7": 1]) == [7: 1])
    #expect(fault([Int: Point].self, .map([7: 1])) == "[8]: expected a record, got 1")
  }

  @Test("the keys of a record are sorted by name")
  func allKeys() throws {
    let held = try ValueDecoder.decode(Held.self, from: ["b": 1, "a": 2, "c": 3])
    let container = try held.decoder.container(keyedBy: AnyKey.self)
    #expect(container.allKeys.map(\.stringValue) == ["a", "b", "c"])
    let key = AnyKey(stringValue: "d")
    #expect(try !container.contains(key) && container.decodeNil(forKey: key))
    #expect(try container.decodeIfPresent(Point.self, forKey: key) == nil)
    #expect(try container.decodeIfPresent(String.self, forKey: key) == nil)
  }

  @Test("a decoder that is kept still refers to its own value")
  func heldDecoders() throws {
    let held = try ValueDecoder.decode([[String: Held]].self, from: [["a": 1], ["a": 2, "b": 3]])
    let values = try held.flatMap { fields in
      try fields.sorted { $0.key < $1.key }.map {
        "\($0.value.decoder.codingPath.map(\.stringValue)) \(try Int(from: $0.value.decoder))"
      }
    }
    #expect(values == [#"["0", "a"] 1"#, #"["1", "a"] 2"#, #"["1", "b"] 3"#])
  }

  @Test("an element that could not be decoded can be skipped, and the end of a list is an error")
  func passedOver() throws {
    let held = try ValueDecoder.decode(Held.self, from: [1, "x", .nil, 2])
    var list = try held.decoder.unkeyedContainer()
    #expect(list.count == 4)
    #expect(try list.decode(Int.self) == 1)
    #expect(throws: DecodingError.self) { try list.decode(Int.self) }
    #expect(try list.decodeNil())
    #expect(try !list.decodeNil() && list.decode(Int.self) == 2)
    let error = #expect(throws: DecodingError.self) { try list.decode(Point.self) }
    #expect(error.map(CodingSentence.describe) == "the list has no more than 4 elements")
  }

  @Test("plain values decode unchanged in any container")
  func plainValues() throws {
    let value: Value = ["a": [1, .nil], "b": .map([1: 2])]
    #expect(try ValueDecoder.decode(Value.self, from: value) == value)
    #expect(try ValueDecoder.decode([String: Value].self, from: value)["b"] == .map([1: 2]))
    #expect(try ValueDecoder.decode([[Value]].self, from: [[1, .nil]]) == [[1, .nil]])
    #expect(try ValueDecoder.decode([Value?].self, from: [1, 2]) == [1, 2])
    #expect(try ValueDecoder.decode([Int?].self, from: [1, .nil]) == [1, nil])
  }
}
