import Testing

@testable import Scenarios

@Suite struct ScenarioRunTests {
  private func record(_ text: String) throws -> ScenarioRecord {
    try #require(try Played(text).records.first)
  }

  @Test("a failed expectation has its place, its traceback and the last dispatches")
  func failure() throws {
    let text = """
      local function check(n)
        expect { n = n }
      end
      scenario("a", function()
        pass.add()
        refuse.mute()
        check(2)
      end)
      """
    let record = try record(text)
    let problem = try #require(record.problem)
    #expect(record.status == .failed)
    #expect(problem.place == "a.scenario.lua:3")
    #expect(problem.calls == ["called from a.scenario.lua:8"])
    #expect(record.steps.map(\.action) == ["add", "mute"])
    #expect(problem.mismatches == [Mismatch(path: "n", expected: "2", found: "1")])
  }

  @Test("an error in a helper has the helper's line and the scenario's")
  func helper() throws {
    let text = """
      local function helper(x)
        return x.y.z
      end
      scenario("a", function()
        pass.add()
        local z = helper({})
      end)
      """
    let record = try record(text)
    let problem = try #require(record.problem)
    #expect(record.status == .broken)
    #expect(problem.place == "a.scenario.lua:3")
    #expect(problem.message == "attempt to index a nil value (field 'y')")
    #expect(problem.calls == ["called from a.scenario.lua:7"])
    #expect(record.steps.map(\.action) == ["add"])
  }

  @Test("the last hundred dispatches are kept, and earlier ones counted")
  func steps() throws {
    let text =
      "scenario(\"a\", function() for n = 1, 250 do refuse.mute() end error(\"x\") end)"
    let record = try record(text)
    #expect(record.steps.count == 100)
    #expect(record.earlierSteps == 150)
  }

  @Test("a passed scenario keeps its dispatches only on request")
  func everyStep() throws {
    let text = "scenario(\"a\", function() pass.add() pass.shut() end)"
    #expect(try record(text).steps.isEmpty)
    #expect(
      try Played(text, tellsEveryStep: true).records.first?.steps.map(\.action)
        == ["add", "shut"])
  }

  @Test("later dispatches of after_each are not reported with the failure")
  func afterwards() throws {
    let text =
      "after_each(function() pass.shut() end)\nscenario(\"a\", function() pass.mute() end)"
    #expect(try record(text).steps.map(\.action) == ["mute"])
  }

  @Test("an error after a swallowed failure does not change the reported failure")
  func swallowed() throws {
    let text = "scenario(\"a\", function() pcall(expect, { n = 1 }) error(\"later\") end)"
    let record = try record(text)
    #expect(record.status == .failed)
    #expect(record.problem?.message == "the state is not as expected")
    #expect(record.problem?.calls.isEmpty == true)
  }

  @Test(
    "an endless scenario, or one that uses all memory, is an error with its line",
    arguments: [
      (
        "local n = 0\nwhile true do\nn = n + 1\nend",
        "5: the instruction limit is reached (100000000)"
      ),
      (
        "local t = {} while true do t[#t + 1] = (\"x\"):rep(1000) end",
        "3: not enough memory (the memory limit is 67108864 bytes)"
      ),
      (
        "local function f() return 1 + f() end f()",
        "3: stack overflow (the memory limit is 67108864 bytes)"
      ),
    ])
  func limits(body: String, message: String) throws {
    #expect(try Played.verdict(of: body) == "ERROR a.scenario.lua:\(message)")
  }

  @Test(
    "any raised value is reported",
    arguments: [
      ("error(\"text\")", "text"), ("error({ message = \"told\" })", "told"),
      ("error({})", "a table was raised as an error"), ("error()", "a nil was raised as an error"),
      ("error(\"blamed\", 0)", "blamed"),
    ])
  func raised(body: String, message: String) throws {
    #expect(try Played.verdict(of: body) == "ERROR a.scenario.lua:3: \(message)")
  }

  @Test("a scenario may read views and use the library, but not access the state or the host")
  func environment() throws {
    #expect(
      try Played.verdict(of: "pass.add() assert(view.double() == 2) assert(#(\"ab\"):rep(2) == 4)")
        == "ok it")
    for name in ["s", "state", "host", "io", "os", "debug", "load", "loadstring", "reduce"] {
      #expect(
        try Played.verdict(of: "return \(name).x").hasPrefix(
          "ERROR a.scenario.lua:3: global \(name) is not defined"), "\(name)")
    }
  }

  @Test("the same scenario runs the same way every time")
  func deterministic() throws {
    let text = """
      scenario("a", function()
        for key, value in pairs { b = 1, a = 2, c = 3, [1] = 4 } do print(key, value) end
        print({}, print, dispatch("add").text)
        expect { n = 2, name = "x", open = false }
      end)
      """
    let first = try Played(text).report
    for _ in 0..<5 { #expect(try Played(text).report == first) }
  }
}
