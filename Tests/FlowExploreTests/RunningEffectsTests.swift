import FlowExplore
import Foundation
import Testing

/// Running effects, and the bound on their number.
@Suite("Running effects")
struct RunningEffectsTests {
  /// Every load is under way until it ends, and nothing else is said of it.
  private static let loads = """
    state { loads = 0, done = 0 }
    action.load {}
    action.loaded {}
    function gate.load(s) return s.loads < 8, "that is enough" end
    function reduce.load(s) s.loads = s.loads + 1 end
    function reduce.loaded(s) s.done = s.done + 1 end
    function effect.load(self)
      self:fetch()
      dispatch.loaded()
    end
    """

  @Test("transitions that exceed the declared bound of effects are counted and not explored")
  func bound() throws {
    let options = "{ actions = { loaded = false }, effects = { at_most = 2 } }"
    let report = try Explored.report("explore(\"it\", \(options))", of: RunningEffectsTests.loads)
    #expect(report.ending == .whole)
    #expect(
      report.outsides == [
        "21 transitions to where more than 2 effects would run: not explored further"
      ])
    #expect(report.text("it").contains("\n  outside 21 transitions to where more than 2 effects"))
  }

  @Test("without a declared bound, too many running effects are an error that names them")
  func error() throws {
    #expect(
      try Explored.faults("explore(\"it\", {})", of: RunningEffectsTests.loads) == [
        "more than 4 effects run at once (load 5 times): set a limit in NAME.explore.lua, and states with "
          + "more are not explored further: effects = { at_most = 2 }"
      ])
  }

  @Test(
    "the order in which effects started is not part of a state if nothing depends on it",
    arguments: [2, 3])
  func anyOrder(options: Int) throws {
    // Each effect holds one of the options, and all are called the same and have the same payload.
    let flow = """
      state { which = 0 }
      action.turn {}
      action.go {}
      internal.done {}
      gatekeeper.k { go = { attempt = function(s) return "o" .. s.which end } }
      function reduce.turn(s) s.which = (s.which + 1) % \(options) end
      function effect.go() sleep(1) dispatch.done() end
      """
    let report = try Explored.report("explore(\"it\", {})", of: flow)
    // Each option is free, held with the effect under way, or held after its end.
    #expect(report.states == options * (options == 2 ? 9 : 27))
  }

  @Test("transitions to states outside of within are counted")
  func within() throws {
    let report = try Explored.report(
      "explore(\"it\", { within = function(s) return s.n < 3 end })")
    // From nothing to three there is no way; from one and two there is.
    #expect(
      report.outsides == [
        "2 transitions to where within returns false: not explored further"
      ])
  }

  @Test("an effect without a result is not part of a state")
  func silent() throws {
    let flow = """
      state { n = 0 }
      action.up {}
      function gate.up(s) return s.n < 9, "that is enough" end
      function reduce.up(s) s.n = s.n + 1 end
      function effect.up(self) self:show(1) end
      function invariant.low(s) return s.n < 8 end
      """
    let explored = try Explored(flow, "explore(\"it\", { ends = function(s) return s.n == 9 end })")
    let report = try #require(try explored.explorations().first).run()
    #expect(report.states == 8)
    // Whatever it calls need not be there in a scenario.
    let scenario = report.findings.first?.scenario(flow: "flow.lua")
    #expect(scenario?.contains("\n  stub.effect.up()\n") == true)
  }

  @Test("the passing of time and the end of effects may be fair")
  func fair() throws {
    let flow = """
      action.go {}
      action.wait {}
      internal.ring {}
      action.loaded {}
      machine.m {
        initial = "off",
        off = { go = "on" },
        on = { wait = true, after = { ring = 5 }, ring = "loading" },
        loading = { loaded = "off", wait = true },
      }
      function effect.ring(self)
        self:fetch()
        dispatch.loaded()
      end
      """
    func lines(_ fair: String) throws -> [String] {
      let property = """
        leads_to("it goes off", function(s) return s.m == "on" end,
          function(s) return s.m == "off" end, { fair = { \(fair) } })
        """
      let text =
        "explore(\"it\", { actions = { loaded = false }, effects = { ring = { \"loaded\" } } }, "
      return try Explored.report(text + "function()\n\(property)\nend)", of: flow).verdicts.map(
        \.line)
    }
    #expect(
      try lines("\"time passes\"") == [
        "fails   leads_to \"it goes off\": the run may stay there forever"
      ])
    #expect(
      try lines("\"effects end\"") == [
        "fails   leads_to \"it goes off\": the run may stay there forever"
      ])
    #expect(
      try lines("\"time passes\", \"effects end\"") == ["holds   leads_to \"it goes off\""])
  }

  @Test("a misspelt name in fair is an error with a suggestion")
  func misspelt() throws {
    let text = "explore(\"it\", {}, function() eventually(\"x\", function() return true end, "
    #expect(
      try Explored.faults(text + "{ fair = { \"time pases\" } }) end)", of: Explored.counter).first?
        .hasSuffix("there is no action time pases; did you mean time passes?") == true)
  }
}
