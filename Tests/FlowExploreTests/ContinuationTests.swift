import Testing

@testable import FlowExplore

/// Guards and invariants whose runs share continuations, compared with a search that runs each of
/// them in each state.
@Suite("Continuations")
struct ContinuationTests {
  /// Eight lights of three colours, and a number; what is asked is the body of an invariant.
  private func lights(_ asked: String, before: String = "") -> String {
    """
    state { at = { 0, 0, 0, 0, 0, 0, 0 }, by = map {}, n = 0, on = true }
    local I = integer { min = 1, max = 7 }
    action.go { i = I }
    action.count {}
    function gate.go(s, a) return s.at[a.i] < 2 end
    function reduce.go(s, a) s.at[a.i] = s.at[a.i] + 1; s.by["k" .. a.i] = s.at[a.i] end
    function gate.count(s) return s.n < 2 end
    function reduce.count(s) s.n = s.n + 1 end
    function view.sum(s) local sum = 0; for _, v in ipairs(s.at) do sum = sum + v end return sum end
    \(before)
    function invariant.asked(s)
      \(asked)
    end
    """
  }

  private func search(
    _ flow: String, levels: Int = 6, jobs: Int? = nil
  ) throws -> (report: ExplorationReport, plain: ReferenceSearch) {
    let explored = try Explored(flow, "explore(\"it\", { ends = function() return true end })")
    var exploration = try #require(try explored.explorations().first)
    exploration.collectsFaults = true
    exploration.setup.limits.instructionsPerDispatch = 20_000
    exploration.bounds.depth = UInt32(levels)
    if let jobs { exploration.jobs = jobs }
    return (try exploration.run(), try ReferenceSearch(exploration, most: .max, levels: levels))
  }

  /// - Parameter runs: the invariant has to be run less often than that; there are three times as many states.
  private func agree(_ asked: String, before: String = "", runs: Int = .max) throws {
    let (report, plain) = try search(lights(asked, before: before))
    #expect(report.states == plain.states)
    #expect(report.found == plain.found)
    if runs == .max { return }
    let moves = try search(lights("return true", before: before)).report.counts.misses
    let needed = Int(report.counts.misses) - Int(moves)
    #expect(needed < runs, "of \(report.states) states")
  }

  @Test(
    "a loop over a list needs few runs, whatever kind of loop it is",
    arguments: [
      "local n = 0; for i = 1, #s.at do if s.at[i] == 2 then n = n + 1 end end return n < 3, \"n \" .. n",
      "local n = 0; for _, v in ipairs(s.at) do n = n + v end return n < 5",
      "local last for i, v in pairs(s.at) do if v == 2 and last == i - 1 then return false end last = v > 0 and i end return true",
      "for i = 1, 7 do if s.at[i] == 2 then return s.n < 2, \"at \" .. i end end return true",
    ])
  func loops(asked: String) throws {
    try agree(asked, runs: 250)
  }

  @Test("an invariant is run once for what it reads, although two questions are about it")
  func once() throws {
    // Several threads may learn the same at the same time.
    let asked = try search(lights("return s.n < 5"), jobs: 1).report.counts.misses
    let free = try search(lights("return true"), jobs: 1).report.counts.misses
    // It is run for each of the three numbers, in place of once.
    #expect(Int(asked) - Int(free) == 2)
  }

  @Test("functions that call each other share their continuations")
  func calls() throws {
    let helpers = """
      local WEIGHT = { [0] = 1, [1] = 2, [2] = 4 }
      local function weight(s, i) return WEIGHT[s.at[i]] end
      local function heavy(s, most)
        local sum = 0
        for i = 1, 7 do sum = sum + weight(s, i) end
        return sum > most, sum
      end
      """
    try agree(
      "local is_heavy, sum = heavy(s, 12) return not is_heavy or s.n == 0, \"it weighs \" .. sum",
      before: helpers, runs: 250)
  }

  @Test(
    "key sets, views, new tables and C functions are learned by path and give the right result",
    arguments: [
      "local n = 0; for k, v in pairs(s.by) do if v == 2 then n = n + 1 end end return n < 3",
      "local v = view.sum() if s.n == 1 then return v < 4 end return true",
      "local t = {} for i = 1, 3 do t[#t + 1] = s.at[i] end return t[1] ~= 2 or t[3] ~= 2",
      "local t = { s.at[1], s.at[2] } table.sort(t, function(a, b) return a > b and s.n < 2 end) return t[1] < 2 or s.n == 0",
      "local ok, e = pcall(function() return s.at[1] + s.at[2] end) return e < 4 or s.at[3] == 0",
      "return select(\"#\", table.unpack(s.at)) == 7 and (s.at[1] < 2 or s.at[2] < 2)",
    ])
  func paths(asked: String) throws {
    try agree(asked)
  }

  @Test("a property that reads a gatekeeper, before or after the state, is learned correctly")
  func gatekeepers() throws {
    let flow = """
      state { n = 0, at = { 0, 0, 0 } }
      action.take {}
      action.leave {}
      action.go { i = integer { min = 1, max = 3 } }
      gatekeeper.door { take = "attempt", leave = "reset" }
      function gate.go(s, a) return s.at[a.i] < 2 end
      function reduce.go(s, a) s.at[a.i] = s.at[a.i] + 1 end
      function view.is_taken() return not gatekeeper.door:may_pass() end
      """
    let asked = """
      always("it", function(s)
        if view.is_taken() then return s.at[1] + s.at[2] < 3 end
        for _, v in ipairs(s.at) do if v == 2 then return view.is_taken() or s.at[3] < 2 end end
        return true
      end)
      """
    let explored = try Explored(flow, "explore(\"it\", function() \(asked) end)")
    let exploration = try #require(try explored.explorations().first)
    let (report, plain) = (
      try exploration.run(), try ReferenceSearch(exploration, most: .max)
    )
    #expect(report.states == plain.states)
    #expect(Set(report.verdicts.filter { $0.outcome == .fails }.map(\.title)) == plain.broken)
  }

  @Test("an invariant that never returns fails by its limit, and the search ends")
  func endless() throws {
    let (report, plain) = try search(
      lights(
        "while s.at[1] == 1 and s.n == 1 do if s.at[2] == 1 then return true end end return true"),
      levels: 3)
    #expect(report.found == plain.found)
    #expect(!report.found.isEmpty)
  }

  @Test("a function that changes a local is reported, and the search is incomplete")
  func impure() throws {
    let (report, _) = try search(
      lights("seen = seen + s.at[1] return seen < 1000000", before: "local seen = 0"))
    #expect(report.ending == .bounded)
    #expect(report.warnings.count == 1)
  }
}
