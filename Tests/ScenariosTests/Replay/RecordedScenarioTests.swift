import FlowKernel
import LuaRuntime
import Testing

@testable import Scenarios

@Suite struct RecordedScenarioTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Replays one case, writes it as a scenario and plays that; gives its text and what is wrong.
  private func record(
    _ rows: String, header: String = Replayed.header, flow: String
  ) throws -> (text: String, problem: String?) {
    let loaded = try LoadedFlow(folder.write(flow, to: "flow.lua"))
    var recorded = RecordedScenario(case: "a", of: loaded)
    var options = Replay.Options()
    (options.caseColumn, options.actionColumn, options.timeColumn) = ("case", "do", "at")
    options.tellsPassed = true
    let log = header + rows
    _ = try Replay(loaded, options: options, log: .text(source(log.utf8))) { _ in
    } observe: { event in
      if case .played(let played) = event { recorded.add(played) }
    }.run()
    let text = recorded.text(flow: "flow.lua")
    let file = try folder.write(text, to: "a.scenario.lua")
    return (text, RecordedScenario.problem(in: file.path))
  }

  @Test("the scenario of any payload passes: infinities, maps of numbers, odd names")
  func values() throws {
    let flow = """
      state { box = map {}, n = 0 }
      action.put { value = any }
      function reduce.put(s, a) s.n = s.n + 1 s.box[s.n] = a.value s.box[-s.n * 9] = a.value end
      """
    let values: [Value] = [
      .map([7: .number(.infinity), -1: [.number(-.infinity), -0.0, .map([:]), [], [:]]]),
      .integer(.min), .integer(.max), 1e300, .map([.min: 1, .max: 2, 1: 3]), .number(.nan),
      ["[1]": 1, "a\"]b\\": ["x.y": "\u{0}\r\n\u{7f}"], "end": .nil], [1, .nil, 3], .nil,
      (0..<120).reduce(1) { inner, _ in [inner] }, (0..<90).reduce(1) { inner, _ in ["a": inner] },
    ]
    let rows = values.map {
      JSONText.text(["case": "a", "do": "put", "at": 0, "value": $0]) + "\n"
    }
    let (text, problem) = try record(rows.joined(), header: "", flow: flow)
    #expect(problem == nil, "\(text)")
    #expect(text.split(separator: "\n").count { $0.hasPrefix("  pass.put(") } == 7)
    #expect(text.split(separator: "\n").count { $0.hasPrefix("  fail.put(") } == 4)
  }

  @Test("every event is a step with its outcome, and the clock advances between them")
  func steps() throws {
    let flow = """
      state { n = 0, at = 0.0 }
      action.add { amount = integer { min = 1 }, note = optional(string) }
      action["T02 Check"] {}
      gate["T02 Check"] = function(s) return s.n > 2, "too little" end
      function reduce.add(s, a)
        if now() > 60 then error("late") end
        s.n = s.n + a.amount
      end
      """
    let (text, problem) = try record(
      """
      a,add,2020-01-01 00:00:00,2,"it said ""no"", "
      a,T02 Check,2020-01-01 00:00:30.5,,
      a,add,2020-01-01 00:00:20,x,
      a,add,2020-01-01 00:01:30,1,
      a,kick,2020-01-01 00:01:30,1,
      """, flow: flow)
    #expect(problem == nil)
    #expect(
      text == """
        flow "flow.lua"

        scenario("case a", function()
          pass.add({ amount = 2, note = "it said \\"no\\", " })
          advance(30.5)
          refuse["T02 Check"]({}):by("gate T02 Check")
          fail.add({ amount = "x" }):by("payload")
          advance(59.5)
          fail.add({ amount = 1 }):by("script")
          fail.kick({}):by("undeclared")
        end)

        """)
  }

  @Test("effects and timers are off in the scenario, so that it passes as recorded")
  func effects() throws {
    let flow = """
      state { n = 0 }
      action.add {}
      action.rang {}
      machine.bell { initial = "off", off = { add = "on" },
        on = { rang = "off", after = { rang = 5 } } }
      effect("echo", "add", function(self) self:fetch("x") dispatch.rang() error("broken") end)
      """
    let (text, problem) = try record(
      "a,add,0,,\na,rang,90,,\na,rang,95,,\na,add,99,,\n", flow: flow)
    #expect(text.contains("scenario(\"case a\", { effects = false }, function()"))
    #expect(problem == nil)
    let file = try folder.write(
      text.split(separator: "{ effects = false }, ").joined(), to: "b.scenario.lua")
    #expect(RecordedScenario.problem(in: file.path) != nil)
  }

  @Test("a scenario that does not pass is reported as by run")
  func problem() throws {
    try folder.write("action.add {}", to: "flow.lua")
    let file = try folder.write(
      "flow \"flow.lua\"\nscenario(\"a\", function() refuse.add() end)", to: "a.scenario.lua")
    let problem = try #require(RecordedScenario.problem(in: file.path))
    #expect(problem.contains("FAIL"))
    #expect(RecordedScenario.problem(in: file.path + "x") != nil)
  }
}
