import Testing

@testable import MoonlatchCLI

@Suite struct TimeTests {
  private func played() throws -> Prompt {
    let prompt = try Prompt(workshop)
    prompt.type("log_in { id = \"u\" }")
    prompt.type("add { name = \"a\" }")
    prompt.type("add { name = \"b\", count = 3 }")
    return prompt
  }

  @Test("the history lists committed and undone transitions")
  func history() throws {
    let prompt = try played()
    #expect(try Prompt(workshop).type(":history") == "no action has passed yet")
    prompt.type(":undo")
    #expect(
      prompt.type(":history") == """
        #1 log_in  user: nil -> "u"
        #2 add  jobs[1]: inserted { count = 2, name = "a" }; total: 0 -> 2
        #3 add  jobs[2]: inserted { count = 3, name = "b" }; total: 2 -> 5  (undone)
        """
        || prompt.type(":history").contains("jobs[2]: nil -> { count = 3, name = \"b\" }"))
  }

  @Test("undo and redo report their changes, in views and scopes too")
  func undo() throws {
    let prompt = try played()
    let undone = prompt.type(":undo 3")
    #expect(undone.contains("#3 add is undone\n"))
    #expect(undone.contains("  total: 5 -> 2\n"))
    #expect(undone.contains("  user: \"u\" -> nil\n"))
    #expect(undone.contains("  scope user: locked\n"))
    #expect(undone.hasSuffix("  view total: 5 -> 0"))
    #expect(prompt.session.revision == 0)
    #expect(prompt.type(":redo 2").contains("#2 add again\n"))
    #expect(prompt.type("s.total") == "2")
    prompt.type(":goto 3")
    #expect(prompt.type("s.total") == "5")
    prompt.type(":goto #1")
    #expect(prompt.type("s.total") == "0")
    #expect(
      prompt.type(":goto 9") == "error: revision 9 is out of reach; the history holds 0 to 3")
    #expect(prompt.type(":undo x") == "error: :undo takes a number of commits, not \"x\"")
    #expect(
      prompt.type(":undo 2") == "error: cannot undo 2: at most 1 can be undone")
    #expect(
      prompt.type(":redo 9") == "error: cannot redo 9: at most 2 can be redone")
    #expect(prompt.type(":redo 9223372036854775807").hasPrefix("error: :redo takes a number"))
    #expect(
      prompt.type(":goto -9223372036854775808").hasPrefix("error: revision -9223372036854775808"))
  }

  @Test("diff compares two revisions, past and undone, without moving to them")
  func diff() throws {
    let prompt = try played()
    #expect(prompt.type(":diff").contains("total: 2 -> 5"))
    #expect(prompt.type(":diff 1").contains("jobs[1].name: nil -> \"a\""))
    prompt.type(":goto 1")
    #expect(prompt.type(":diff 3 2").contains("total: 5 -> 2"))
    #expect(prompt.type(":diff 1 3").contains("total: 0 -> 5"))
    #expect(prompt.type(":diff 1 1") == "#1 and #1 are the same")
    #expect(prompt.session.revision == 1)
    #expect(prompt.type(":diff a") == "error: :diff A B takes a revision, such as 3, not \"a\"")
  }

  @Test("a virtual clock advances on request, a real one by itself")
  func clock() throws {
    let prompt = try Prompt(workshop)
    prompt.type("log_in { id = \"u\" }")
    #expect(prompt.type("open()").hasSuffix("  pending: close is due in 30 s"))
    #expect(prompt.type(":advance 29500ms") == "it is 29.5 s")
    #expect(prompt.type(":advance 1s").contains("#3 close (by #2)"))
    #expect(prompt.type(":clock") == "the clock is virtual; it is 30.5 s")
    #expect(prompt.type(":clock real").hasPrefix("the clock is real; it is 30.5"))
    #expect(
      prompt.type(":advance 1s")
        == "error: the clock is real: it advances by itself (:clock virtual stops it)")
    #expect(prompt.type(":clock virtual").hasPrefix("the clock is virtual; it is 30.5"))
    #expect(prompt.type(":clock lunar") == "error: :clock takes real or virtual, not \"lunar\"")
    #expect(
      prompt.type(":advance 999999999w")
        == "error: the clock ends after 3,000 years")
    #expect(prompt.type(":advance soon").hasPrefix("error: :advance takes a duration"))
  }

  @Test(
    "a duration is written with its unit",
    arguments: [
      ("5s", 5), ("5", 5), ("500ms", 0.5), ("2m", 120), ("1h", 3600), ("1.5 s", 1.5), ("1d", 86400),
    ])
  func durations(text: String, seconds: Double) { #expect(TimeLength.seconds(text) == seconds) }

  @Test("an invalid duration is rejected", arguments: ["", "s", "-1s", "5x", "1e9", "5 s s"])
  func noDurations(text: String) { #expect(TimeLength.seconds(text) == nil) }
}
