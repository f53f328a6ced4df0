import FlowKernel
import Foundation
import Testing

@testable import FlowExplore

/// Several threads, each of which runs the flow in its own engines.
@Suite("Threads")
struct EnginePairTests {
  /// Each decision depends on everything, so that there is much to learn.
  static let wide = """
    state { a = 0, b = 0, c = 0, d = 0 }
    local function sum(s) return s.a + s.b + s.c + s.d end
    for _, name in ipairs { "a", "b", "c", "d" } do
      action["up_" .. name] {}
      action["down_" .. name] {}
      gate["up_" .. name] = function(s) return s[name] < 2 and sum(s) < 8, "there are " .. sum(s) end
      reduce["up_" .. name] = function(s) s[name] = s[name] + 1 end
      gate["down_" .. name] = function(s) return s[name] > 0 and sum(s) ~= 5, "none of " .. sum(s) end
      reduce["down_" .. name] = function(s) s[name] = s[name] - 1 end
    end
    action.never {}
    gate.never = function(s) return sum(s) > 10, sum(s) % 2 == 0 and "even" or "odd" end
    invariant.few = function(s) return sum(s) < 7 end
    """

  /// Effects, timers, a gatekeeper, chance and a machine.
  static let busy = """
    state { pages = 0, luck = 0, tries = 0 }
    action.load {}
    internal.loaded { n = integer { min = 0, max = 2 } }
    internal.failed {}
    internal.late {}
    action.close {}
    action.draw {}
    machine.page {
      initial = "blank",
      blank = { load = "loading" },
      loading = { loaded = "shown", failed = "blank", late = "blank", after = { late = 3 } },
      shown = { close = "blank" },
    }
    gatekeeper.entrance { load = "attempt", loaded = "reset", failed = "reset", late = "reset" }
    function gate.draw(s) return s.luck < 4, "that is enough" end
    function gate.load(s) return s.tries < 3, "it was tried often enough" end
    function reduce.load(s) s.tries = s.tries + 1 end
    function reduce.draw(s) s.luck = s.luck + random(0, 2) end
    function reduce.loaded(s, a) s.pages = math.min(s.pages + a.n, 4) end
    effect.load = function(self)
      sleep(1)
      if random(0, 1) == 0 then dispatch.loaded { n = 1 } else dispatch.failed {} end
    end
    invariant.not_lucky = function(s) return s.luck < 5 or s.pages < 3 end
    """

  /// All that is told of an exploration, and the scenarios that it writes.
  static func told(_ exploration: Exploration) throws -> String {
    let report = try exploration.run()
    let scenarios = report.findings.map { $0.scenario(flow: "flow.lua") ?? "none" }
    return report.text("it") + scenarios.joined()
  }

  private func expectSame(_ make: () throws -> [Exploration]) throws {
    for exploration in try make() {
      var exploration = exploration
      exploration.checksSome = false
      exploration.jobs = 1
      let alone = try EnginePairTests.told(exploration)
      for jobs in [2, 5] {
        exploration.jobs = jobs
        #expect(try EnginePairTests.told(exploration) == alone)
      }
    }
  }

  @Test("the result does not depend on the number of threads", arguments: [wide, busy])
  func flows(source: String) throws {
    let flow = try LoadedFlow(source: source)
    try expectSame { [try Exploration(flow)] }
  }

  @Test(
    "the results of the worked examples do not depend on the number of threads",
    arguments: [
      "two-phase-commit", "transaction-commit", "jugs", "philosophers", "peterson",
    ])
  func examples(name: String) throws {
    try expectSame {
      try ExplorationFile(ExamplesTests.folder.appending(path: "\(name).explore.lua"))
        .explorations()
    }
  }

  @Test("properties and effect results of a file are evaluated on every thread")
  func file() throws {
    let explored = try Explored(
      EnginePairTests.wide,
      """
      explore("all", function()
        always("few", function(s) return s.a + s.b + s.c + s.d < 12 end)
        step("by one", function(before, after) return after.a - before.a < 2 end)
        eventually("empty", function(s) return s.a == 0 end, { fair = { "down_a" } })
      end)
      """)
    try expectSame { try explored.explorations() }
  }

  @Test("threads share one engine pair at first, and each gets its own after many calls")
  func pairs() throws {
    let flow = try LoadedFlow(source: "state { n = 0 }\naction.a {}")
    let pairs = EnginePairs(flow, try ExplorationSetup(flow), threads: 2)
    let first = pairs.withFirst { ObjectIdentifier($0) }
    #expect(pairs.with(1) { ObjectIdentifier($0) } == first)
    for _ in 0..<1_000 { pairs.with(1) { _ in } }
    #expect(pairs.with(1) { ObjectIdentifier($0) } != first)
    #expect(pairs.with(0) { ObjectIdentifier($0) } == first)
  }
}
