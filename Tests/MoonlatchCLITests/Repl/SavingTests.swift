import Testing

@testable import MoonlatchCLI

@Suite struct SavingTests {
  @Test("a session is saved as a passing scenario: dispatches, refusals, failures, changes, time")
  func saveScenario() throws {
    let prompt = try Prompt.played()
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
          -- followed by loaded
          pass.open()
          expect.change { door = "opened" }
          settle()
        end)

        """)
  }

  @Test("an internal action dispatched with inside is saved as such, and replayed after a reload")
  func saveFromInside() throws {
    let prompt = try Prompt(
      """
      state { n = 0 } action.go {} internal.add { by = integer }
      function reduce.add(s, a) s.n = s.n + a.by end
      function gate.add(s, a) return a.by > 0, "too little" end
      function reduce.go(s) s.n = 0 end
      """)
    #expect(
      prompt.type("add { by = 1 }").contains(
        "refused by internal: only effects and timers can dispatch add"))
    #expect(prompt.type(":actions").contains("refused by internal"))
    #expect(prompt.type(":why add { by = 1 }").contains("internal"))
    prompt.type("inside.add { by = 2 }")
    #expect(prompt.type("inside.add { by = 0 }").contains("too little"))
    #expect(prompt.type("s.n") == "2")
    let answer = prompt.type(":save ~/inside.scenario.lua")
    #expect(answer.hasSuffix("1 passed, 0 failed"), "\(answer)")
    let saved = try prompt.folder.text(of: "inside.scenario.lua")
    #expect(saved.contains("  inside.add { by = 2 }\n"))
    #expect(saved.contains("  -- from inside, add was refused by gate add: too little\n"))
    #expect(saved.contains("  refuse.add { by = 1 }:by(\"internal\")"))
  }

  @Test("undone steps are not part of the scenario")
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

  @Test("a scenario that fails because an effect failed is reported as failing")
  func saveFailing() throws {
    let prompt = try Prompt(workshop)
    let failed = prompt.type("load { url = \"x\" }")
    #expect(
      failed.contains("error: effect.load did not finish: flow.lua:33: scope root has no fetch\n"))
    #expect(failed.hasSuffix("    (\":stub root.fetch VALUE\" stubs it)"))
    #expect(prompt.type(":save ~/x.scenario.lua").contains("0 passed, 1 failed"))
  }

  @Test("an error of an effect is expected by the scenario as it happened in the session")
  func saveUnanswered() throws {
    let prompt = try Prompt(
      """
      state { error = "" }
      action.load {}
      action.failed { error = string }
      function reduce.failed(s, a) s.error = a.error end
      effect.load = { run = function(self) self:fetch() end, on_error = "failed" }
      """)
    #expect(prompt.type("load()").contains("error: effect.load did not finish: flow.lua:5: scope"))
    prompt.type(":stub root.fetch \"text\"")
    prompt.type("load()")
    let saved = prompt.type(":save ~/x.scenario.lua")
    #expect(saved.hasSuffix("1 passed, 0 failed"), "\(saved)")
    #expect(
      try prompt.folder.text(of: "x.scenario.lua").contains(
        "  expect.fault.load(\"scope root has no fetch\")\n"))
  }

  @Test("a call of a missing capability that the flow caught is stubbed with an error")
  func saveCaught() throws {
    let prompt = try Prompt(
      """
      state { error = "" }
      action.load {}
      action.failed { error = string }
      function reduce.failed(s, a) s.error = a.error end
      function effect.load(self)
        local ok, why = pcall(function() return self:fetch() end)
        if not ok then dispatch.failed { error = why:match("scope.*") } end
      end
      """)
    #expect(prompt.type("load()").contains("  error: \"\" -> \"scope root has no fetch\""))
    #expect(prompt.type(":save ~/x.scenario.lua").hasSuffix("1 passed, 0 failed"))
    #expect(
      try prompt.folder.text(of: "x.scenario.lua").contains(
        "  stub(\"root.fetch\", function() error(\"scope root has no fetch\", 0) end)\n"))
  }

  @Test("any values of a state are saved: infinities, maps of numbers, odd names, deep tables")
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
    #expect(prompt.type(":load ~/x.jsonl").hasSuffix("no differences"))
  }

  @Test("an item that cannot be saved is an error with the reason")
  func cannotSave() throws {
    let prompt = try Prompt.played()
    #expect(prompt.type(":save").hasPrefix("error: :save takes a file"))
    #expect(prompt.type(":save ~/x.txt").contains("must be NAME.scenario.lua"))
    #expect(
      prompt.type(":save ~/nowhere/x.scenario.lua")
        == "error: nowhere/x.scenario.lua cannot be written: No such file or directory")
    #expect(prompt.type(":save ~/x.lua").contains("the flow has the file flow.lua"))
    for name in ["own.scenario.lua", "own.jsonl"] {
      try prompt.folder.write("-- by hand", to: name)
      #expect(
        prompt.type(":save ~/\(name)") == "error: \(name) exists, and was not saved in this session"
      )
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

  @Test("undoing only the dispatch of an effect keeps the input that caused it")
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
        "played x.jsonl from the initial state; no differences"))
    #expect(prompt.type("s.n, s.failures") == "11\t0")
  }

  @Test("a scenario says that an undo of an effect's dispatch cannot be written, and fails")
  func inexpressible() throws {
    let prompt = try Prompt(Self.shop)
    for line in ["go()", ":undo", "other()"] { prompt.type(line) }
    let saved = prompt.type(":save ~/x.scenario.lua")
    #expect(saved.contains("0 passed, 1 failed"), "\(saved)")
    #expect(
      saved.contains(
        "at the prompt, only #2 failed was undone here; a scenario cannot do that"))
    let text = try prompt.folder.text(of: "x.scenario.lua")
    #expect(text.contains("pass.go()"))
    #expect(text.contains("pass.other()"))
  }

  @Test("fully undone inputs are not part of a scenario, and redone ones are")
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

  @Test("only the time that passed before an undone step is saved")
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
}
