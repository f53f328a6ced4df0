import FlowExplore
import FlowKernel
import Testing

/// Random walks, and the reduction of the failures that they find.
@Suite("Random walks")
struct RandomWalksTests {
  private func walk(
    _ flow: String, _ file: String? = nil, seed: UInt64 = 1, walks: Int = 100, steps: Int = 60,
    jobs: Int = 1
  ) throws -> WalkReport {
    var bounds = WalkBounds(seed: seed)
    (bounds.walks, bounds.steps) = (walks, steps)
    var exploration: Exploration
    if let file {
      let explored = try Explored(flow, file)
      exploration = try #require(
        try ExplorationFile(explored.file).explorations(drawing: true).first)
    } else {
      exploration = try Exploration(try LoadedFlow(source: flow), drawing: true)
    }
    exploration.jobs = jobs
    return try exploration.walk(bounds)
  }

  private static let counter = """
    state { n = 0, seen = 0 }
    action.up { by = integer { min = -1000, max = 1000 } }
    action.look {}
    function reduce.up(s, a) s.n = s.n + a.by end
    function reduce.look(s) s.seen = s.seen + 1 end
    function invariant.near(s) return s.n < 17, "too far" end
    """

  @Test("a violation is reported with the fewest steps and smallest payloads")
  func shrunk() throws {
    let report = try walk(RandomWalksTests.counter)
    #expect(report.findings.map(\.steps) == [["up { by = 17 }"]])
    #expect(report.findings.first?.name == "near")
    let text = try #require(report.findings.first?.scenario(flow: "flow.lua"))
    #expect(text.contains("-- It fails, and none of its steps can be left out.\n"))
    #expect(text.contains("  pass.up { by = 17 }\nend)"))
  }

  @Test("the same seed gives the same walks, with any number of threads")
  func seeds() throws {
    let texts = try [1, 2, 3].map {
      try walk(RandomWalksTests.counter, walks: 60, jobs: $0).text("it")
    }
    #expect(texts[0] == texts[1] && texts[0] == texts[2])
    let other = try walk(RandomWalksTests.counter, seed: 2, walks: 60).text("it")
    #expect(other != texts[0])
    #expect(other.contains("seed 2, not all explored: walked"))
  }

  @Test(
    "a walk without findings reports that nothing was violated, and does not claim that it holds")
  func open() throws {
    let report = try walk(
      """
      state { n = 0 }
      action.up {}
      action.never {}
      function gate.never(s) return s.n < 0 end
      function reduce.up(s) s.n = s.n + 1 end
      function invariant.counted(s) return s.n >= 0 end
      """,
      """
      explore("it", {}, function()
        always("small", function(s) return s.n < 1000 end)
        sometimes("ten", function(s) return s.n == 10 end)
        sometimes("a thousand", function(s) return s.n == 1000 end)
        eventually("more", function(s) return s.n > 5 end)
      end)
      """, walks: 3)
    #expect(!report.fails)
    #expect(
      report.text("it") == """
        it: 3 walks of up to 60 steps, 180 steps, seed 1, not all explored: walked
          holds   sometimes ten
          open    invariant.counted: not violated so far
          open    always small: not violated so far
          open    sometimes "a thousand": no state so far
          open    eventually more: not checked, because every walk ends
          dead    never never passed in a walk

        """)
  }

  @Test("properties of states and of steps are evaluated during a walk")
  func properties() throws {
    let report = try walk(
      """
      state { n = 0, last = 0 }
      action.up { by = integer { min = 1, max = 3 } }
      action.other {}
      function reduce.up(s, a) s.last = s.n; s.n = s.n + a.by end
      """,
      """
      explore("it", {}, function()
        never("nine", function(s) return s.n == 9 end)
        step("no threes", function(before, after, action)
          return action.name ~= "up" or action.payload.by ~= 3
        end)
      end)
      """)
    #expect(report.verdicts.map(\.outcome) == [.fails, .fails])
    #expect(
      Set(report.findings.map(\.name)) == ["nine", "no threes"])
    let threes = try #require(report.findings.first { $0.name == "no threes" })
    #expect(threes.steps == ["up { by = 3 }"])
  }

  @Test("a step out of the bounds is checked and then undone")
  func within() throws {
    let file = """
      explore("it", { within = function(s) return s.n < 3 end }, function()
        never("four", function(s) return s.n == 4 end)
        never("three", function(s) return s.n == 3 and s.m == 2 end)
      end)
      """
    let report = try walk(
      """
      state { n = 0, m = 0 }
      action.up {}
      action.more {}
      function gate.more(s) return s.m < 2 end
      function reduce.up(s) s.n = s.n + 1 end
      function reduce.more(s) s.m = s.m + 1 end
      """, file)
    #expect(report.verdicts.map(\.outcome) == [.open, .fails])
    #expect(report.findings.first?.steps.count == 5)
    #expect(report.text("it").contains("  outside "))
  }

  @Test("results of effects and random numbers are drawn during a walk")
  func effects() throws {
    let report = try walk(
      """
      state { n = 0, got = "", asked = false }
      action.ask {}
      action.answered { text = string }
      action.roll {}
      function effect.ask(self) local answer = self:fetch() dispatch.answered { text = answer } end
      function reduce.ask(s) s.asked = true end
      function gate.answered(s) return s.asked end
      function reduce.answered(s, a) s.got, s.asked = a.text, false end
      function reduce.roll(s) s.n = random(1, 6) end
      function invariant.no_z(s) return not s.got:find("z") end
      function invariant.no_six(s) return s.n ~= 6 end
      """, walks: 400)
    let byName = Dictionary(
      report.findings.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    let noZ = try #require(byName["no_z"])
    #expect(noZ.steps.count == 2)
    #expect(noZ.steps.first == "ask")
    #expect(noZ.steps.last?.hasSuffix("answered { text = \"z\" }") == true)
    #expect(byName["no_six"]?.steps == ["roll"])
    #expect(byName["no_six"]?.scenario(flow: "f.lua")?.contains("given.random { 6 }") == true)
  }

  @Test("timers fire during a walk, and a state without outgoing transitions is a deadlock")
  func deadlock() throws {
    let report = try walk(
      """
      action.on {}
      action.burn {}
      machine.lamp { initial = "off", off = { on = "lit" }, lit = { after = { burn = 3 }, burn = "gone" }, gone = {} }
      """, walks: 50)
    let finding = try #require(report.findings.first)
    #expect(finding.name == "deadlock")
    #expect([["on", "burn"], ["on", "3 s pass"]].contains(finding.steps))
    #expect(
      finding.scenario(flow: "f.lua")?.contains("deadlock: no step is possible here") == true)
  }

  @Test("payloads that the flow rejects are no findings")
  func patterns() throws {
    let report = try walk(
      """
      state { code = "" }
      action.enter { code = string { pattern = "^%d%d$" } }
      function reduce.enter(s, a) s.code = a.code end
      """, walks: 20)
    #expect(!report.fails)
  }

  @Test("a flow that cannot be walked is an error")
  func wrong() throws {
    #expect(throws: ExplorationError.self) {
      try walk("state { n = 0.5 } action.roll {} function reduce.roll(s) s.n = random() end")
    }
  }

  @Test("a stopped walk reports what it has found so far")
  func stopped() throws {
    var exploration = try Exploration(
      try LoadedFlow(source: RandomWalksTests.counter), drawing: true)
    exploration.isStopped = { true }
    let report = try exploration.walk(WalkBounds(seed: 1))
    #expect(report.isStopped)
    #expect(report.made == 0)
    #expect(report.text("it").contains("not all explored: it was stopped"))
  }
}
