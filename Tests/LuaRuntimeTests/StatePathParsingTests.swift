import Testing

@testable import LuaRuntime

@Suite struct StatePathParsingTests {
  @Test(
    "a path that a report prints is read back",
    arguments: [
      StatePath([.field("a"), .field("b")]), StatePath([.field("rows"), .index(1)]),
      StatePath([.field("rows"), .index(-3), .field("note")]),
      StatePath([.field("files"), .field("a.txt")]), StatePath([.field("files"), .field("a]b[c")]),
      StatePath([.field("T02 Check"), .field("x")]), StatePath([.field("a"), .field("end")]),
      StatePath([.field("a"), .field("")]), StatePath([.index(1), .index(2)]),
      StatePath([.field("名")]), StatePath([.field("a\"]b\\c\n\r\t\u{1}9\u{7f}"), .index(.min)]),
      StatePath([.field("\"]"), .field("\\"), .index(.max)]),
      StatePath([.field("e\u{301}\"\u{301}")]),
    ])
  func roundTrip(path: StatePath) {
    #expect(StatePath(parsing: path.description) == path)
  }

  @Test("a keyword is valid after a dot")
  func keyword() {
    #expect(StatePath(parsing: "a.end") == StatePath([.field("a"), .field("end")]))
  }

  @Test(
    "a text that is no path, or a plain name, is not read as a path",
    arguments: [
      "name", "", "T02 Check", ".a", "a.", "a..b", "a[", "a[]", "a[x]", "a[1", "a[\"b]", "a]b.c",
      "a[\"\\x\"]", "a[\"\\999\"]", "a[\"\\", "a[99999999999999999999]", "a.b c", "a[1]b", "1.5",
      "e-mail.x", "[\"", "[\"]",
    ])
  func noPath(text: String) {
    #expect(StatePath(parsing: text) == nil)
  }

  @Test("a path starts with its first steps and with itself")
  func prefix() {
    let path = StatePath([.field("a"), .index(1)])
    #expect(path.starts(with: StatePath([.field("a")])))
    #expect(path.starts(with: path))
    #expect(!path.starts(with: StatePath([.field("a"), .index(2)])))
  }

  @Test("a value is found by its path, or is nil")
  func valueAt() {
    let value: Value = ["rows": [["id": 4]]]
    #expect(value.value(at: StatePath([.field("rows"), .index(1), .field("id")])) == 4)
    #expect(value.value(at: StatePath([.field("rows"), .index(2)])) == nil)
    #expect(value.value(at: StatePath([])) == value)
    for index in [Int.min, -1, 0, 2, .max] {
      #expect(value.value(at: StatePath([.field("rows"), .index(index)])) == nil)
    }
  }
}
