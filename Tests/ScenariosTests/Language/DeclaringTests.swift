import LuaRuntime
import Testing

@testable import Scenarios

/// The declarations of a scenario file: `flow`, `scenario`, `before_each`, `after_each`.
@Suite struct DeclaringTests {
  private func verdicts(_ text: String) throws -> [String] { try Played(text).verdicts }

  @Test("scenarios run in the order of the file")
  func order() throws {
    let text = """
      scenario("b", function() end)
      scenario("a", function() end)
      """
    #expect(try verdicts(text) == ["ok b", "ok a"])
  }

  @Test("scenarios made in a loop are ordinary scenarios")
  func loop() throws {
    let text = """
      for n = 1, 3 do
        scenario("add " .. n, function() pass.add { by = n } expect { n = n } end)
      end
      """
    #expect(try verdicts(text) == ["ok add 1", "ok add 2", "ok add 3"])
  }

  @Test("each scenario has a fresh flow and fresh file locals")
  func fresh() throws {
    let text = """
      local seen = 0
      for n = 1, 3 do
        scenario("" .. n, function()
          seen = seen + 1
          pass.add()
          expect { n = 1 }
          expect.view.double(2 * seen)
        end)
      end
      """
    #expect(try verdicts(text) == ["ok 1", "ok 2", "ok 3"])
  }

