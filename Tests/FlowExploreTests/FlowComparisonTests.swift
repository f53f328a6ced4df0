import FlowExplore
import Testing

/// Comparison of two versions of a flow.
@Suite("Comparison")
struct FlowComparisonTests {
  private func compare(
    _ new: String, with old: String, _ text: String = "explore(\"it\")", most: UInt64 = 0
  ) throws -> FlowComparison {
    let (first, second) = (try Explored(new, text), try Explored(old, text))
    var now = try #require(try first.explorations().first)
    var then = try #require(try second.explorations().first)
    now.bounds.states = most
    var states: ExploredStates?
    now.finished = { states = $0 }
    _ = try now.run()
    var found: FlowComparison?
    let mine = try #require(states)
    then.finished = { found = try FlowComparison(of: mine, with: $0, named: "old.lua") }
    _ = try then.run()
    return try #require(found)
  }

  private static func door(
    _ time: Int = 5, shut: String = "shut = \"shut\",", more: String = ""
  ) -> String {
    """
    state { n = 0, seen = false }
    action.open {}
    action.shut {}
    machine.door {
      initial = "shut",
      shut    = { open = "opened" },
      opened  = { \(shut) after = { shut = \(time) } },
    }
    function gate.open(s) return s.n < 2, "worn out" end
    function reduce.open(s) s.n = s.n + 1 end
    \(more)
    """
  }

  @Test("two equal flows have no difference, and the report counts the compared pairs of states")
  func same() throws {
    let comparison = try compare(Explored.counter, with: Explored.counter)
    #expect(!comparison.differs)
    #expect(comparison.text == "  same    no difference from old.lua in 7 pairs of states\n")
  }

  @Test(
    "initial states are compared by their given, also if two givens lead to one state in one version"
  )
  func givens() throws {
    let flow = """
      state { n = integer { min = 0, max = 3, default = 0 } }
      action.wait {}
      """
    let merging = """
      machine.m { initial = "a", a = { always = {
        when = function(s) return s.n == 1 end, reduce = function(s) s.n = 0 end } } }
      """
    let comparison = try compare(
      flow, with: flow + "\n" + merging, "explore(\"it\", { given = { {}, { n = 1 }, { n = 2 } } })"
    )
    #expect(!comparison.differs, "\(comparison.text)")
  }

  @Test(
    "an action that only the new flow refuses is reported, with a scenario that expects it to pass")
  func refused() throws {
    let comparison = try compare(
      Explored.counter.replacing("<= 3", with: "<= 2"), with: Explored.counter)
    #expect(
      comparison.text == """
          differs up { by = 2 } does not pass, but it does in old.lua: now it is refused by gate up: that is too much
                   1  up { by = 1 }
                   2  up { by = 2 }

        """)
    let text = try #require(comparison.differences.first?.text(flow: "new.lua"))
    #expect(text.hasPrefix("-- Written by moonlatch explore.\n"))
    #expect(text.hasSuffix("  pass.up { by = 1 }\n  pass.up { by = 2 }\nend)\n"))
  }

  @Test(
    "an action that only the old flow refuses is reported, with a scenario that expects a refusal")
  func passes() throws {
    let comparison = try compare(
      Explored.counter, with: Explored.counter.replacing("<= 3", with: "<= 2"))
    #expect(
      comparison.text.contains(
        "differs up { by = 2 } passes, but not in old.lua: there it is refused by gate up"))
    let text = try #require(comparison.differences.first?.text(flow: "new.lua"))
    #expect(text.hasSuffix("  refuse.up { by = 2 }\nend)\n"))
  }

  @Test("a field with different values is reported, but nothing that follows from it")
  func places() throws {
    let comparison = try compare(
      Explored.counter.replacing("s.n == 2 then", with: "s.n == 1 then"), with: Explored.counter)
    #expect(
      comparison.differences.map(\.sentence) == ["seen is false in old.lua, and true now"])
    #expect(comparison.differences.first?.steps == ["up { by = 1 }"])
    let text = try #require(comparison.differences.first?.text(flow: "new.lua"))
    #expect(text.hasSuffix("  expect { seen = false }\nend)\n"))
  }

  @Test("a field that only one version has is no difference")
  func ownPlaces() throws {
    let comparison = try compare(
      Explored.counter.replacing("seen = false }", with: "seen = false, more = 0 }")
        .replacing("s.n = 0 end", with: "s.n = 0; s.more = 1 end"),
      with: Explored.counter)
    #expect(!comparison.differs)
  }

  @Test("an action that only one version has is a difference of its own kind")
  func actions() throws {
    let comparison = try compare(
      FlowComparisonTests.door(more: "action.lock {}"),
      with: FlowComparisonTests.door(more: "action.kick {}"))
    #expect(comparison.onlyNew == ["lock"])
    #expect(comparison.onlyOld == ["kick"])
    #expect(comparison.differs)
    #expect(comparison.differences.isEmpty)
    #expect(
      comparison.text
        == "  differs action kick is only in old.lua\n  differs action lock is not in old.lua\n")
  }

  @Test("a timer with another delay is reported, with a scenario that expects the old delay")
  func times() throws {
    let later = try compare(FlowComparisonTests.door(6), with: FlowComparisonTests.door(5))
    #expect(
      later.differences.map(\.sentence) == ["the next due time is after 6 s, in old.lua after 5 s"])
    #expect(
      try #require(later.differences.first?.text(flow: "new.lua"))
        .hasSuffix("  pass.open()\n  advance(5)\n  expect { door = \"shut\" }\nend)\n"))
    let sooner = try compare(FlowComparisonTests.door(5), with: FlowComparisonTests.door(6))
    #expect(
      try #require(sooner.differences.first?.text(flow: "new.lua"))
        .hasSuffix("  pass.open()\n  advance(5)\n  expect { door = \"opened\" }\nend)\n"))
  }

  @Test("a payload that the types of one version exclude is refused by it")
  func payloads() throws {
    let comparison = try compare(
      Explored.counter.replacing("max = 2", with: "max = 1"), with: Explored.counter)
    #expect(
      comparison.differences.first?.sentence.hasPrefix(
        "up { by = 2 } does not pass, but it does in old.lua: now it fails:") == true)
  }

  @Test("a comparison that reached its bound says so and reports no difference")
  func bounded() throws {
    let comparison = try compare(Explored.counter, with: Explored.counter, most: 3)
    #expect(!comparison.differs)
    #expect(!comparison.isWhole)
    #expect(comparison.text.hasSuffix(" so far\n"))
  }
}
