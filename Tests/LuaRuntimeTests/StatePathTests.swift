import LuaRuntime
import Testing

@Suite struct StatePathTests {
  @Test(
    "a path is written as in an expectation",
    arguments: [
      ([], ""), ([.field("coins")], "coins"),
      ([.field("rows"), .index(1), .field("note")], "rows[1].note"),
      ([.field("two words"), .field("x")], "[\"two words\"].x"),
      ([.field("a"), .field("end")], "a[\"end\"]"), ([.field("m"), .index(-3)], "m[-3]"),
    ] as [([StatePath.Key], String)])
  func text(keys: [StatePath.Key], text: String) { #expect(StatePath(keys).description == text) }

  @Test("a path can be extended")
  func appending() {
    #expect(StatePath([.field("a")]).appending(.index(2)).description == "a[2]")
  }
}
