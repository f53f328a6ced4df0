import Testing

@testable import MoonlatchCLI

/// The word `given` at the prompt.
@Suite struct GivenTests {
  @Test("given sets the state before the first action, and reports what it changed")
  func state() throws {
    let prompt = try Prompt(workshop)
    #expect(prompt.type("given { total = 5 }") == "  total: 0 -> 5\n  view total: 0 -> 5")
    #expect(prompt.type("s.total") == "5")
    let opened = prompt.type("given { door = \"opened\" }")
    #expect(opened.contains("  door: \"closed\" -> \"opened\""))
    #expect(opened.contains("close is due in 30 s"))
    prompt.type(":undo")
    prompt.type("log_in { id = \"u\" }")
    #expect(prompt.type("add { name = \"a\" }").contains("  total: 5 -> 7\n"))
    prompt.type(":undo 2")
    #expect(prompt.type("s.total") == "5")
  }

  @Test("given holds gatekeepers, and sets random draws and the time of birth")
  func others() throws {
    let prompt = try Prompt(workshop)
    #expect(
      prompt.type("given.gatekeeper.loading(\"held\")").contains("gatekeeper loading: held"))
    #expect(prompt.type("load { url = \"x\" }").hasPrefix("refused by gatekeeper loading"))
    let dice = try Prompt(
      """
      state { n = 0, at = 0 }
      action.roll {}
      function reduce.roll(s)
        s.n = random(6)
        s.at = born()
      end
      """)
    #expect(dice.type("given.random { 4 }") == "")
    #expect(dice.type("given.born(\"1970-01-01T00:01:00Z\")") == "")
    #expect(dice.type("roll()").contains("  at: 0 -> 60"))
    #expect(dice.type("s.n") == "4")
  }

  @Test(
    "a given that does not fit changes nothing",
    arguments: [
      ("given { totl = 5 }", "did you mean total?"),
      ("given { door = \"ajar\" }", "machine door has no state ajar"),
      ("given {}", "given takes fields of the state"),
      ("given.gatekeeper.loadng(\"held\")", "there is no gatekeeper loadng; did you mean loading?"),
      ("given.random {}", "given.random takes the numbers that are drawn"),
      ("given.born(\"today\")", "given.born needs a time such as"),
      ("given.borne(\"today\")", "there is no given.borne; did you mean born?"),
    ])
  func misfit(text: String, message: String) throws {
    let prompt = try Prompt(workshop)
    let answer = prompt.type(text)
    #expect(answer.hasPrefix("error: "))
    #expect(answer.contains(message), "\(answer)")
    #expect(prompt.type("s.total") == "0")
    #expect(!prompt.type(":save ~/x.scenario.lua").contains("given"))
  }

  @Test("given belongs before the first action")
  func late() throws {
    let prompt = try Prompt(workshop)
    prompt.type("log_in { id = \"u\" }")
    let message = "given belongs before the first action; :reload reset begins anew"
    #expect(prompt.type("given { total = 5 }").contains(message))
    prompt.type(":undo")
    #expect(prompt.type("given { total = 5 }").contains(message))
    prompt.type(":reload reset")
    #expect(prompt.type("given { total = 5 }").contains("  total: 0 -> 5"))
  }

  @Test("a saved scenario and a transcript begin with what was given")
  func saved() throws {
    let prompt = try Prompt(workshop)
    prompt.type("given { total = 5, user = \"v\" }")
    prompt.type("add { name = \"a\" }")
    let answer = prompt.type(":save ~/x.scenario.lua")
    #expect(answer.hasSuffix("1 passed, 0 failed"), "\(answer)")
    #expect(
      try prompt.folder.text(of: "x.scenario.lua").contains(
        """
          given { total = 5, user = "v" }
          pass.add { name = "a" }
          expect.change { ["jobs[1].count"] = 2, ["jobs[1].name"] = "a", total = 7 }
        """))
    prompt.type(":save ~/x.jsonl")
    #expect(
      prompt.type(":load ~/x.jsonl").hasSuffix(
        "played x.jsonl from the initial state; no differences"))
    #expect(prompt.type("s.total") == "7")
  }
}
