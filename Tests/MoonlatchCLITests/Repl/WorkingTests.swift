import Foundation
import Testing

@testable import MoonlatchCLI

@Suite struct WorkingTests {
  private func played() throws -> Prompt {
    let prompt = try Prompt(workshop)
    prompt.type(":stub root.fetch function(url) sleep(1) return url end")
    prompt.type("add { name = \"early\" }")
    prompt.type("log_in { id = \"u\" }")
    prompt.type("add { name = \"a\" }")
    prompt.type("add { count = 0 }")
    prompt.type("load { url = \"x\" }")
    prompt.type("load { url = \"y\" }")
    prompt.type(":advance 1s")
    prompt.type("open()")
    return prompt
  }

  // MARK: Saving

  @Test(
    "a session is saved as a scenario that passes: dispatches, refusals, failures, changes, time")
  func saveScenario() throws {
    let prompt = try played()
    let answer = prompt.type(":save ~/night.scenario.lua")
    #expect(answer.contains("saved night.scenario.lua\n"))
    #expect(answer.hasSuffix("1 passed, 0 failed"), "\(answer)")
    #expect(
      try prompt.folder.text(of: "night.scenario.lua") == """
        -- Played at the prompt.
        flow "flow.lua"

        scenario("what was played", function()
          stub("root.fetch", function(url) sleep(1) return url end)
          refuse.add { name = "early" }:by("scope user"):because("it is locked: scope user needs its key")
          pass.log_in { id = "u" }
          expect.change { user = "u" }
          settle()
          pass.add { name = "a" }
          expect.change { ["jobs[1].count"] = 2, ["jobs[1].name"] = "a", total = 2 }
          settle()
          fail.add { count = 0 }:by("payload")
          pass.load { url = "x" }
          expect.change {}
          settle()
          refuse.load { url = "y" }:by("gatekeeper loading"):because("the passage is held since load (#3)")
          advance(1.0)
          -- then came loaded
          pass.open()
          expect.change { door = "opened" }
          settle()
        end)

        """)
  }

  @Test("what was undone is no part of the scenario")
  func saveAfterUndo() throws {
    let prompt = try Prompt(workshop)
    prompt.type("log_in { id = \"u\" }")
    prompt.type("add { name = \"a\" }")
    prompt.type(":undo")
    prompt.type("add { name = \"b\" }")
    prompt.type("add { name = \"c\" }")
    prompt.type(":undo")
    #expect(prompt.type(":save ~/x.scenario.lua").hasSuffix("1 passed, 0 failed"))
    let text = try prompt.folder.text(of: "x.scenario.lua")
    #expect(
      text.contains("name = \"b\"") && !text.contains("name = \"a\"") && !text.contains("\"c\""))
  }

  @Test("a scenario that does not pass, since an effect failed, is said not to")
  func saveFailing() throws {
    let prompt = try Prompt(workshop)
    let failed = prompt.type("load { url = \"x\" }")
    #expect(
      failed.contains("error: effect.load did not finish: flow.lua:33: scope root has no fetch\n"))
    #expect(failed.hasSuffix("    (\":stub root.fetch VALUE\" answers for it)"))
    #expect(prompt.type(":save ~/x.scenario.lua").contains("0 passed, 1 failed"))
  }

  @Test("a capability that nobody answered for is stubbed to raise, as it did in the session")
  func saveUnanswered() throws {
    let prompt = try Prompt(
      """
      state { error = "" }
      action.load {}
      action.failed { error = string }
      function reduce.failed(s, a) s.error = a.error end
      effect.load = { run = function(self) self:fetch() end, on_error = "failed" }
      """)
    #expect(prompt.type("load()").contains("  error: \"\" -> \"scope root has no fetch\""))
    prompt.type(":stub root.fetch \"text\"")
    prompt.type("load()")
    let saved = prompt.type(":save ~/x.scenario.lua")
    #expect(saved.hasSuffix("1 passed, 0 failed"), "\(saved)")
    #expect(
      try prompt.folder.text(of: "x.scenario.lua").contains(
        "  stub(\"root.fetch\", function() error(\"scope root has no fetch\", 0) end)\n"))
  }

  @Test("a state of any values is saved: infinities, maps of numbers, odd names, deep tables")
  func saveValues() throws {
    let prompt = try Prompt(
      """
      state { box = map {}, names = map {} }
      action.put { key = integer, value = any }
      action.name { name = string, value = any }
      function reduce.put(s, a) s.box[a.key] = a.value end
      function reduce.name(s, a) s.names[a.name] = a.value end
      """)
    let nested = String(repeating: "{ ", count: 60) + String(repeating: " }", count: 60)
    let inputs = [
      "put { key = 1, value = math.huge }", "put { key = 5, value = -math.huge }",
      "put { key = -3, value = map { [5] = 1, [2] = \"x\" } }", "put { key = 1, value = false }",
      "put { key = math.mininteger, value = -0.0 }", "put { key = 7, value = { {}, { list {} } } }",
      "name { name = \"a]\\\"b\\\\c\\n\", value = { [\"x.y\"] = 1, [\"[1]\"] = 2, [\"\"] = {} } }",
      "name { name = \"\", value = \"\\0\\r\\n\" }", "put { key = 2, value = \(nested) }",
    ]
    for input in inputs { #expect(prompt.type(input).hasPrefix("#"), "\(input)") }
    let saved = prompt.type(":save ~/x.scenario.lua")
    #expect(saved.hasSuffix("1 passed, 0 failed"), "\(saved)")
    prompt.type(":save ~/x.jsonl")
    #expect(prompt.type(":load ~/x.jsonl").hasSuffix("all of it as it was"))
  }

  @Test("what cannot be saved is told why")
  func cannotSave() throws {
    let prompt = try played()
    #expect(prompt.type(":save").hasPrefix("error: :save takes a file"))
    #expect(prompt.type(":save ~/x.txt").contains("is none of NAME.scenario.lua"))
    #expect(
      prompt.type(":save ~/nowhere/x.scenario.lua")
        == "error: nowhere/x.scenario.lua cannot be written")
    #expect(prompt.type(":save ~/x.lua").contains("the flow has its file, flow.lua"))
    for name in ["own.scenario.lua", "own.jsonl"] {
      try prompt.folder.write("-- by hand", to: name)
      #expect(
        prompt.type(":save ~/\(name)") == "error: \(name) is there already, and was not saved here")
      #expect(try prompt.folder.text(of: name) == "-- by hand")
    }
    #expect(prompt.type(":save ~/twice.jsonl") == prompt.type(":save ~/twice.jsonl"))
    let typed = try Prompt(nil)
    #expect(typed.type(":save ~/x.scenario.lua").contains(":save NAME.lua first"))
    #expect(typed.type(":save ~/x.lua") == "error: nothing has been declared yet")
  }

  // MARK: What was undone

  private static let shop = """
    state { n = 0, failures = 0 }
    action.go {} action.failed {} action.other {}
    function reduce.go(s) s.n = s.n + 1 end
    function reduce.failed(s) s.failures = s.failures + 1 end
    function reduce.other(s) s.n = s.n + 10 end
    function effect.go() dispatch.failed {} end
    """

  @Test("the undo of what an effect dispatched keeps the input that caused it")
  func undoneFollowUp() throws {
    let prompt = try Prompt(Self.shop)
    for line in ["go()", ":undo", "other()"] { prompt.type(line) }
    #expect(prompt.type("s.n, s.failures") == "11\t0")
    #expect(prompt.type(":reload replay").hasSuffix("reloaded and played again up to #2"))
    #expect(prompt.type("s.n, s.failures") == "11\t0")
    prompt.type(":save ~/x.jsonl")
    prompt.type("other()")
    #expect(
      prompt.type(":load ~/x.jsonl").hasSuffix(
        "played x.jsonl from the beginning, all of it as it was"))
    #expect(prompt.type("s.n, s.failures") == "11\t0")
  }

  @Test(
    "a scenario says where a history cannot be played by inputs from outside, and does not pass")
  func inexpressible() throws {
    let prompt = try Prompt(Self.shop)
    for line in ["go()", ":undo", "other()"] { prompt.type(line) }
    let saved = prompt.type(":save ~/x.scenario.lua")
    #expect(saved.contains("0 passed, 1 failed"), "\(saved)")
    #expect(
      saved.contains(
        "at the prompt #2 failed was taken back here, alone; a scenario cannot do that"))
    let text = try prompt.folder.text(of: "x.scenario.lua")
    #expect(text.contains("pass.go()"))
    #expect(text.contains("pass.other()"))
  }

  @Test("what was undone whole is no part of a scenario, and what was redone is")
  func undoneWhole() throws {
    let prompt = try Prompt(Self.shop)
    for line in ["other()", "go()", ":undo 2", ":redo 2", ":undo 2", "other()"] {
      prompt.type(line)
    }
    #expect(prompt.type(":save ~/x.scenario.lua").contains("1 passed, 0 failed"))
    let text = try prompt.folder.text(of: "x.scenario.lua")
    #expect(!text.contains("pass.go()"))
    for line in ["go()", ":undo 2", ":redo 2"] { prompt.type(line) }
    #expect(prompt.type(":save ~/y.scenario.lua").contains("1 passed, 0 failed"))
    #expect(try prompt.folder.text(of: "y.scenario.lua").contains("pass.go()"))
  }

  @Test("time that passed is saved up to where the history was gone back to")
  func undoneTime() throws {
    let prompt = try Prompt(
      """
      state { n = 0 } action.arm {} action.tick {} action.look { at = number }
      function reduce.tick(s) s.n = s.n + 1 end
      function effect.arm() after(2, "tick") after(5, "tick") end
      """)
    for line in ["arm()", ":advance 10s", ":undo", ":advance 1s", "arm()"] { prompt.type(line) }
    #expect(prompt.type(":save ~/x.scenario.lua").contains("1 passed, 0 failed"))
    let text = try prompt.folder.text(of: "x.scenario.lua")
    #expect(text.contains("advance(2.0)"), "\(text)")
    #expect(prompt.type("now()") == "3.0")
    prompt.type(":reload replay")
    #expect(prompt.type("now()") == "3.0")
  }

  // MARK: Transcripts

  @Test(
    "a transcript is played from the beginning, and a changed flow is told by its first difference")
  func transcript() throws {
    let prompt = try played()
    prompt.type(":save ~/night.jsonl")
    prompt.type("close()")
    #expect(
      prompt.type(":load ~/night.jsonl").hasSuffix(
        "played night.jsonl from the beginning, all of it as it was"))
    #expect(prompt.type("s.door, s.total") == "\"opened\"\t2")
    try prompt.folder.write(
      workshop.replacing("default = 2", with: "default = 4"), to: "flow.lua")
    #expect(prompt.type(":reload reset").hasSuffix("reloaded; the state begins anew"))
    #expect(
      prompt.type(":load ~/night.jsonl").contains(
        "; the first difference: line 7: add came to \"add passed (#2):"))
    #expect(prompt.type(":load ~/none.jsonl") == "error: none.jsonl: there is no such file")
    try prompt.folder.write("{\"a\":1}\n", to: "bad.jsonl")
    #expect(
      prompt.type(":load ~/bad.jsonl")
        == "error: bad.jsonl: line 1, column 1: this is no transcript: its header is missing")
  }

  @Test("a file of inputs is played as if it were typed, and its first error ends it")
  func inputs() throws {
    let prompt = try Prompt(workshop)
    try prompt.folder.write(
      "log_in { id = \"u\" }\n\nfor n = 1, 2 do\n  add { name = \"a\" }\nend\n:set views off\nkick()\ns.total\n",
      to: "night.txt")
    let answer = prompt.type(":load ~/night.txt")
    #expect(answer.hasSuffix("error: night.txt:7: prompt:1: global kick is not defined"))
    #expect(prompt.type("s.total") == "4")
    try prompt.folder.write("add {\n", to: "half.txt")
    #expect(prompt.type(":load ~/half.txt").contains("half.txt:1: the file ends in the middle of"))
  }

  // MARK: Reloading

  @Test("a reload keeps the state, and says where the session would have come out differently")
  func reloadKeep() throws {
    let prompt = try played()
    #expect(prompt.type(":reload") == "reloaded, the state kept")
    try prompt.folder.write(
      workshop.replacing("s.total + a.count\n", with: "s.total + 2 * a.count\n"), to: "flow.lua")
    #expect(
      prompt.type(":reload keep") == "reloaded, the state kept; the first difference from before: "
        + "add came to \"add passed (#2): jobs[1]: nil -> { count = 2, name = \"a\" }; total: 0 -> 2\" "
        + "then, and to \"add passed (#2): jobs[1]: nil -> { count = 2, name = \"a\" }; "
        + "total: 0 -> 4\" now"
        || prompt.type("s.total") == "2")
    #expect(prompt.type("s.total") == "2")
    #expect(prompt.type(":reload replay").contains("reloaded and played again up to #"))
    #expect(prompt.type("s.total") == "4")
    #expect(
      prompt.type(":reload reset") == "  close, set by #5, was dropped: the flow begins anew\n"
        + "reloaded; the state begins anew")
    #expect(prompt.type("s.total") == "0")
    #expect(prompt.type(":reload all") == "error: :reload takes keep, replay or reset, not \"all\"")
  }

  @Test("a text with faults, or one that does not fit, changes nothing")
  func reloadFaulty() throws {
    let prompt = try played()
    prompt.type("x = 5")
    try prompt.folder.write("state { n = 0 }\nfunction reduce.x() end", to: "flow.lua")
    #expect(prompt.type(":reload") == "error: flow.lua:2: reduce.x: there is no action x")
    try prompt.folder.write(workshop.replacing("opened", with: "ajar"), to: "flow.lua")
    #expect(
      prompt.type(":reload")
        == "error: the state does not fit the new text: machine door is in opened, a state that is gone; "
        + "the old text goes on (:reload replay plays the session again with the new one, "
        + ":reload reset begins anew)")
    #expect(prompt.type("s.total, x") == "2\t5")
    #expect(prompt.type("close()").contains("door: \"opened\" -> \"closed\""))
  }

  @Test("after a field was renamed, the two ways to go on are told by name, and both work")
  func reloadRenamed() throws {
    let prompt = try Prompt(workshop)
    prompt.type("log_in { id = \"u\" }")
    try prompt.folder.write(workshop.replacing("user", with: "person"), to: "flow.lua")
    #expect(
      prompt.type(":reload")
        == "error: the state does not fit the new text: state has no field user; the old text goes on "
        + "(:reload replay plays the session again with the new one, :reload reset begins anew)")
    #expect(prompt.type("s.user") == "\"u\"")
    #expect(prompt.type(":reload replay").contains("reloaded and played again up to #1"))
    #expect(prompt.type("s.person") == "\"u\"")
    try prompt.folder.write(workshop, to: "flow.lua")
    #expect(prompt.type(":reload").hasPrefix("error: the state does not fit the new text: "))
    #expect(prompt.type(":reload reset") == "reloaded; the state begins anew")
  }

  @Test("stubs outlive a reload")
  func stubsStay() throws {
    let prompt = try Prompt(workshop)
    prompt.type(":stub root.fetch \"text\"")
    prompt.type(":reload reset")
    #expect(prompt.type("load { url = \"x\" }").contains("| got text"))
    #expect(prompt.type(":stub") == "root.fetch = \"text\"")
    #expect(prompt.type(":stub rot.fetch 1") == "error: there is no scope rot; did you mean root?")
    #expect(prompt.type(":stub fetch").hasPrefix("error: :stub takes a capability and a value"))
    #expect(prompt.type(":stub root.fetch (").hasPrefix("error: "))
  }

  // MARK: Settings, scenarios

  @Test("how much is shown can be set")
  func set() throws {
    let prompt = try Prompt(workshop)
    #expect(prompt.type(":set") == "depth 6\nitems 40\nwidth 90\nviews on\ncolor off")
    prompt.type(":set items 2")
    #expect(prompt.type("{ 1, 2, 3 }") == "{ 1, 2, --[[ and 1 more ]] }")
    prompt.type(":set depth 1")
    #expect(prompt.type("{ { 1 } }") == "{ { --[[ deeper ]] } }")
    prompt.type(":set views off")
    prompt.type("log_in { id = \"u\" }")
    #expect(!prompt.type("add { name = \"a\" }").contains("view total"))
    prompt.type(":set views on")
    #expect(prompt.type("add { name = \"a\" }").hasSuffix("  view total: 2 -> 4"))
    #expect(prompt.type(":set depth many") == "error: depth takes a number from 1 on, not \"many\"")
    #expect(prompt.type(":set colour on").hasPrefix("error: there is nothing to set"))
    #expect(prompt.type(":set color maybe") == "error: color is on or off, not \"maybe\"")
  }

  @Test("scenario files run from the prompt, and one that fails is an error")
  func run() throws {
    let prompt = try Prompt(workshop)
    try prompt.folder.write(
      "flow \"flow.lua\"\nscenario(\"a\", function() refuse.add { name = \"x\" } end)\n",
      to: "a.scenario.lua")
    #expect(prompt.type(":run ~/a.scenario.lua") == "ok    a.scenario.lua:2  a\n1 passed, 0 failed")
    #expect(prompt.type(":run ~/b.scenario.lua").hasPrefix("error: "))
    #expect(prompt.type(":run").hasPrefix("error: :run takes a file"))
  }

  @Test("edit opens the flow in the person's editor and takes over what was saved")
  func edit() throws {
    let folder = try TemporaryFolder()
    try folder.write(turnstile, to: "turnstile.lua")
    let terminal = try PseudoTerminal(
      "repl", "turnstile.lua", in: folder,
      environment: ["NO_COLOR": "1", "EDITOR": "sed -i 's/s.coins + a.amount/s.coins + 5/'"])
    try terminal.wait(for: "turnstile#0> ")
    try terminal.enter(":edit", until: "turnstile#0> ")
    try terminal.enter("coin { amount = 1 }", until: "turnstile#1> ")
    #expect(try terminal.leave(typing: PseudoTerminal.Key.control("D")) == 0)
    #expect(terminal.screen.contains("  coins: 0 -> 5\n"))
  }

  // MARK: A flow that is typed

  @Test("declarations can be typed again, and the state is kept where it fits")
  func typed() throws {
    let prompt = try Prompt(nil)
    #expect(prompt.type("state { n = 0 }") == "declared state")
    #expect(prompt.type("action.up { by = integer }") == "declared action.up")
    #expect(prompt.type("local step = 10") == "declared local step")
    #expect(prompt.type("function reduce.up(s, a)") == "incomplete")
    #expect(
      prompt.type("function reduce.up(s, a) s.n = s.n + a.by * step end") == "declared reduce.up")
    #expect(prompt.type("up { by = 1 }") == "#1 up\n  n: 0 -> 10")
    #expect(prompt.type("function reduce.up(s, a) s.n = a.by end") == "declared reduce.up anew")
    #expect(prompt.type("s.n") == "10")
    #expect(prompt.type("up { by = 7 }") == "#2 up\n  n: 10 -> 7")
    #expect(
      prompt.type("function reduce.down() end")
        == "error: flow.lua:9: reduce.down: there is no action down")
    #expect(prompt.type("view.n = function(s) return s.n end") == "declared view.n")
    #expect(prompt.type("view.n()") == "7")
    #expect(prompt.type(":source up").contains("7 | function reduce.up(s, a) s.n = a.by end"))
    prompt.type(":save ~/up.lua")
    #expect(prompt.session.name == "up")
    // What was played with an earlier text is told not to hold for this one.
    #expect(prompt.type(":save ~/up.scenario.lua").contains("0 passed, 1 failed"))
    #expect(try prompt.folder.text(of: "up.scenario.lua").contains("expect.change { n = 10 }"))
    #expect(prompt.type("action.x {}").contains("a declaration belongs in up.lua"))
  }

  @Test(
    "a declaration is told from an expression",
    arguments: [
      ("state { n = 0 }", "state"), ("function gate.push(s) end", "gate.push"),
      ("gate(\"powered\", \"*\", f)", "gate(powered)"),
      ("action[\"T02 Check\"] {}", "action[\"T02 Check\"]"),
      ("machine.door{", "machine.door"), ("effect.load = {", "effect.load"),
      ("reduce.idle = reduce.cancel", "reduce.idle"), ("local function f() end", "local f"),
      ("view.takings()", nil), ("gatekeeper.door:may_pass()", nil), ("reduce.push", nil),
      ("s.n == 1", nil), ("gate.x == nil", nil), ("coin { amount = 1 }", nil), ("stated {}", nil),
    ] as [(String, String?)])
  func declarations(text: String, head: String?) { #expect(TypedDeclaration(text)?.head == head) }
}
