import Foundation
import LuaRuntime
import Testing

@testable import FlowKernel

@Suite struct ValueEncoderTests {
  private struct AnyKey: CodingKey {
    let stringValue: String
    let intValue: Int? = nil
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  /// Encodes as the closure says.
  private struct Written: Encodable {
    let write: (any Encoder) throws -> Void
    func encode(to encoder: any Encoder) throws { try write(encoder) }
  }

  private func encoded(_ write: @escaping (any Encoder) throws -> Void) throws -> Value {
    try ValueEncoder.encode(Written(write: write))
  }

  private func key(_ name: String) -> AnyKey { AnyKey(stringValue: name) }

  private struct Point: Codable, Equatable {
    var x: Int
    var y: Int?
  }

  private enum Shape: Codable, Equatable {
    case circle(radius: Double)
    case none
    indirect case pair(Shape, Shape)
  }

  private class Animal: Codable {
    var legs = 4
    init() {}
  }

  private final class Dog: Animal {
    var name = "Rex"
    private enum CodingKeys: CodingKey { case name }
    override init() { super.init() }
    required init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      name = try container.decode(String.self, forKey: .name)
      try super.init(from: container.superDecoder())
    }
    override func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(name, forKey: .name)
      try super.encode(to: container.superEncoder())
    }
  }

  @Test("records, lists, enumerations and superclasses are encoded as plain values")
  func shapes() throws {
    #expect(
      try ValueEncoder.encode([Point(x: 1, y: nil), Point(x: 2, y: 3)]) == [
        ["x": 1], ["x": 2, "y": 3],
      ])
    #expect(
      try ValueEncoder.encode([
        Shape.circle(radius: 1.5), .none, .pair(.none, .circle(radius: 2.5)),
      ])
        == [
          ["circle": ["radius": 1.5]], ["none": [:]],
          ["pair": ["_0": ["none": [:]], "_1": ["circle": ["radius": 2.5]]]],
        ])
    let dog = Dog()
    dog.legs = 3
    let value = try ValueEncoder.encode(dog)
    #expect(value == ["name": "Rex", "super": ["legs": 3]])
    let read = try ValueDecoder.decode(Dog.self, from: value)
    #expect(read.name == "Rex" && read.legs == 3)
  }

  @Test("a dictionary is a record, or a map if it has integer keys, and nil is left out of both")
  func dictionaries() throws {
    #expect(
      try ValueEncoder.encode(["a": Point(x: 1), "b": nil] as [String: Point?]) == ["a": ["x": 1]])
    #expect(
      try ValueEncoder.encode([7: Point(x: 1), 8: nil] as [Int: Point?]) == .map([7: ["x": 1]]))
    #expect(try ValueEncoder.encode(Optional([7: Point(x: 1)])) == .map([7: ["x": 1]]))
    #expect(try ValueEncoder.encode([Int: Point]?.none) == .nil)
    #expect(try ValueEncoder.encode([[1: ["a": [2]]]]) == [.map([1: ["a": [2]]])])
    #expect(try ValueEncoder.encode([String: Point]()) == [:])
  }

  @Test("Foundation's types are encoded by their own implementation")
  func foundation() throws {
    let place = try #require(URL(string: "https://example.com/a?b"))
    let part = try #require(URL(string: "c", relativeTo: place))
    for url in [place, part] {
      let value = try ValueEncoder.encode([url])
      #expect(value == [try encoded { try url.encode(to: $0) }])
      #expect(try ValueDecoder.decode([URL].self, from: value) == [url])
    }
    for data in [Data(), Data([0, 7, 255])] {
      let value = try ValueEncoder.encode([data])
      #expect(value == [try encoded { try data.encode(to: $0) }])
      #expect(try ValueDecoder.decode([Data].self, from: value) == [data])
    }
    let date = Date(timeIntervalSinceReferenceDate: 2.5)
    #expect(try ValueEncoder.encode(date) == 2.5)
  }

  @Test("a container that is kept can be written to until the encoding ends")
  func heldContainers() throws {
    let value = try encoded { encoder in
      var record = encoder.container(keyedBy: AnyKey.self)
      var first = record.nestedUnkeyedContainer(forKey: key("first"))
      var second = record.nestedContainer(keyedBy: AnyKey.self, forKey: key("second"))
      try first.encode(1)
      try second.encode("x", forKey: key("a"))
      try record.encode(true, forKey: key("third"))
      var inner = first.nestedUnkeyedContainer()
      var other = first.nestedUnkeyedContainer()
      try first.encode(4)
      try inner.encode(2)
      try other.encode(3)
      try second.encode("y", forKey: key("b"))
    }
    #expect(value == ["first": [1, [2], [3], 4], "second": ["a": "x", "b": "y"], "third": true])
  }

  @Test("an encoder that is kept can be written to until the encoding ends")
  func heldEncoder() throws {
    var held: (any Encoder)?
    let value = try encoded { encoder in
      var list = encoder.unkeyedContainer()
      try list.encode(Written { held = $0 })
      try list.encode(Point(x: 2))
      var late = try #require(held).unkeyedContainer()
      try late.encode(1)
    }
    #expect(value == [[1], ["x": 2]])
    #expect(held?.codingPath.map(\.intValue) == [0])
  }

  @Test("the last of several values for one field is used")
  func overwritten() throws {
    let value = try encoded { encoder in
      var record = encoder.container(keyedBy: AnyKey.self)
      var held = record.nestedUnkeyedContainer(forKey: key("a"))
      try record.encode(1, forKey: key("a"))
      try held.encode(2)
      try record.encode(1, forKey: key("b"))
      var list = record.nestedUnkeyedContainer(forKey: key("b"))
      try list.encode(2)
      try record.encode(1, forKey: key("c"))
      try record.encode(Int?.none, forKey: key("c"))
      try record.encode(1, forKey: key("d"))
      try record.encodeNil(forKey: key("d"))
    }
    #expect(value == ["a": 1, "b": [2], "d": 1])
  }

  @Test("a value that is encoded again as another kind replaces the first")
  func begunAgain() throws {
    let value = try encoded { encoder in
      var list = encoder.unkeyedContainer()
      try list.encode(1)
      var record = encoder.container(keyedBy: AnyKey.self)
      try list.encode(Point(x: 1))
      _ = list.nestedUnkeyedContainer()
      try record.encode(2, forKey: key("a"))
      #expect(list.count == 0)
    }
    #expect(value == ["a": 2])
  }

  @Test("a part whose encoding fails is left out if the error is caught")
  func partialFailure() throws {
    struct Late: Encodable {
      let first = 1
      let second = UInt64.max
    }
    let value = try encoded { encoder in
      var list = encoder.unkeyedContainer()
      try? list.encode(Late())
      try? list.encode(UInt64.max)
      try? list.encodeNil()
      try list.encode(1)
      var record = list.nestedContainer(keyedBy: AnyKey.self)
      try? record.encode(Late(), forKey: key("a"))
      try? record.encode(UInt64.max, forKey: key("b"))
      try record.encode(2, forKey: key("c"))
    }
    #expect(value == [1, ["c": 2]])
  }

  @Test(
    "an error has the path",
    arguments: [
      (["a": ["b": [[1], [2, UInt64.max]]]], "a.b[2][2]"),
      (["c": ["d e": [[.max]]]], #"c["d e"][1][1]"#),
    ])
  func places(_ value: [String: [String: [[UInt64]]]], _ place: String) {
    let error = #expect(throws: EncodingError.self) { try ValueEncoder.encode(value) }
    #expect(
      error.map(CodingSentence.describe)
        == "\(place): 18446744073709551615 does not fit into a 64-bit integer")
  }

  @Test("integers of every width are encoded as integers, and one that is too large is an error")
  func integers() throws {
    struct Widths: Codable, Equatable {
      var a = Int8.min, b = Int16.max, c = Int32.min, d = Int64.max, e = UInt.min
      var f = UInt8.max, g = UInt16.max, h = UInt32.max, i: UInt64 = 1, j: Float = 1.5
    }
    let value = try ValueEncoder.encode(Widths())
    #expect(
      value == [
        "a": -128, "b": 32767, "c": -2_147_483_648, "d": .integer(.max), "e": 0, "f": 255,
        "g": 65535, "h": 4_294_967_295, "i": 1, "j": 1.5,
      ])
    #expect(try ValueDecoder.decode(Widths.self, from: value) == Widths())
    #expect(throws: EncodingError.self) { try ValueEncoder.encode(UInt64.max) }
    #expect(throws: EncodingError.self) { try ValueEncoder.encode(["a": UInt.max]) }
    #expect(throws: EncodingError.self) { try ValueEncoder.encode([1: [UInt.max]]) }
  }

  @Test("no encoder outlives an encoding, even a failed one")
  func released() throws {
    weak var encoder: AnyObject?
    weak var nested: AnyObject?
    for fails in [false, true] {
      _ = try? encoded { outer in
        encoder = outer as AnyObject
        var record = outer.container(keyedBy: AnyKey.self)
        var held = record.nestedContainer(keyedBy: AnyKey.self, forKey: key("a"))
        let inner = held.superEncoder()
        nested = inner as AnyObject
        var list = inner.unkeyedContainer()
        try list.encode([Point(x: 1)])
        try held.encode(fails ? UInt64.max : 1, forKey: key("b"))
      }
      #expect(encoder == nil && nested == nil)
    }
  }
}
