/// Bodies of requests: valid ones, nearly valid ones, and bytes that are no JSON at all.
extension Chance {
  mutating func body(of action: String) -> [UInt8] {
    switch below(10) {
    case 0..<4: Array(fitting(action).utf8)
    case 4..<6: mutated(Array(fitting(action).utf8))
    case 6..<8: Array(json(depth: 0).utf8)
    case 8: Array(deep().utf8)
    default: bytes(below(200))
    }
  }

  /// A payload of an action of types.lua.
  private mutating func fitting(_ action: String) -> String {
    switch action {
    case "numbers":
      "{\"whole\":\(number()),\"small\":\(from(-4, to: 4)),\"real\":\(number()),\"half\":0.\(below(6))}"
    case "words": "{\"any\":\(text()),\"some\":\"ab\",\"word\":\"abc\",\"secret\":\(text())}"
    case "choices":
      "{\"one\":\(pick("\"a\"", "3", "true", "3.0")),\"flag\":\(pick("true", "false"))}"
    case "lists": "{\"whole\":[\(number())],\"few\":[\"a\"],\"deep\":[[true],[]]}"
    case "maps": "{\"named\":{\(text()):1},\"numbered\":{\"[7]\":\"a\"},\"worded\":{\"abc\":true}}"
    case "records":
      "{\"pair\":{\"left\":\(number())},\"pairs\":[{\"left\":1,\"right\":null}],\"inner\":{\"inner\":{\"value\":\(json(depth: 2))}}}"
    case "defaults": pick("{}", "{\"count\":null}", "{\"list\":[\(text())]}")
    case "with%20blanks%20%2F%20and%20%25", "only_when_on": "{\"value\":\(json(depth: 1))}"
    case "fork": "{\"at\":\(pick("1", "2", number())),\"as\":\"case-\(below(50))\"}"
    case "": "{\"given\":{\"total\":\(number())}}"
    default: "{}"
    }
  }

  mutating func json(depth: Int) -> String {
    if depth > 4 || percent(30) { return pick(number(), text(), "true", "null", "[]", "{}") }
    let count = below(5)
    if percent(50) {
      return "[" + (0..<count).map { _ in json(depth: depth + 1) }.joined(separator: ",") + "]"
    }
    return "{"
      + (0..<count).map { _ in "\(text()):\(json(depth: depth + 1))" }.joined(separator: ",") + "}"
  }

  private mutating func number() -> String {
    pick(
      "0", "-0", "1", "-1", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
      "-9223372036854775809", "1e308", "1e309", "-1e-400", "0.1", "1E+2", "01", "1.", ".5", "+1",
      String(repeating: "9", count: below(400) + 1), "\(below(1_000))")
  }

  private mutating func text() -> String {
    pick(
      "\"\"", "\"a\"", "\"[1]\"", "\"[]\"", "\"[math.huge]\"", "\"\\u0000\"", "\"\\ud83d\\ude00\"",
      "\"\\ud800\"", "\"\\u202e\"", "\"é\u{301}\"", "\"\\x\"", "\"id: 1\\n\\ndata: x\"",
      "\"" + String(repeating: "x", count: below(3_000)) + "\"", "\"\(below(100))\"")
  }

  /// Nested as deeply as a request may be long, or as a reader goes, more or less.
  private mutating func deep() -> String {
    let depth = pick(from(90, to: 260), from(1, to: 50_000))
    let (open, close) = percent(50) ? ("[", "]") : ("{\"a\":", "}")
    let ends = percent(50) ? depth : below(depth)
    return String(repeating: open, count: depth) + "1" + String(repeating: close, count: ends)
  }

  /// A few bytes changed, taken out, doubled or cut off.
  mutating func mutated(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    for _ in 0...below(4) where !bytes.isEmpty {
      let place = below(bytes.count)
      switch below(6) {
      case 0: bytes[place] = byte()
      case 1: bytes[place] ^= 1 << UInt8(below(8))
      case 2: bytes.remove(at: place)
      case 3: bytes.insert(contentsOf: bytes[place...].prefix(from(1, to: 40)), at: place)
      case 4: bytes.insert(pick(0, 10, 13, 32, 37, 58, 255), at: place)
      default: bytes.removeLast(min(bytes.count, below(40)))
      }
    }
    return bytes
  }
}
