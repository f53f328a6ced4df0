import Testing

@testable import MoonlatchCLI

@Suite struct CompleterTests {
  private let prompt: Prompt

  init() throws { prompt = try Prompt(workshop) }

  private func complete(_ text: String) -> String {
    let found = Completer(session: prompt.session, width: 200).complete(text)
    if let choices = found.choices {
      return choices.split(separator: "\n").map { String($0).trimmed }.joined(separator: " | ")
    }
    guard let inserted = found.text else { return "" }
    return String(decoding: text.utf8.dropLast(found.replaced), as: UTF8.self) + inserted
  }

  @Test(
    "a unique completion is inserted",
    arguments: [
      ("log_i", "log_in { "), ("log_o", "log_out()"), ("x = log_o", "x = log_out()"),
      ("pass.ad", "pass.add { "), ("may.ope", "may.open()"), ("inside.ope", "inside.open()"),
      ("s.tot", "s.total"),
      ("add { na", "add { name = "), ("pass.add { count = 1, n", "pass.add { count = 1, name = "),
      ("pass[\"add\"] { c", "pass[\"add\"] { count = "),
      ("dispatch(\"add\", { c", "dispatch(\"add\", { count = "),
      ("view.", "view.total()"), (":stat", ":state "), (":state to", ":state total"),
      (":why lo", ":why lo"), (":why add { c", ":why add { count = "), (":clock r", ":clock real"),
      (":reload res", ":reload reset"), (":help loade", ":help loaded"),
      (":stub us", ":stub user."),
      ("string.for", "string.format("), ("whi", "while"), ("x + math.ab", "x + math.abs("),
    ])
  func single(text: String, completed: String) {
    #expect(complete(text) == completed || completed == text)
  }

  @Test(
    "fields that are already written are not offered, and the others are listed with their types")
  func fields() {
    #expect(complete("add { ") == "count  integer of at least 1, else 2 | name   string")
    #expect(complete("add { count = 1, ") == "add { count = 1, name = ")
    #expect(complete("log_in { id = \"x\", ") == "")
  }

  @Test("several completions are inserted up to their common prefix, then listed")
  func several() {
    #expect(complete("lo").contains("log_in"))
    #expect(complete("log") == "log_")
    #expect(complete("s.") == "door   jobs   note   total")
    #expect(complete("nonsense_") == "")
  }

  @Test("elements of the state are completed by index")
  func elements() {
    prompt.type("log_in { id = \"u\" }")
    prompt.type("add { name = \"a\" }")
    #expect(complete("s.jobs[1].na") == "s.jobs[1].name")
    #expect(complete("s.jobs[1].") == "count  name")
    #expect(complete("s.jobs[2].") == "")
    #expect(complete("s.jobs.") == "")
    #expect(complete("s.nothing.") == "")
  }

  @Test("completion runs no code: neither metamethods nor functions")
  func nothingRuns() {
    prompt.type(
      """
      spy = setmetatable({ real = { deep = 1 } }, {
        __index = function(_, key) print("ran") return { key } end,
        __pairs = function() print("ran") return next, {} end,
        __len = function() print("ran") return 1 end,
        __eq = function() print("ran") return true end,
      })
      """)
    #expect(complete("spy.re") == "spy.real")
    #expect(complete("spy.real.de") == "spy.real.deep")
    #expect(complete("spy.ghost.") == "")
    #expect(complete("spy[1].") == "")
    #expect(prompt.type("print(\"only this\")") == "| only this")
  }

  @Test("the number of completions is bounded if the state is large")
  func bounded() throws {
    let large = try Prompt(
      """
      local rows = {}
      for n = 1, 20000 do rows["key" .. n] = n end
      state { rows = map(rows) }
      action.a {}
      """)
    let found = Completer(session: large.session, width: 80).complete("s.rows.")
    #expect(found.text == nil)
    #expect(found.choices?.hasSuffix("\n  and more") == true)
  }
}
