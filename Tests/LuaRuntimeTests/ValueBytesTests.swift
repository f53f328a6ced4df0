import LuaRuntime
import Testing

@Suite struct ValueBytesTests {
  private let values: [Value] = [
    .nil, true, false, 0, -1, .integer(.max), .integer(.min), 1.5, -0.0, .number(.infinity), "",
    "text", "ünïcödé \u{0} \u{10ffff}", [], [1, "a", [true]], ["a": ["b": [:]], "": 1],
    .map([-5: "x", 7: [1]]), .string(String(repeating: "long ", count: 1000)),
    .list((0..<300).map { .integer($0) }),
  ]

  private func bytes(_ values: [Value]) -> [UInt8] {
    var writer = ValueWriter()
    for value in values { writer.write(value) }
    return writer.bytes
  }

  private func read(_ bytes: [UInt8]) throws -> [Value] {
    try bytes.withUnsafeBytes { buffer in
      var reader = ValueReader(buffer)
      return try reader.values()
    }
  }

  @Test("a value is read back as it was written")
  func roundTrip() throws {
    for value in values where value != [] { #expect(try read(bytes([value])) == [value]) }
    #expect(try read(bytes(values)).count == values.count)
    #expect(try read([]) == [])
  }

  @Test("skipping a value advances as far as reading it, and throws if it is truncated")
  func skipping() throws {
    for value in values {
      let whole = bytes([value, 1])
      try whole.withUnsafeBytes { buffer in
        var (one, other) = (ValueReader(buffer), ValueReader(buffer))
        _ = try one.value()
        #expect(try other.skip().count == one.offset)
        #expect(other.offset == one.offset)
      }
      for length in stride(from: 0, to: whole.count - 9, by: max(1, whole.count / 64)) {
        whole.withUnsafeBytes { buffer in
          var reader = ValueReader(UnsafeRawBufferPointer(rebasing: buffer[..<length]))
          #expect(throws: ValueReader.Malformed.self) { try reader.skip() }
        }
      }
    }
  }

  @Test("a value is the same after passing through Lua")
  func throughLua() throws {
    let vm = try LuaVM(memoryLimit: 1 << 24)
    let echo = try vm.load(Array("return ...".utf8), name: "echo.lua")
    for value in values where value != .number(-0.0) && value != .map([-5: "x", 7: [1]]) {
      #expect(try vm.call(echo, [value], phase: .script, budget: 100_000) == [value])
    }
    #expect(try vm.call(echo, values, phase: .script, budget: 100_000).count == values.count)
  }

  @Test("equal values have equal bytes, whatever the order of construction")
  func canonical() {
    let forwards = Dictionary(uniqueKeysWithValues: (0..<100).map { ("k\($0)", Value.integer($0)) })
    let backwards = Dictionary(
      uniqueKeysWithValues: (0..<100).reversed().map { ("k\($0)", Value.integer($0)) })
    #expect(bytes([.record(forwards)]) == bytes([.record(backwards)]))
  }

  @Test("truncated bytes throw at every length")
  func cutShort() throws {
    let whole = bytes([["a": [1, 2.5, "text"], "b": .map([3: true])]])
    for length in 1..<whole.count {
      #expect(throws: ValueReader.Malformed.self) { try read(Array(whole[..<length])) }
    }
  }

  @Test("damaged bytes throw or give some value, and never crash")
  func damaged() {
    let whole = bytes(values)
    var state: UInt64 = 42
    func random(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    for _ in 0..<3000 {
      var damaged = Array(whole[random(whole.count)...])
      for _ in 0...random(4) {
        if damaged.isEmpty { break }
        damaged[random(damaged.count)] = UInt8(random(256))
      }
      _ = try? read(damaged)
    }
  }

  @Test("a length beyond any memory throws before anything is reserved")
  func absurdLength() {
    for tag in [5, 6, 7, 8, 10] as [UInt8] {
      #expect(throws: ValueReader.Malformed.self) {
        try read([tag, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f])
      }
      #expect(throws: ValueReader.Malformed.self) {
        try read([tag] + Array(repeating: 0xff, count: 20))
      }
    }
  }

  @Test("values nested beyond the limit throw")
  func nesting() {
    let deep = [UInt8](Array(repeating: [6, 1], count: 5000).joined()) + [0]
    #expect(throws: ValueReader.Malformed.self) { try read(deep) }
  }

  @Test("a value that is nested too deeply is not passed to Lua")
  func nestedIntoLua() throws {
    var deep: Value = 1
    for _ in 0..<300 { deep = [deep] }
    let vm = try LuaVM(memoryLimit: 1 << 24)
    let echo = try vm.load(Array("return 1".utf8), name: "echo.lua")
    #expect(throws: ScriptError.self) {
      try vm.call(echo, [deep], phase: .script, budget: 1000)
    }
    #expect(try vm.call(echo, phase: .script, budget: 1000) == [1])
  }
}
