import FlowKernel
import LuaRuntime
import Testing

@testable import FuzzTargets

/// Values of every kind, with a bias to rare ones.
private struct RandomValues {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

  private mutating func next(_ count: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int(state >> 33) % count
  }

  private mutating func one<Element>(of elements: [Element]) -> Element {
    elements[next(elements.count)]
  }

  mutating func value(_ tables: Int) -> Value {
    switch next(tables > 0 ? 10 : 6) {
    case 0: return one(of: [.nil, true, false])
    case 1: return .integer(integer())
    case 2, 3: return .number(number())
    case 4, 5: return .string(text())
    case 6: return .list((0..<next(4)).map { _ in value(tables - 1) })
    case 7, 8:
      let names = (0..<next(4)).map { _ in text() }
      return .record(
        Dictionary(names.map { ($0, value(tables - 1)) }, uniquingKeysWith: { $1 }))
    default:
      let keys = (0..<next(4)).map { _ in integer() }
      return .map(Dictionary(keys.map { ($0, value(tables - 1)) }, uniquingKeysWith: { $1 }))
    }
  }

  /// A value inside so many tables.
  mutating func deep(_ tables: Int) -> Value {
    (0..<tables).reduce(value(0)) { inner, _ in
      inner.isNil ? [1] : one(of: [[inner], ["a": inner], .map([7: inner]), ["[1]": inner]])
    }
  }

  private mutating func integer() -> Int {
    one(of: [0, 1, 2, 3, -1, 7, .max, .min, 1 << 53, (1 << 53) + 1, next(1_000_000)])
  }

  private mutating func number() -> Double {
    let bits = UInt64(next(1 << 31)) << 33 ^ UInt64(next(1 << 31))
    return one(of: [
      0, -0.0, 1, -1, 0.1, 1e16, 1e100, .leastNonzeroMagnitude, .greatestFiniteMagnitude, .infinity,
      -.infinity,
      .nan, 9_007_199_254_740_992, Double(bitPattern: bits),
    ])
  }

  private mutating func text() -> String {
    let words = [
      "", "a", "value", "[1]", "[]", "[[1]]", "[nan]", "[math.huge]", "[-math.huge]", "[[]]",
      "[01]", "[1", "1]", "dispatch", "nil", "end", "\"", "\\", "\\u0041", "\n", "\r\n", "\0",
      "\u{1f}",
      "\u{7f}", "\u{85}", "\u{2028}", "é", "e\u{301}", "\"\u{301}", "\u{1f469}\u{200d}\u{1f680}",
      "\u{ffff}",
      "\u{10ffff}", "--", "]]", "${x}", "%s", "9", "\u{feff}",
    ]
    return (0..<1 + next(3)).map { _ in one(of: words) }.joined()
  }
}

@Suite struct RoundTripTests {
  @Test(
    "every value survives a round trip through JSON, transcripts, Lua and snapshots",
    arguments: 1...UInt64(40))
  func formats(seed: UInt64) throws {
    var values = RandomValues(seed: seed)
    for _ in 0..<10 { try checkFormats(of: values.value(4)) }
    try checkFormats(of: values.deep(Int(seed) * 5 - 5))
  }

  @Test("a value too deep for a record is cut, so that the record can be read")
  func deep() throws {
    let value = (0..<1_000).reduce(Value.nil) { inner, _ in [inner] }
    let text = JSONText.text(value)
    #expect(JSONText.text(try JSONText.value(of: text)) == text)
    var transcript = Transcript(flow: "f", hash: "", seed: 0)
    transcript.note(.dispatch(action: "a", payload: value, outcome: "", revision: 0))
    #expect(try Transcript(text: transcript.text).text == transcript.text)
  }
}
