import SCXML
import Testing

/// The supported subset of ECMAScript's expressions.
@Suite struct ECMAScriptTests {
  private static func text(_ condition: String, model: String = "ecmascript") -> DocumentFile {
    let escaped = condition.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
      .replacing("\"", with: "&quot;")
    return DocumentReader.read(
      "<scxml version=\"1.0\" xmlns=\"http://www.w3.org/2005/07/scxml\" datamodel=\"\(model)\"><state id=\"s\"><transition cond=\"\(escaped)\" target=\"s\"/></state></scxml>",
      name: "x.scxml",
      .init(
        misfit: { _ in nil }, assigned: { _ in [] }, text: { _ in ("", "") },
        suggestion: { _, _ in "" }))
  }

  @Test(
    "literals, comparisons, operators, members and In are translated to Lua",
    arguments: [
      ("a == 1", "__equals(_ENV[\"a\"], 1)"),
      ("a.b !== 'x'", "(_ENV[\"a\"][\"b\"] ~= (\"x\"))"),
      (
        "a && !b",
        "__truthy(__both(_ENV[\"a\"], function() return (not __truthy(_ENV[\"b\"])) end))"
      ),
      ("In('s') || 1 < 2", "(In((\"s\")) or __less(1, 2))"),
      ("1 + 2 * 3 === 7", "(__plus(1, __times(2, 3)) == 7)"),
      ("-a % 2 >= 0x1F", "__at_most(0x1F, __modulo(__negate(_ENV[\"a\"]), 2))"),
      ("null == undefined", "__equals(nil, nil)"), ("null === undefined", "false"),
      ("(true)", "(true)"),
      ("a[0].b['c'] == 1", "__equals(__get(_ENV[\"a\"], 0)[\"b\"][(\"c\")], 1)"),
      ("a.length > 0", "__less(0, __length(_ENV[\"a\"]))"),
      ("typeof a === 'undefined'", "(__kind(__named(\"a\")) == (\"undefined\"))"),
      ("typeof a.b != 'x'", "(not __equals(__kind(_ENV[\"a\"][\"b\"]), (\"x\")))"),
      ("[1, 'x'] == a", "__equals((__list({ 1, (\"x\") })), _ENV[\"a\"])"),
      (
        "{ a: 1, 'b': [], } == 1", "__equals((__map({ [\"a\"] = 1, [\"b\"] = (__list({  })) })), 1)"
      ),
      (
        "'name' in _event && a instanceof Array",
        "(__has((\"name\"), _ENV[\"_event\"]) and __is_array(_ENV[\"a\"]))"
      ),
      (
        "a ? 1 : 2",
        "__truthy(__pick(__truthy(_ENV[\"a\"]), function() return 1 end, function() return 2 end))"
      ),
    ])
  func known(condition: String, lua: String) {
    let file = Self.text(condition)
    #expect(file.obstacles.isEmpty && file.faults.isEmpty)
    #expect(
      file.chunks.first?.text.contains("return \(lua) end") == true,
      "\(file.chunks.first?.text ?? "")")
  }

  @Test(
    "unsupported ECMAScript is reported with the reason",
    arguments: [
      ("f(1)", "it calls a function that is not supported"),
      ("a.map(b)", "the method map is not supported"),
      ("Math.hypot(1)", "the function Math.hypot is not supported"),
      ("a.push(1)", "push changes an array: use it as a statement in a script"),
      ("a = 1", "= is not supported"),
      ("new a", "new is not supported"), ("010 == a", "010 is not a number"),
      ("[1, null] == a", "an array cannot contain null here"),
      ("a /= 2", "it changes a value, which only a script can do"),
      ("a instanceof b", "b is unexpected there"), ("[1, , 2]", ", is unexpected there"),
      ("{ a }", "} is unexpected there"),
      ("a ++", "it changes a value, which only a script can do"),
      ("'\\u12'", "an unsupported escape in a string"),
      ("a b", "b is unexpected there"), ("1e", "1e is not a number"),
    ])
  func unknown(condition: String, reason: String) {
    #expect(
      Self.text(condition).obstacles.map(\.message) == [
        "\(condition): \(reason); of ecmascript, supported are literals, comparisons, && || ! ?:, + - * / %, in, typeof, members, In, and calls of common methods and functions"
      ])
  }

  @Test(
    "invalid ECMAScript raises an error when it is evaluated",
    arguments: [
      ("1 +", "it ends too early"), ("a ? 1", "it ends too early"), ("a[1", "it ends too early"),
      ("'x", "an unfinished string"), ("1 = 1", "a literal cannot be assigned"),
    ])
  func illegal(condition: String, reason: String) {
    let file = Self.text(condition)
    #expect(file.obstacles.isEmpty && file.faults.isEmpty)
    #expect(
      file.warnings.map(\.message) == [
        "\(condition) is not valid ECMAScript: \(reason); it raises error.execution where it is evaluated"
      ])
  }

  @Test("an expression that is nested too deeply is an error")
  func deep() {
    let deep = String(repeating: "(", count: 5_000) + "1" + String(repeating: ")", count: 5_000)
    #expect(Self.text(deep).obstacles.first?.message.contains("it is nested too deeply") == true)
    let not = String(repeating: "!", count: 5_000) + "a"
    #expect(Self.text(not).obstacles.first?.message.contains("it is nested too deeply") == true)
    let many = String(repeating: "!", count: 600_000) + "a"
    #expect(
      Self.text(many).obstacles.first?.message.contains("it has more than 500000 tokens") == true)
  }
}
