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
    "a flow that is not named literally is not guessed",
    arguments: [
      "", "local f = flow f \"a.lua\"", "flow(name)", "flow \"a\\z.lua\"", "flow \"open",
      "flows \"a.lua\"",
    ])
  func noGuess(text: String) {
    #expect(OpenFile.guessedFlow(of: text) == nil)
  }

  @Test("a wrong guess has no effect, since the file decides")
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

  @Test("errors of a file are reported before those of its flow")
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

  /// A flow that keeps what it should not: locals, and what it prints while it loads.
  private static let forgetful = """
    state { n = 0, rows = list {} }
    action.add {}
    action.spin {}
    local count, cache = 0, {}
    print("loaded")
    function reduce.add(s)
      count = count + 1
      cache[#cache + 1] = count
      s.n = count
      s.rows[#s.rows + 1] = { id = #cache }
    end
    function reduce.spin(s) while true do end end
    """

  @Test("a scenario is not affected by earlier ones, however many there were and how they ended")
  func unspoilt() throws {
    let text = """
      local function course()
        pass.add()
        pass.add()
        expect { n = 2, rows = { { id = 1 }, { id = 2 } } }
      end
      for round = 1, 3 do
        scenario("fine " .. round, course)
        scenario("fails " .. round, function() course() expect { n = 7 } end)
        scenario("raises " .. round, function() course() error("no") end)
        scenario("spins " .. round, function() course() pass.spin() end)
        scenario("eats " .. round, function()
          course()
          local t = {}
          for i = 1, 1e9 do t[i] = { i } end
        end)
        scenario("waits " .. round, function()
          course()
          leftover = coroutine.wrap(function() coroutine.yield(1) end)
          leftover()
        end)
      end
      """
    let played = try Played(text, flow: OpenFileTests.forgetful)
    #expect(played.records.count == 18)
    for record in played.records {
      let first = try #require(
        played.records.first { $0.name.prefix(4) == record.name.prefix(4) })
      #expect(record.status == first.status)
      #expect(record.printed == first.printed)
      #expect(record.problem?.message == first.problem?.message)
      #expect(record.steps == first.steps)
    }
    #expect(played.records.map(\.isWell) == (0..<18).map { [0, 5].contains($0 % 6) })
    #expect(played.records[0].printed.first == "loaded")
  }

  @Test("scenario files that alternate, each with its own flow, run as if alone")
  func flowsInTurns() throws {
    let folder = try TemporaryFolder()
    for number in 0..<20 {
      try folder.write(
        "state { n = \(number) }\naction.add {}\nfunction reduce.add(s) s.n = s.n + 1 end",
        to: "f\(number).lua")
      for round in 0..<3 {
        try folder.write(
          """
          flow "f\(number).lua"
          scenario("it", function() pass.add() expect.state { n = \(number + 1) } end)
          """, to: "s\(round)-\(number).scenario.lua")
      }
    }
    #expect(Played(folder.select(".")).summary.passed == 60)
  }

  // MARK: How often a file runs

  /// Plays all scenarios of a file, and gives how often the file has run and how they ended.
  private func play(
    _ text: String, flow: String = Played.flow, _ settings: PlaySettings = PlaySettings()
  ) throws -> (runs: Int, records: [ScenarioRecord]) {
    let folder = try TemporaryFolder()
    try folder.write(flow, to: "flow.lua")
    try folder.write(
      "-- shared\nhelped = 0\nreturn function() helped = helped + 1 return helped end",
      to: "help.lua")
    try folder.write("flow \"flow.lua\"\n" + text, to: "a.scenario.lua")
    let runner = Runner(settings: settings)
    let open = try runner.open(try #require(folder.select("a.scenario.lua").items.first))
    let records = open.file.entries.compactMap { entry -> ScenarioRecord? in
      guard case .ended(let record) = runner.play(entry, of: open) else { return nil }
      return record
    }
    #expect(records.count == open.file.entries.count)
    return (open.fileRuns, records)
  }

  @Test("a file runs once for its declarations and once for all its scenarios")
  func runs() throws {
    for count in [1, 10, 100, 5_000] {
      let (runs, records) = try play(
        """
        for i = 1, \(count) do
          scenario("s " .. i, function() pass.add { by = i % 50 } expect { n = i % 50 } end)
        end
        """)
      #expect(runs <= 2)
      #expect(records.allSatisfy { $0.status == .passed })
    }
  }

  @Test("locals of a file and its modules are new in each scenario, in any order")
  func shared() throws {
    let (runs, records) = try play(
      """
      local help = require "help"
      local count, list = 0, {}
      top = { n = 0 }
      print("file runs")
      after_each(function() print("after", count) end)
      for i = 1, 6 do
        scenario("s " .. i, { effects = i % 2 == 0 }, function()
          count, top.n = count + 1, top.n + 1
          list[#list + 1] = i
          local is_there = pcall(function() return leftover end)
          leftover = true
          expect.equal({ count, top.n, #list, help(), is_there }, { 1, 1, 1, 1, false })
          if i == 4 then error("no") end
        end)
      end
      """)
    #expect(runs == 2)
    #expect(records.map(\.status) == [.passed, .passed, .passed, .broken, .passed, .passed])
    for record in records { #expect(record.printed == ["file runs", "after\t1"]) }
  }

  @Test("a file that calls its host runs for each scenario, even if it could catch the error")
  func asking() throws {
    for top in ["local t = now()", "local fine, t = pcall(now) if not fine then t = -1 end"] {
      let (runs, records) = try play(
        """
        \(top)
        for i = 1, 5 do scenario("s " .. i, function() expect.equal(t, 0) end) end
        """)
      #expect(runs == 6)
      #expect(records.map(\.status) == Array(repeating: .passed, count: 5))
    }
  }

  @Test("matchers at the top of a file do not make it run for each scenario")
  func matchers() throws {
    let (runs, records) = try play(
      """
      local small, odd = one_of { 1, 2, 3 }, contains "d"
      local near_one = near(1, 0.5)
      for i = 1, 5 do
        scenario("s " .. i, function()
          pass.add()
          expect { n = small }
          expect { n = near_one }
          expect.equal("odd", odd)
          expect.equal("even", i == 3 and odd or "even")
        end)
      end
      """)
    #expect(runs == 2)
    #expect(records.map(\.status) == [.passed, .passed, .failed, .passed, .passed])
  }

  @Test("with line coverage a file runs once for its scenarios, and each has covered its own lines")
  func coverage() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      """
      state { n = 0 }
      action.add {}
      action.take {}
      function reduce.add(s)
        s.n = s.n + 1
      end
      function reduce.take(s)
        s.n = s.n - 1
      end
      """, to: "flow.lua")
    try folder.write(
      """
      flow "flow.lua"
      for i = 1, 6 do
        scenario("s " .. i, function() if i % 2 == 0 then pass.take() else pass.add() end end)
      end
      """, to: "a.scenario.lua")
    var settings = PlaySettings()
    settings.notesCoverage = true
    let runner = Runner(settings: settings)
    let open = try runner.open(try #require(folder.select("a.scenario.lua").items.first))
    var missing: [[String]] = []
    for entry in open.file.entries {
      _ = runner.play(
        entry, of: open,
        cover: { coverage in
          missing.append(coverage.parts.first { $0.kind.hasPrefix("lines of") }?.missing ?? [])
        })
    }
    #expect(open.fileRuns == 2)
    try #require(missing.count == 6)
    #expect(missing[0].contains("8") && !missing[0].contains("5"))
    #expect(missing[1].contains("5") && !missing[1].contains("8"))
    #expect(missing == (0..<6).map { missing[$0 % 2] })
  }
}
