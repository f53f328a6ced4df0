import FlowKernel
import Testing

@testable import FlowExplore

/// Limits of the claims in an exploration's report.
@Suite("Claims of explorations") struct ClaimsTests {
  private func outcomes(_ report: ExplorationReport) -> [String: Verdict.Outcome] {
    Dictionary(uniqueKeysWithValues: report.verdicts.map { ($0.title, $0.outcome) })
  }

  private func explored(_ flow: String) throws -> ExplorationReport {
    try Exploration(LoadedFlow(source: flow)).run()
  }

  // MARK: Runs that leave

  @Test("a liveness property is undecided if a run leaves the bounds before satisfying it")
  func leaving() throws {
    let flow = """
      state { n = 0, done = false }
      action.up {}
      action.finish {}
      function reduce.up(s) s.n = s.n + 1 end
      function gate.finish(s) return s.n >= 1 end
      function reduce.finish(s) s.done = true end
      """
    let report = try Explored.report(
      """
      explore("it", { within = function(s) return s.n < 3 end }, function()
        eventually("done", function(s) return s.done end, { fair = { "up", "finish" } })
        eventually("one", function(s) return s.n >= 1 end, { fair = { "up" } })
        leads_to("one to done", function(s) return s.n == 1 end, function(s) return s.done end,
          { fair = { "up", "finish" } })
        eventually("never left", function(s) return s.n == 0 end)
        sometimes("nine", function(s) return s.n == 9 end)
        sometimes("two", function(s) return s.n == 2 end)
      end)
      """, of: flow)
    #expect(
      outcomes(report) == [
        "eventually done": .open, "eventually one": .holds, "leads_to \"one to done\"": .open,
        "eventually \"never left\"": .holds, "sometimes nine": .open, "sometimes two": .holds,
      ])
    #expect(!report.isDecided)
  }

  @Test("a liveness property is decided if no run leaves the bounds")
  func whole() throws {
    let report = try Explored.report(
      """
      explore("it", function()
        eventually("full", function(s) return s.n == 3 end, { fair = { "up" } })
      end)
      """)
    #expect(outcomes(report) == ["eventually full": .holds])
    #expect(report.isDecided)
  }

  @Test("a liveness property is undecided if an initial state is outside of the bounds")
  func beginning() throws {
    let report = try Explored.report(
      """
      explore("it", { given = { {}, { n = 2 } }, within = function(s) return s.n ~= 2 end }, function()
        eventually("zero", function(s) return s.n == 0 end)
      end)
      """)
    #expect(outcomes(report) == ["eventually zero": .open])
  }

  // MARK: Payloads

  @Test(
    "a payload field tried with its default only is named, and the exploration is incomplete",
    arguments: [
      ("string { default = \"a\" }", ["go.x"]), ("integer { default = 1 }", ["go.x"]),
      ("number { default = 1 }", ["go.x"]), ("any { default = 1 }", ["go.x"]),
      ("integer { min = 0, max = 1, default = 1 }", []),
      ("string { default = \"a\", samples = { \"a\", \"b\" } }", []),
      ("optional(string { default = \"a\" })", ["go.x"]),
      ("{ y = string { default = \"a\" }, z = boolean }", ["go.x.y"]),
      ("list_of { integer, default = { 1 } }", ["go.x"]),
      ("list_of { string { default = \"a\" }, max_length = 1 }", ["go.x"]),
      ("map_of { integer, default = map { a = 1 } }", ["go.x"]),
    ])
  func defaults(type: String, fields: [String]) throws {
    let flow = "state { n = 0 }\naction.go { x = \(type) }\n"
    let report = try explored(flow)
    #expect(fields.allSatisfy { field in report.omissions.contains { $0.contains(field) } })
    #expect(report.omissions.isEmpty == fields.isEmpty)
    if fields.isEmpty {
      #expect(report.ending == .whole)
    } else {
      #expect(report.ending == .bounded)
      #expect(
        report.text("it").contains(
          "not all explored: \(fields[0]) was explored with its default only"))
    }
    // A file that says what is tried has the say.
    let said = try Explored.report(
      "explore(\"it\", { actions = { go = false } })", of: flow)
    #expect(said.omissions.isEmpty)
  }

  @Test("a field of an effect's result tried with its default only is named")
  func defaultsOfAnswers() throws {
    let report = try explored(
      """
      state { n = 0 }
      action.go {}
      function gate.go(s) return s.n == 0 end
      function reduce.go(s) s.n = 1 end
      internal.got { x = integer { default = 1 } }
      function effect.go(self) sleep(1); dispatch.got {} end
      """)
    #expect(report.omissions.first?.contains("got.x") == true)
  }

  @Test("random walks draw a field with a default from its whole type")
  func drawn() throws {
    let flow = """
      state { s = "x" }
      action.set { s = string { default = "a" } }
      function reduce.set(s, a) s.s = a.s end
      function invariant.never_b(s) return s.s ~= "b" end
      """
    let report = try Exploration(LoadedFlow(source: flow), drawing: true).walk(WalkBounds(seed: 1))
    #expect(report.fails)
  }

  // MARK: Effects

  @Test(
    "an effect may end without a result if its failure or success is not handled",
    arguments: [
      ("on_done = \"got\"", true), ("on_done = \"got\", on_error = \"lost\"", false),
      ("on_error = \"lost\"", true),
    ])
  func failing(options: String, endsSilently: Bool) throws {
    let report = try explored(
      """
      state {}
      action.go {}
      internal.got {}
      internal.lost { error = string }
      machine.m { initial = "a", a = { go = "b" }, b = { got = "c", lost = "c" }, c = { final = true } }
      effect.go = { run = function(self) self:ask() end, \(options) }
      """)
    #expect(report.findings.contains { $0.sentence.contains("deadlock") } == endsSilently)
  }

  // MARK: Functions that keep something

  @Test(
    "a function that stores data outside of the state is reported, and the search is incomplete",
    arguments: [
      "local kept = {}\nfunction reduce.go(s) kept[s.n] = true end",
      "local kept\nfunction reduce.go(s) kept = s.n end",
      "local kept = {}\nfunction gate.go(s) table.insert(kept, s.n) return true end",
    ])
  func kept(text: String) throws {
    let report = try explored("state { n = 0 }\naction.go {}\n\(text)\n")
    #expect(report.warnings.count == 1)
    #expect(report.warnings.first?.contains("flow.lua:4: ") == true)
    #expect(report.text("it").contains("  warning flow.lua:4: "))
    #expect(report.ending == .bounded)
  }

  @Test(
    "a function with different results in one state ends the exploration with its name and line")
  func different() throws {
    let error = #expect(throws: ExplorationError.self) {
      try explored(
        """
        local seen = {}
        state { x = 0, y = 0 }
        action.up {} action.side {}
        function gate.up(s) return s.x < 30 end
        function reduce.up(s) seen[s.x] = true s.x = s.x + 1 if #seen > 20 then s.y = s.y + 1 end end
        function gate.side(s) return s.y < 3 end
        function reduce.side(s) s.y = s.y + 1 end
        """)
    }
    #expect(error?.kind == .impure)
    #expect(error?.description.contains("flow.lua:5: reduce.up changes the local seen") == true)
    #expect(error?.description.contains("report this") == false)
  }

  // MARK: States that runs pass through

  @Test("a state that is left as soon as it is entered is not dead")
  func passedThrough() throws {
    let report = try explored(
      """
      state { n = 0 }
      action.go {}
      action.again {}
      action.never {}
      function gate.never() return false end
      machine.m {
        initial = "first",
        first = { always = "work" },
        work = { initial = "doing", on_done = "choice", doing = { go = "finished" }, finished = { final = true } },
        choice = { always = "closed" },
        closed = { again = "work", never = "dead" },
        dead = {},
      }
      """)
    #expect(report.unreachedStates == ["state m.dead was never entered"])
  }

  // MARK: Fairness

  private static let lock = """
    state { x = 0, wrong = 0 }
    action.press { key = one_of { "wrong", "right" }, hand = one_of { "left", "right" } }
    function reduce.press(s, a) if a.key == "right" then s.x = 1 end end
    """

  @Test(
    "a fair action may always have the same payload unless fair names the field",
    arguments: [
      ("\"press\"", Verdict.Outcome.fails), ("{ \"press\", key = \"right\" }", .holds),
      ("{ \"press\", \"key\" }", .holds), ("{ \"press\", \"hand\" }", .fails),
      ("{ \"press\", \"hand\", key = \"right\" }", .holds),
      ("{ \"press\", \"hand\", \"key\" }", .holds),
      ("{ \"press\", key = \"wrong\" }", .fails),
    ])
  func idle(fair: String, outcome: Verdict.Outcome) throws {
    let report = try Explored.report(
      """
      explore("it", function()
        eventually("opens", function(s) return s.x == 1 end, { fair = { \(fair) } })
      end)
      """, of: ClaimsTests.lock)
    let verdict = try #require(report.verdicts.first)
    #expect(verdict.outcome == outcome)
    if outcome == .fails {
      #expect(verdict.reason.contains("press { hand = \"left\", key = \"wrong\" }"), "\(verdict)")
    }
  }

  @Test(
    "a wrong entry in fair is an error",
    arguments: [
      ("{ \"press\", \"kay\" }", "press has no field kay; did you mean key?"),
      ("{ \"press\", kay = 1 }", "press has no field kay"),
      ("{ key = \"right\" }", "fair lists actions"),
      ("{ \"pres\" }", "there is no action pres; did you mean press?"), ("1", "fair lists actions"),
      ("{ \"time passes\", key = 1 }", "time passes has no field key; it has none"),
    ])
  func unfair(fair: String, message: String) throws {
    let faults = try Explored.faults(
      """
      explore("it", function()
        eventually("opens", function(s) return s.x == 1 end, { fair = { \(fair) } })
      end)
      """, of: ClaimsTests.lock)
    #expect(faults.count == 1 && faults[0].contains(message), "\(faults)")
  }

  // MARK: Messages

  @Test("too many random draws in one step are an error at the line of random")
  func draws() throws {
    let error = #expect(throws: ExplorationError.self) {
      try explored(
        """
        state { n = 0 }
        action.go {}
        function reduce.go(s) for i = 1, 12 do s.n = random(i) end end
        """)
    }
    #expect(
      error?.description.hasPrefix("flow.lua:3: action go draws from random 12 times at once")
        == true)
  }

  @Test("with hash compaction, the report gives the probability of a missed state")
  func hashes() throws {
    var exploration = try Exploration(LoadedFlow(source: Explored.counter))
    exploration.bounds.hashes = true
    let text = try exploration.run().text("it")
    #expect(text.contains("probably all explored (two states share a hash with a probability of"))
  }
}
