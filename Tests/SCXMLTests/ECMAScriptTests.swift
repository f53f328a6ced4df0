import SCXML
import Testing

/// What of ECMAScript's expressions runs here.
@Suite struct ECMAScriptTests {
  private static func text(_ condition: String, model: String = "ecmascript") -> DocumentFile {
    let escaped = condition.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
      .replacing("\"", with: "&quot;")
    return DocumentReader.read(
      "<scxml xmlns=\"http://www.w3.org/2005/07/scxml\" datamodel=\"\(model)\"><state id=\"s\"><transition cond=\"\(escaped)\" target=\"s\"/></state></scxml>",
      name: "x.scxml",
      .init(
        misfit: { _ in nil }, assigned: { _ in [] }, text: { _ in ("", "") },
        suggestion: { _, _ in "" }))
  }

  @Test(
    "literals, comparisons, operators, members and In become Lua",
    arguments: [
      ("a == 1", "(_ENV[\"a\"] == 1)"),
      ("a.b !== 'x'", "(_ENV[\"a\"][\"b\"] ~= (\"x\"))"),
      (
        "a && !b",
        "__truthy(__both(_ENV[\"a\"], function() return (not __truthy(_ENV[\"b\"])) end))"
      ),
      ("In('s') || 1 < 2", "(In((\"s\")) or (1 < 2))"),
      ("1 + 2 * 3 === 7", "(__plus(1, (2 * 3)) == 7)"),
      ("-a % 2 >= 0x1F", "(math.fmod((- _ENV[\"a\"]), 2) >= 0x1F)"),
      ("null == undefined", "(nil == nil)"),
      ("(true)", "(true)"),
    ])
  func known(condition: String, lua: String) {
    let file = Self.text(condition)
    #expect(file.obstacles.isEmpty && file.faults.isEmpty)
    #expect(
      file.chunks.first?.text.contains("return \(lua) end") == true,
      "\(file.chunks.first?.text ?? "")")
  }

  @Test(
    "what is beyond that says why it does not run",
    arguments: [
      ("f(1)", "it calls a function other than In"), ("a = 1", "= is not known here"),
      ("a[0]", "[ is not known here"), ("typeof a", "typeof is not known here"),
      ("a ++", "it changes something"), ("1 +", "it ends too soon"),
      ("'x", "a text that does not end"),
      ("a b", "b is not expected there"), ("{}", "{ is not known here"), ("1e", "1e is no number"),
    ])
  func unknown(condition: String, reason: String) {
    #expect(
      Self.text(condition).obstacles.map(\.message) == [
        "\(condition): \(reason); of ecmascript there are literals, comparisons, && || !, + - * / %, members and In here"
      ])
  }

  @Test("what is nested too deeply ends in a sentence")
  func deep() {
    let deep = String(repeating: "(", count: 100_000) + "1" + String(repeating: ")", count: 100_000)
    #expect(Self.text(deep).obstacles.first?.message.contains("it is nested too deeply") == true)
    let not = String(repeating: "!", count: 100_000) + "a"
    #expect(Self.text(not).obstacles.first?.message.contains("it is nested too deeply") == true)
  }
}
