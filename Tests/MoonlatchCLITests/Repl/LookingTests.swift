import Testing

@testable import MoonlatchCLI

/// Sessions that look at the final state of a scenario.
@Suite struct LookingTests {
  private static let scenarios = """
    flow "flow.lua"
    after_each(function() dispatch.add { name = "late" } end)
    scenario("fine", function()
      pass.log_in { id = "u" }
      pass.add { name = "a" }
    end)
    scenario("wrong", function()
      stub("root.fetch", function(url) sleep(5) return url end)
      pass.log_in { id = "u" }
      pass.add { name = "a" }
      expect { total = 7 }
      pass.add { name = "b" }
    end)
    scenario("never", function() error("this is not run") end)
    """

  private func prompt() throws -> Prompt {
    let prompt = try Prompt(workshop)
    try prompt.folder.write(LookingTests.scenarios, to: "a.scenario.lua")
    prompt.type("log_in { id = \"me\" }")
    return prompt
  }

  @Test("a run stops at a failed expectation, and the prompt is in its state")
  func failed() throws {
    let prompt = try prompt()
    let told = prompt.type(":run ~/a.scenario.lua")
    #expect(
      told.hasSuffix("1 passed, 1 failed\nthis is the state of a.scenario.lua:7; :look goes back"))
    #expect(prompt.session.prompt == "a.scenario:7#2> ")
    #expect(prompt.type("s.total, #s.jobs") == "2\t1")
    #expect(prompt.type(":why add { name = \"x\" }").hasSuffix("add may pass"))
    #expect(prompt.type(":undo").hasPrefix("#2 add is undone"))
    #expect(prompt.type("s.total") == "0")
    prompt.type(":redo")
    #expect(prompt.type("add { name = \"c\", count = 1 }").contains("total: 2 -> 3"))
  }

  @Test("look switches to the last state of a run and back, and stubs set there stay there")
  func looks() throws {
    let prompt = try prompt()
    #expect(
      prompt.type(":look")
        == "error: there is no state to look at yet: use :run FILE first")
    prompt.type(":run ~/a.scenario.lua")
    prompt.type(":stub root.fetch \"x\"")
    #expect(prompt.type(":look") == "back in the session, at #1")
    #expect(prompt.session.prompt == "flow#1> ")
    #expect(prompt.type(":stub").hasPrefix("there are no stubs"))
    #expect(prompt.type("#s.jobs") == "0")
    #expect(prompt.type(":look") == "this is the state of a.scenario.lua:7; :look goes back")
    #expect(prompt.type(":stub") == "root.fetch = \"x\"")
    #expect(prompt.type("s.total") == "2")
  }

  @Test("a passed run leaves the session unchanged, and its final state can be looked at")
  func passed() throws {
    let prompt = try prompt()
    prompt.type(":run ~/a.scenario.lua:3")
    #expect(prompt.session.prompt == "flow#1> ")
    prompt.type(":look")
    #expect(prompt.type("s.total, #s.jobs") == "4\t2")
    prompt.type(":run ~/a.scenario.lua:7")
    #expect(prompt.type("s.total") == "2")
    #expect(prompt.type(":look") == "back in the session, at #1")
  }

  @Test("a session that looks at a scenario's state cannot be saved or replayed")
  func saving() throws {
    let prompt = try prompt()
    prompt.type(":run ~/a.scenario.lua")
    let why =
      "error: the inputs of a.scenario.lua:7 are in its file; :look goes back to the session"
    for command in [":save ~/x.scenario.lua", ":save ~/x.jsonl", ":reload replay"] {
      #expect(prompt.type(command) == why)
    }
    #expect(prompt.type(":reload") == "reloaded; the state was kept")
    #expect(prompt.type("s.total") == "2")
    prompt.type(":look")
    #expect(prompt.type(":save ~/x.jsonl").hasPrefix("saved"))
  }
}
