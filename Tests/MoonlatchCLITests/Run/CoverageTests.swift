import Testing

/// Coverage by scenarios.
@Suite struct CoverageTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(
      """
      local rules = require "rules"
      state { n = 0 }
      action.open {}
      action.close {}
      action.add {}
      machine.door {
        initial = "closed",
        closed = { open = "opened" },
        opened = { close = "closed" },
      }
      function gate.add(s) return s.door == "opened", "it is closed" end
      function reduce.add(s)
        s.n = rules.more(s.n)
      end
      """, to: "door.lua")
    try folder.write(
      """
      local rules = {}
      function rules.more(n)
        return n + 1
      end
      function rules.less(n)
        return n - 1
      end
      return rules
      """, to: "rules.lua")
    try folder.write(
      """
      flow "door.lua"
      scenario("refused", function() refuse.add() end)
      """, to: "a.scenario.lua")
    try folder.write(
      """
      flow "door.lua"
      scenario("opened", function() pass.open() pass.add() end)
      """, to: "b.scenario.lua")
  }

  @Test("the coverage of one file is reported")
  func one() throws {
    let ran = try moonlatch("run", "--coverage", "a.scenario.lua", in: folder)
    #expect(
      ran.output == """
        ok    a.scenario.lua:2  refused
        coverage of door.lua
          actions passed       0 of 3, not: add, close, open
          gates that agreed    0 of 1, not: gate add
          gates that refused   1 of 1
          machine transitions  0 of 2, not:
            door: closed -open-> opened
            door: opened -close-> closed
          lines of door.lua    11 of 13, not: 12-13
          lines of rules.lua   4 of 8, not: 2-3, 5-6
        1 passed, 0 failed

        """)
  }

  @Test("coverage of several processes and of several parts of a run adds up")
  func addUp() throws {
    let whole = try moonlatch("run", "--coverage", "-j", "2", "--report", "jsonl=w", in: folder)
    #expect(whole.output.contains("  actions passed       2 of 3, not: close\n"))
    #expect(whole.output.contains("  gates that agreed    1 of 1\n"))
    #expect(whole.output.contains("  lines of rules.lua   6 of 8, not: 5-6\n"))
    for part in ["1", "2"] {
      _ = try moonlatch(
        "run", "--coverage", "--shard", "\(part)/2", "--report", "jsonl=\(part)", in: folder)
    }
    #expect(try moonlatch("report", "text", "1", "2", in: folder).output == whole.output)
    #expect(try moonlatch("report", "text", "w", in: folder).output == whole.output)
  }

  @Test("a function on one line counts as covered once it was called")
  func functions() throws {
    try folder.write(
      """
      state { n = 0 }
      action.go {}
      function reduce.go(s) s.n = 1 end
      function view.n(s) return s.n end
      """, to: "one.lua")
    try folder.write(
      "flow \"one.lua\"\nscenario(\"it\", function() pass.go() end)", to: "one.scenario.lua")
    let ran = try moonlatch("run", "--coverage", "one.scenario.lua", in: folder)
    #expect(ran.output.contains("  lines of one.lua  3 of 4, not: 4\n"))
  }

  @Test("a coverage below the threshold exits with 1 and says where")
  func threshold() throws {
    let low = try moonlatch("run", "--coverage-min", "70", in: folder)
    #expect(low.code == 1)
    #expect(low.output.contains("coverage of door.lua is below 70 %: "))
    let fine = try moonlatch("run", "--coverage-min", "50", in: folder)
    #expect(fine.code == 0)
    #expect(!fine.output.contains("is below"))
    #expect(try moonlatch("run", "--coverage-min", "101", in: folder).code == 64)
    #expect(
      try moonlatch("run", "--coverage-min", "50", "--shard", "1/2", in: folder).code == 64)
  }
}
