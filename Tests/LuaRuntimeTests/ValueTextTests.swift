import LuaRuntime
import Testing

@Suite struct ValueTextTests {
  @Test(
    "a value is written as Lua source",
    arguments: [
      (Value.nil, "nil"), (true, "true"), (-3, "-3"), (1.5, "1.5"), (2.0, "2.0"),
      (.number(1e100), "1e+100"), (.number(.infinity), "math.huge"),
      (.number(-.infinity), "-math.huge"),
      ("a\"b\\\n\t\r\u{1}\u{7f}é", #""a\"b\\\n\t\r\001\127é""#),
      ([], "{}"), ([:], "{}"), ([1, [2]], "{ 1, { 2 } }"),
      (["b": 1, "a": true], "{ a = true, b = 1 }"),
      (["two words": 1, "end": 2], #"{ ["end"] = 2, ["two words"] = 1 }"#),
      (.map([5: 1, -1: 2]), "map { [-1] = 2, [5] = 1 }"), (.map([:]), "{}"),
      (.number(.nan), "nan"),
    ] as [(Value, String)])
  func source(value: Value, text: String) { #expect(value.description == text) }

  @Test("exact source distinguishes the empty tables, and writes NaN")
  func exact() {
    let value: Value = ["a": [], "b": [:], "c": .map([:]), "d": .map([7: .number(.nan)])]
    #expect(value.source == "{ a = list {}, b = {}, c = map {}, d = map { [7] = 0/0 } }")
  }

  @Test("a long value is truncated with a mark")
  func limit() {
    let long = Value.list((1...1000).map { .integer($0) })
    let text = long.text(limit: 40)
    #expect(text.hasPrefix("{ 1, 2, 3"))
    #expect(text.contains("..."))
    #expect(text.utf8.count < 60)
    let string = Value.string(String(repeating: "x", count: 500)).text(limit: 20)
    #expect(string.hasSuffix("...\""))
    #expect(string.utf8.count < 40)
  }

  @Test("written source is evaluated by Lua to the same value")
  func pasted() throws {
    let values: [Value] = [
      true, -3, 1.5, 2.0, .number(1e100), .number(.infinity), .integer(.max), .integer(.min),
      "a\"b\\\n\t\r\u{1}9é", [1, [2]], ["b": 1, "two words": ["x": "y"], "end": 2],
    ]
    let vm = try LuaVM(memoryLimit: 1 << 24)
    for value in values {
      #expect(try vm.run("return \(value)") == [value])
    }
  }

  @Test(
    "a name is letters, digits and underscores, without a leading digit, and no keyword",
    arguments: [
      ("abc", true), ("_1", true), ("1a", false), ("", false), ("end", false), ("é", false),
    ])
  func names(text: String, isName: Bool) { #expect(Value.isName(text) == isName) }
}
