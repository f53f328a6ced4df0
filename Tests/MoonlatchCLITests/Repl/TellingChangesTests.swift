import Testing

@testable import MoonlatchCLI

/// Output of the prompt about views, effects and long lines.
@Suite struct TellingChangesTests {
  @Test("a changed view is reported by path")
  func views() throws {
    let prompt = try Prompt(
      """
      state { rows = list { { id = 1, note = "a" } }, by = { n = 0 } }
      action.add { id = integer } action.note {} action.clear {}
      function reduce.add(s, a) table.insert(s.rows, { id = a.id, note = "b" }) s.by.n = a.id end
      function reduce.note(s) s.rows[1].note = "c" end
      function reduce.clear(s) s.rows = list {} end
      function view.all(s) return { rows = s.rows, n = s.by.n } end
      """)
    #expect(
      prompt.type("add { id = 2 }").hasSuffix(
        "  view all.n: 0 -> 2\n  view all.rows[2]: inserted { id = 2, note = \"b\" }"))
    #expect(prompt.type("note()").hasSuffix("  view all.rows[1].note: \"a\" -> \"c\""))
    #expect(
      prompt.type(":undo 2").hasSuffix(
        "  view all.n: 2 -> 0\n  view all.rows[1].note: \"c\" -> \"a\"\n"
          + "  view all.rows[2]: removed { id = 2, note = \"b\" }"))
    #expect(prompt.type("clear()").contains("view all.rows: { { id = 1, note = \"a\" } } -> {}"))
  }

  @Test("of a view with many changes only the first are reported")
  func many() throws {
    let prompt = try Prompt(
      """
      state { n = 0 } action.go {}
      function reduce.go(s) s.n = s.n + 1 end
      function view.list(s) local l = {} for i = 1, 30 do l[i] = s.n + i end return l end
      """)
    #expect(prompt.type("go()").contains("  view list[10]: 10 -> 11\n  view list: ... and 20 more"))
  }

  @Test("of many changes the first are listed, as many as of a table, and the others are counted")
  func manyChanges() throws {
    let prompt = try Prompt(
      """
      state { list = list {} } action.go { count = integer } action.fail { count = integer }
      local function fill(s, a) for i = 1, a.count do s.list[i] = i end end
      reduce.go, reduce.fail = fill, fill
      function invariant.short(s) return #s.list < 1000, "too long" end
      """)
    prompt.type(":set items 3")
    let lines = (1...3).map { "  list[\($0)]: nil -> \($0)" }
    #expect(
      prompt.type("go { count = 10 }")
        == (["#1 go"] + lines + ["  ... and 7 more"]).joined(separator: "\n"))
    #expect(
      prompt.type(":undo")
        == (["#1 go is undone"] + (8...10).reversed().map { "  list[\($0)]: \($0) -> nil" }
        + ["  ... and 7 more"]).joined(separator: "\n"))
    #expect(
      prompt.type(":redo")
        == (["#1 go again"] + lines + ["  ... and 7 more"]).joined(separator: "\n"))
    #expect(
      prompt.type(":diff 0 1")
        == (1...3).map { "list[\($0)]: nil -> \($0)\n" }.joined() + "... and 7 more")
    #expect(prompt.type("fail { count = 2000 }").hasSuffix("\n      ... and 1987 more"))
    prompt.type(":set items 10")
    #expect(!prompt.type(":undo").contains("more"))
  }

  @Test("redo says which effects are not restarted")
  func redo() throws {
    let prompt = try Prompt(
      """
      state { n = 0 } action.go {}
      function reduce.go(s) s.n = s.n + 1 end
      function effect.go(self) end
      """)
    #expect(prompt.type("go()").contains("  effect.go starts"))
    #expect(!prompt.type(":undo").contains("effect"))
    #expect(prompt.type(":redo") == "#1 go again\n  n: 0 -> 1\n  effect.go is not started again")
  }

  @Test(
    "an unfinished expression continues on the next line",
    arguments: ["s.n +", "s.n + 1 ==", "1 ..", "not", "s.n and", "x = s.n +", "{ 1,", "f("])
  func unfinished(text: String) throws {
    let prompt = try Prompt("state { n = 0 }")
    #expect(!prompt.session.isComplete(text))
  }

  @Test(
    "a syntax error does not wait for another line",
    arguments: ["s.n + )", "1 2", "end", "x = = 1"])
  func wrong(text: String) throws {
    let prompt = try Prompt("state { n = 0 }")
    #expect(prompt.session.isComplete(text))
  }

  @Test(
    "lines are wrapped between words, with a hanging indent",
    arguments: [
      ("one two three", 9, 2, "one two\n  three"), ("one two", 7, 2, "one two"),
      ("a verylongword b", 6, 2, "a\n  verylongword\n  b"), ("", 5, 2, ""),
      ("\u{1b}[31mone\u{1b}[0m two", 7, 2, "\u{1b}[31mone\u{1b}[0m two"),
      ("call()    may pass", 12, 4, "call()\n    may pass"),
    ])
  func wrapped(text: String, width: Int, indent: Int, lines: String) {
    #expect(text.wrapped(to: width, indent: indent) == lines)
  }

  @Test("the list of actions fits the width", arguments: [40, 60, 90])
  func actions(width: Int) throws {
    let prompt = try Prompt(workshop)
    prompt.type(":set width \(width)")
    for line in prompt.type(":actions").split(separator: "\n") {
      #expect(line.count <= width, "\(line)")
    }
  }
}
