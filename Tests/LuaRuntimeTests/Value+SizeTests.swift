import Testing

@testable import LuaRuntime

@Suite struct ValueSizeTests {
  @Test(
    "the size of a value is the one that its reader counts",
    arguments: [
      .nil, true, 1, 0.5, "short", .string(String(repeating: "long", count: 100)), [], [1, 2, "x"],
      [:], ["a": 1, "a name of more than fifteen bytes": ["b": [[], [:]]]], .map([1: 2, -3: "x"]),
    ] as [Value])
  func agreed(value: Value) throws {
    var writer = ValueWriter()
    writer.write(value)
    try writer.bytes.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) throws in
      var reader = ValueReader(bytes)
      #expect(try reader.value() == value)
      #expect(reader.size == value.size)
      guard value.size > 0 else { return }
      var limited = ValueReader(bytes, most: value.size - 1)
      #expect(throws: ValueReader.Malformed.self) { _ = try limited.value() }
    }
  }
}
