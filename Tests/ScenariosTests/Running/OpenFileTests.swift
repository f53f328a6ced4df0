import Testing

@testable import Scenarios

@Suite struct OpenFileTests {
  @Test(
    "the flow is guessed from the line that names it",
    arguments: [
      ("flow \"a.lua\"\n", "a.lua"), ("-- x\n\nflow('b.lua')", "b.lua"),
      ("flow   'c.lua' -- why", "c.lua"),
    ])
  func guess(text: String, path: String) {
    #expect(OpenFile.guessedFlow(of: text) == path)
  }

  @Test(
    "what is not plain to see is not guessed",
    arguments: [
      "", "local f = flow f \"a.lua\"", "flow(name)", "flow \"a\\z.lua\"", "flow \"open",
      "flows \"a.lua\"",
    ])
  func noGuess(text: String) {
    #expect(OpenFile.guessedFlow(of: text) == nil)
  }

  @Test("a wrong guess does no harm: what the file says counts")
  func wrong() throws {
    let folder = try TemporaryFolder()
    try folder.write(Played.flow, to: "flow.lua")
    try folder.write(
      """
      if false then
      flow "nowhere.lua"
      end
      flow("fl" .. "ow.lua")
      scenario("a", function() pass.add() end)
      """, to: "a.scenario.lua")
    #expect(Played(folder.select("a.scenario.lua")).verdicts == ["ok a"])
  }

  @Test("a file that is wrong is told before its flow is, as ever")
  func faults() throws {
    let folder = try TemporaryFolder()
    try folder.write("nonsense(", to: "flow.lua")
    try folder.write("flow \"flow.lua\"\nscenario(\"a\")", to: "a.scenario.lua")
    #expect(
      Played(folder.select("a.scenario.lua")).verdicts == [
        "UNLOADABLE a.scenario.lua | a.scenario.lua:2: scenario \"a\" needs a function: "
          + "scenario(\"a\", function() ... end)"
      ])
  }

  @Test("each scenario has a fresh flow and fresh locals, the first one too")
  func fresh() throws {
    let text = """
      local count = 0
      for _, name in ipairs { "a", "b", "c" } do
        scenario(name, function()
          count = count + 1
          assert(count == 1)
          pass.add()
          expect { n = 1 }
        end)
      end
      """
    #expect(try Played(text).verdicts == ["ok a", "ok b", "ok c"])
  }
}