  @Test("a scenario has its own globals")
  func globals() throws {
    let text = """
      scenario("sets", function() here = 1 end)
      scenario("looks", function() print(here) end)
      """
    #expect(
      try verdicts(text) == ["ok sets", "ERROR a.scenario.lua:3: global here is not defined"])
  }

  @Test("before_each runs before every scenario, in the order of declaration")
  func beforeEach() throws {
    let text = """
      before_each(function() pass.add { by = 1 } end)
      before_each(function() pass.add { by = 10 } expect { n = 11 } end)
      scenario("a", function() expect { n = 11 } end)
      scenario("b", function() expect { n = 11 } end)
      """
    #expect(try verdicts(text) == ["ok a", "ok b"])
  }

  @Test("a failure in before_each ends the scenario before it begins")
  func beforeEachFails() throws {
    let text = """
      before_each(function() expect { n = 1 } end)
      before_each(function() print("second") end)
      scenario("a", function() print("body") end)
      """
    let played = try Played(text)
    #expect(
      played.verdicts
        == ["FAIL a.scenario.lua:2: the state is not as expected | n: 1, found 0"])
    #expect(played.printed.isEmpty)
  }

  @Test(
    "after_each runs however the scenario ends",
    arguments: [
      "", "expect { n = 9 }", "error(\"no\")", "pass.nothing()", "while true do end",
      "local t = {} while true do t[#t + 1] = {} end",
    ])
  func afterEach(body: String) throws {
    let text = """
      scenario("a", function() \(body) end)
      after_each(function() print("first") end)
      after_each(function() print("second") end)
      """
    #expect(try Played(text).printed == ["first", "second"])
  }

  @Test("after_each runs when before_each fails")
  func afterEachAfterBeforeEach() throws {
    let text = """
      before_each(function() error("no") end)
      after_each(function() print("clean") end)
      scenario("a", function() end)
      """
    #expect(try Played(text).printed == ["clean"])
  }

  @Test("a failure in after_each fails the scenario, and the other after_each functions run")
  func afterEachFails() throws {
    let text = """
      after_each(function() expect { n = 1 } end)
      after_each(function() print("second") end)
      scenario("a", function() end)
      """
    let played = try Played(text)
    #expect(
      played.verdicts
        == ["FAIL a.scenario.lua:2: the state is not as expected | n: 1, found 0"])
    #expect(played.printed == ["second"])
  }

  @Test("the first failure is the one that is reported")
  func firstCounts() throws {
    let text = """
      scenario("raises", function() error("first") end)
      scenario("fails", function() expect { n = 1 } end)
      after_each(function() expect { n = 2 } end)
      after_each(function() error("last") end)
      """
    #expect(
      try verdicts(text) == [
        "ERROR a.scenario.lua:2: first",
        "FAIL a.scenario.lua:3: the state is not as expected | n: 1, found 0",
      ])
  }

  @Test("a skipped scenario has a reason and does not run")
  func skip() throws {
    let text = """
      scenario("a", { skip = "waits for the new gate" }, function() print("ran") end)
      scenario("b", { skip = false }, function() end)
      """
    let played = try Played(text)
    #expect(played.verdicts == ["skip a: waits for the new gate", "ok b"])
    #expect(played.printed.isEmpty)
    #expect(played.summary.skipped == 1)
  }

  @Test("all errors of a file are reported together, each with its line")
  func faults() throws {
    let text = """
      flow "other.lua"
      flow(1)
      scenario()
      scenario("a")
      scenario("b", { skp = "x" }, function() end)
      scenario("c", { skip = true }, function() end)
      scenario("d", { tags = "slow" }, function() end)
      scenario("e", { tags = { 1 } }, function() end)
      scenario("same", function() end)
      scenario("same", function() end)
      before_each(1)
      after_each()
      """
    #expect(
      try verdicts(text) == [
        """
        UNLOADABLE a.scenario.lua | a.scenario.lua:2: the flow is named twice: here and at line 1
        a.scenario.lua:3: flow needs the flow's file: flow "name.lua"
        a.scenario.lua:4: a scenario needs a name: scenario("what holds", function() ... end)
        a.scenario.lua:5: scenario "a" needs a function: scenario("a", function() ... end)
        a.scenario.lua:6: scenario "b": there is no option skp; did you mean skip? (it takes tags, skip, effects)
        a.scenario.lua:7: scenario "c": skip must be the reason in words: skip = "why"
        a.scenario.lua:8: scenario "d": tags must be a list of words: tags = { "slow" }
        a.scenario.lua:9: scenario "e": tags must be a list of words: tags = { "slow" }
        a.scenario.lua:11: two scenarios are named "same": here and at line 10
        a.scenario.lua:12: before_each needs a function: before_each(function() ... end)
        a.scenario.lua:13: after_each needs a function: after_each(function() ... end)
        """
      ])
  }

  @Test("a scenario without effects runs a flow whose effects and timers never run")
  func quiet() throws {
    let flow = """
      state { n = 0 }
      action.add {}
      machine.bell { initial = "off", off = { add = "on" }, on = { add = "on", after = { add = 1 } } }
      function reduce.add(s) s.n = s.n + 1 end
      effect("more", "add", function() sleep(1) dispatch.add() end)
      """
    let body = "function() pass.add() advance(1) expect { n = %d } expect.effects.none() end)"
    let quiet = body.split(separator: "%d").joined(separator: "1")
    #expect(
      try Played("scenario(\"a\", { effects = false }, " + quiet, flow: flow).verdicts.first
        == "ok a")
    #expect(
      try Played("scenario(\"a\", { effects = true }, " + quiet, flow: flow).verdicts.first
        != "ok a")
    #expect(
      try Played("scenario(\"a\", { effects = 1 }, " + quiet, flow: flow).verdicts.first
        == "UNLOADABLE a.scenario.lua | a.scenario.lua:2: scenario \"a\": effects must be true or false; "
        + "false turns effects and timers off")
  }

  @Test("errors found before the file raises an error are reported with it")
  func faultsThenError() throws {
    let text = """
      scenario("a")
      error("no further")
      """
    #expect(
      try verdicts(text) == [
        """
        UNLOADABLE a.scenario.lua | a.scenario.lua:2: scenario "a" needs a function: \
        scenario("a", function() ... end)
        a.scenario.lua:3: no further
        """
      ])
  }

  @Test(
    "declarations belong at the top of the file, never in a scenario",
    arguments: [
      ("flow \"x.lua\"", "flow must be outside of scenarios, at the top of the file"),
      ("before_each(print)", "before_each must be outside of scenarios, at the top of the file"),
      ("after_each(print)", "after_each must be outside of scenarios, at the top of the file"),
      ("scenario(\"in\", print)", "a scenario cannot be inside another one"),
    ])
  func inside(body: String, message: String) throws {
    #expect(try Played.verdict(of: body) == "ERROR a.scenario.lua:3: \(message)")
  }

  @Test(
    "words that use the flow belong in a scenario, never at the top of the file",
    arguments: [
      ("pass.add()", "a dispatch belongs inside a scenario"),
      ("dispatch(\"add\")", "a dispatch belongs inside a scenario"),
      ("expect { n = 0 }", "expect belongs inside a scenario"),
      ("expect.state { n = 0 }", "expect.state belongs inside a scenario"),
      ("expect.change { n = 0 }", "expect.change belongs inside a scenario"),
      ("expect.view.double(1)", "expect.view belongs inside a scenario"),
      ("given { n = 1 }", "given belongs inside a scenario"),
    ])
  func outside(text: String, message: String) throws {
    #expect(
      try verdicts(text) == ["UNLOADABLE a.scenario.lua | a.scenario.lua:2: \(message)"])
  }

  @Test("a scenario costs the same instructions in its file, however many it declares")
  func instructions() throws {
    for count in [25, 250, 2_500] {
      let text = """
        for i = 1, \(count) do
          scenario("s " .. i, { tags = { "many" } }, function() pass.add() end)
        end
        """
      let limits = Limits(instructionsPerLoad: 20_000 + 200 * count)
      let folder = try TemporaryFolder()
      try folder.write(Played.flow, to: "flow.lua")
      let url = try folder.write("flow \"flow.lua\"\n" + text, to: "a.scenario.lua")
      let file = try ScenarioFile(url, name: "a.scenario.lua", limits: limits)
      #expect(file.entries.count == count)
    }
  }

  @Test("a duplicate among many names is reported with the line of the first")
  func twice() throws {
    let text = """
      for i = 1, 500 do scenario("s " .. i, function() end) end

      scenario("s 123", function() end)
      """
    #expect(
      try verdicts(text) == [
        "UNLOADABLE a.scenario.lua | a.scenario.lua:4: two scenarios are named \"s 123\": here and at line 2"
      ])
  }
}
