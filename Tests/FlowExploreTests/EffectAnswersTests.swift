import FlowExplore
import FlowKernel
import Testing

/// Results of effects, declared in an exploration file.
@Suite("Results of effects")
struct EffectAnswersTests {
  /// A page that is loaded by an effect, which waits.
  private static let flow = """
    state { page = "blank", tries = 0 }
    action.load { n = integer { min = 1, max = 2 } }
    internal.loaded { page = string {} }
    internal.broken {}
    function gate.load(s) return s.page ~= "loading" and s.tries < 3, "it loads" end
    function reduce.load(s) s.page = "loading"; s.tries = s.tries + 1 end
    function reduce.loaded(s, a) s.page = a.page end
    function reduce.broken(s) s.page = "broken" end
    effect.load = function(self, s, a)
      self:wait(1)
      if a.n == 1 then dispatch.loaded { page = "one" } else dispatch.broken() end
    end
    """

  private func pages(_ effects: String) throws -> [String] {
    let names = ["one", "two", "broken"].map {
      "sometimes(\"\($0)\", function(s) return s.page == \"\($0)\" end)"
    }.joined(separator: "\n")
    return try Explored.report(
      "explore(\"it\", { effects = { load = \(effects) } }, function()\n\(names)\nend)",
      of: EffectAnswersTests.flow
    ).verdicts.filter { $0.outcome == .holds }.map(\.title)
  }

  private func faults(_ effects: String) throws -> [String] {
    try Explored.faults(
      "explore(\"it\", { effects = {\n\(effects),\n} })", of: EffectAnswersTests.flow)
  }

  @Test("more running effects than are explored end the exploration with an error")
  func tooMany() throws {
    let flow = try LoadedFlow(
      source: """
        state { n = 0 }
        action.go {}
        internal.done {}
        function gate.go(s) return s.n < 6, "enough" end
        function reduce.go(s) s.n = s.n + 1 end
        effect.go = function(self) sleep(1) dispatch.done {} end
        """)
    let error = #expect(throws: ExplorationError.self) { try Exploration(flow).run() }
    #expect(error?.description.contains("more than 4 effects run at once") == true)
  }

  @Test("a state effect knows which action entered the state, and an error in an effect is found")
  func enteredBy() throws {
    let flow = """
      state { by = "" }
      action.go {} action.run {} action.back {}
      internal.said { by = one_of { "go", "run" } }
      action.fail {} internal.failed {}
      machine.m { initial = "off", off = { go = "on", run = "on" },
        on = { back = "off", effect = function(self) dispatch.said { by = self.entered_by } end } }
      function reduce.said(s, a) s.by = a.by end
      effect.fail = { run = function() local x = nil; x.y = 1 end, on_error = "failed" }
      """
    let report = try Explored.report(
      """
      explore("it", {}, function()
        sometimes("go", function(s) return s.by == "go" end)
        sometimes("run", function(s) return s.by == "run" end)
        never("other", function(s) return s.by == "back" end)
      end)
      """, of: flow)
    #expect(
      report.verdicts.filter { $0.outcome == .holds }.map(\.title)
        == ["sometimes go", "sometimes run", "never other"])
    #expect(report.text("it").contains("effect.fail did not finish: attempt to index a nil value"))
  }

  @Test("an effect ends with any of its declared results and payloads")
  func list() throws {
    #expect(
      try pages("{ { \"loaded\", page = \"two\" }, \"broken\" }") == [
        "sometimes two", "sometimes broken",
      ])
    #expect(try pages("{ { \"loaded\", page = \"one\" }, false }") == ["sometimes one"])
  }

  @Test("a function gives the results of an effect from the state and the payload")
  func function() throws {
    let function = """
      function(s, a)
        if s.tries == 3 then return { "broken" } end
        return { { "loaded", page = a.n == 1 and "one" or "two" } }
      end
      """
    #expect(try pages(function) == ["sometimes one", "sometimes two", "sometimes broken"])
    #expect(try pages("function() return { \"broken\" } end") == ["sometimes broken"])
  }

  @Test(
    "an invalid result of an effect is reported at its line",
    arguments: [
      (
        "lod = { \"broken\" }",
        "a.explore.lua:3: explore \"it\": there is no effect lod; did you mean load?"
      ),
      (
        "load = \"broken\"",
        "a.explore.lua:3: explore \"it\": effect load needs a list of results, "
          + "or a function that returns one: load = { \"ACTION\", { \"ACTION\", FIELD = value } }"
      ),
      (
        "load = { \"brokn\" }",
        "a.explore.lua:3: explore \"it\": effect load: there is no action brokn; did you "
          + "mean broken?"
      ),
      (
        "load = { 3 }",
        "a.explore.lua:3: explore \"it\": effect load: a result is an action, with the fields of "
          + "its payload if it has any: \"ACTION\" or { \"ACTION\", FIELD = value }"
      ),
      (
        "load = function() return 3 end",
        "a.explore.lua:3: effects.load must return a list of results: "
          + "{ \"ACTION\", { \"ACTION\", FIELD = value } }"
      ),
      (
        "load = function() return { \"brokn\" } end",
        "a.explore.lua:3: effects.load: there is no action brokn; "
          + "did you mean broken?"
      ),
      (
        "load = function() error(\"no\") end",
        "a.explore.lua:3: effects.load: no, in the state "
          + "{ page = \"loading\", tries = 1 }"
      ),
    ])
  func faults(said: String, sentence: String) throws {
    let faults = try faults(said)
    #expect(faults == [sentence])
  }

  @Test("the payload of an effect's result is checked against the type of its action")
  func payload() throws {
    let faults = try faults("load = { { \"loaded\", pag = 1 } }")
    #expect(
      faults.first?.hasPrefix("a.explore.lua:3: explore \"it\": effect load: action loaded: ")
        == true)
  }
}
