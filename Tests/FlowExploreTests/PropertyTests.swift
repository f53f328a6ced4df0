import FlowExplore
import Testing

/// Properties and their verdicts.
@Suite("Properties")
struct PropertyTests {
  private func lines(_ properties: String) throws -> [String] {
    try Explored.report("explore(\"it\", function()\n\(properties)\nend)").verdicts.map(\.line)
  }

  private func fault(_ property: String) throws -> String {
    try Explored.faults("explore(\"it\", function()\n\(property)\nend)", of: Explored.counter)
      .joined(separator: "\n")
  }

  @Test("always fails in the nearest violating state, with its reason")
  func always() throws {
    #expect(
      try lines("always(\"low\", function(s) return s.n < 3, \"it is full\" end)") == [
        "fails   always low: it is full"
      ])
  }

  @Test("of more than a thousand invariants, exactly the violated ones are reported")
  func invariants() throws {
    let flow = """
      state { n = 0 }
      action.up {}
      function gate.up(s) return s.n < 2 end
      function reduce.up(s) s.n = s.n + 1 end
      for i = 1, 1500 do invariant["i" .. i] = function(s) return i % 700 > 0 or s.n < 1, "broken" end end
      """
    let report = try Explored.report(
      "explore(\"it\", { ends = function() return true end })", of: flow)
    #expect(report.findings.map(\.name).sorted() == ["i1400", "i700"])
  }

  @Test("sometimes holds if there is a witness, and fails otherwise")
  func sometimes() throws {
    #expect(
      try lines(
        "sometimes(\"it is full\", function(s) return s.n == 3 end)\n"
          + "sometimes(\"it is over\", function(s) return s.n == 4 end)") == [
          "holds   sometimes \"it is full\"",
          "fails   sometimes \"it is over\": no reachable state",
        ])
  }

  @Test("a property reads the states of machines like the flow does, in both states of a step too")
  func machines() throws {
    let flow = """
      state { doors = list { { id = 1 }, { id = 2 } } }
      action.go {}
      action.open { id = integer { min = 1, max = 2 } }
      machine.m { initial = "a", a = { go = "b" }, b = { initial = "x", x = { go = "y" }, y = { go = "a" } } }
      machine.door { each = "doors", which = "id", initial = "shut", shut = { open = "wide" }, wide = {} }
      """
    let text = """
      explore("it", function()
        never("in y", function(s) return in_state(s, "m.b.y") end)
        sometimes("one is open", function(s) return count_in(s, "door.wide") == 1 end)
        always("two are open", function(s) return all_in(s, "door.wide") end)
        step("b is not left", function(before, after)
          return in_state(after, "m.b") or not in_state(before, "m.b")
        end)
      end)
      """
    let verdicts = try Explored.report(text, of: flow).verdicts
    #expect(
      verdicts.map(\.line) == [
        "fails   never \"in y\"", "holds   sometimes \"one is open\"",
        "fails   always \"two are open\"", "fails   step \"b is not left\"",
      ])
    #expect(verdicts.map { $0.steps?.count } == [2, 1, 0, 3])
    #expect(
      try Explored.faults(text.replacing("m.b.y", with: "m.b.yy"), of: flow).joined()
        .contains("m.b.yy"))
    let counted =
      "explore(\"it\", function() step(\"x\", function(b) return count_in(b, \"door.wide\") < 3 end) end)"
    #expect(
      try Explored.faults(counted, of: flow).joined().contains(
        "count_in is for properties of states; in a property of steps use in_state"
      ))
  }

  @Test("a liveness property with hash compaction is rejected before the search")
  func hashes() throws {
    let explored = try Explored(
      "state { n = 0 } action.up {} function reduce.up(s) s.n = s.n + 1 end",
      "explore(\"it\", function() eventually(\"ten\", function(s) return s.n == 10 end) end)")
    var exploration = try #require(try explored.explorations().first)
    exploration.bounds.hashes = true
    let error = try #require(throws: ExplorationError.self) { try exploration.run() }
    #expect(
      error.description.hasSuffix("--hash stores only their hashes: leave out one of the two"))
  }

  @Test("of the violating runs of a liveness property, the shortest lasso is reported")
  func lasso() throws {
    // A ring of six from 0 on; from 2 there is a shorter one, and from 3 a step to where nothing leads on.
    let flow = """
      state { n = 0 }
      local ring = { [0] = 1, 2, 3, 4, 5, 0 }
      action.on {}
      action.side {}
      action.back {}
      function gate.on(s) return ring[s.n] ~= nil end
      function reduce.on(s) s.n = ring[s.n] end
      function gate.side(s) return s.n == 2 or s.n == 3 end
      function reduce.side(s) s.n = s.n == 2 and 6 or 7 end
      function gate.back(s) return s.n == 6 end
      function reduce.back(s) s.n = 2 end
      """
    func steps(_ fair: String) throws -> [String]? {
      try Explored.report(
        "explore(\"it\", { ends = function() return true end }, function() "
          + "eventually(\"x\", function() return false end, { fair = { \(fair) } }) end)",
        of: flow
      ).verdicts[0].steps
    }
    #expect(try steps("") == [])
    #expect(try steps("\"on\", \"back\"") == ["on", "on", "side", "back"])
    #expect(try steps("\"on\"") == ["on", "on", "side"])
  }

  @Test("a step property gets both states, whichever its function reads first")
  func step() throws {
    let report = try Explored.report(
      """
      explore("it", function()
        step("up", function(before, after) return after.n >= before.n end)
        step("up, or from three", function(before, after)
          return after.n > before.n or before.n == 3
        end)
        step("seen once is seen", function(before, after) return after.seen or not before.seen end)
      end)
      """)
    #expect(
      report.verdicts.map(\.line) == [
        "fails   step up", "holds   step \"up, or from three\"",
        "holds   step \"seen once is seen\"",
      ])
    #expect(report.verdicts[0].steps?.last == "reset")
  }

  @Test("a step property gets the action with its payload")
  func action() throws {
    #expect(
      try lines(
        """
        step("by as much", function(before, after, action)
          if action.name ~= "up" then return after.n == 0 end
          return after.n - before.n == action.payload.by
        end)
        """) == ["holds   step \"by as much\""])
  }

  @Test("properties can read views, lists, maps and machines")
  func reading() throws {
    let flow = """
      state { items = list {}, tags = map {} }
      action.add { x = integer { min = 1, max = 2 } }
      action.tag { k = one_of { "a", "b" } }
      action.open {}
      machine.door { initial = "shut", shut = { open = "opened" }, opened = {} }
      function gate.add(s) return #s.items < 2 end
      function reduce.add(s, a) table.insert(s.items, a.x) end
      function reduce.tag(s, a) s.tags[a.k] = true end
      function view.sum(s) local t = 0 for _, x in ipairs(s.items) do t = t + x end return t end
      """
    let report = try Explored.report(
      """
      explore("it", function()
        always("at most 4", function() return view.sum() <= 4 end)
        sometimes("4", function() return view.sum() == 4 end)
        sometimes("both", function(s)
          local n = 0
          for _ in pairs(s.tags) do n = n + 1 end
          return n == 2 and s.door == "opened" and #s.items == 2
        end)
        step("one more", function(before, after) return #after.items <= #before.items + 1 end)
        step("tags come by tag", function(before, after, action)
          for k in pairs(after.tags) do
            if not before.tags[k] and action.name ~= "tag" then return false end
          end
          return true
        end)
      end)
      """, of: flow)
    #expect(report.states == 7 * 4 * 2)
    #expect(report.verdicts.map(\.outcome) == [.holds, .holds, .holds, .holds, .holds])
  }

  @Test("a liveness property holds under fairness of the actions that lead to it")
  func fair() throws {
    let report = try Explored.report(
      """
      explore("it", function()
        eventually("seen", function(s) return s.seen or s.n == 3 end, { fair = { "up" } })
        eventually("seen some time", function(s) return s.seen end, { fair = { "up" } })
        eventually("seen by nobody", function(s) return s.seen end)
        leads_to("emptied", function(s) return s.n == 3 end, function(s) return s.n == 0 end,
          { fair = { "reset" } })
      end)
      """)
    #expect(
      report.verdicts.map(\.line) == [
        "holds   eventually seen",
        "fails   eventually \"seen some time\": the run may stay there forever",
        "fails   eventually \"seen by nobody\": the run may stay there forever",
        "holds   leads_to emptied",
      ])
    // Nothing that is fair can come where it is full, so that nobody need go round.
    #expect(report.verdicts[1].steps == ["up { by = 1 }", "up { by = 2 }"])
  }

  @Test("a failed property is a finding with a scenario that reproduces it")
  func findings() throws {
    let report = try Explored.report(
      """
      explore("it", function()
        never("full", function(s) return s.n == 3 end)
        sometimes("over", function(s) return s.n == 4 end)
      end)
      """)
    #expect(
      report.findings.map(\.sentence) == ["never full", "sometimes over: no reachable state"])
    let scenario = try #require(report.findings[0].scenario(flow: "flow.lua"))
    #expect(scenario.contains("pass.up { by = 1 }\n"))
    #expect(scenario.contains("assert(false, \"never full does not hold here\")"))
    #expect(report.findings[1].scenario(flow: "flow.lua") == nil)
  }

  @Test("a bounded search leaves an undecided property open")
  func bounded() throws {
    let explored = try Explored(
      Explored.counter,
      """
      explore("it", function()
        sometimes("full", function(s) return s.n == 3 end)
        always("small", function(s) return s.n < 9 end)
      end)
      """)
    var exploration = try #require(try explored.explorations().first)
    exploration.bounds.depth = 2
    let lines = try exploration.run().verdicts.map(\.line)
    #expect(
      lines == [
        "open    sometimes full: no state so far", "open    always small: not violated so far",
      ])
  }

  @Test(
    "an error in a property ends the exploration with its line",
    arguments: [
      (
        "always(\"x\", function(s) s.n = 1 end)",
        "a.explore.lua:3: always x: state.n: a script cannot change the state; only a reducer can"
      ),
      (
        "always(\"x\", function(s) local y = s.n end)",
        "a.explore.lua:3: always x returned nothing; end it with \"return\" and a condition"
      ),
      (
        "always(\"x\", function(s) return s.m end)",
        "a.explore.lua:3: always x: state has no field m"
      ),
      (
        "local k = 0 always(\"x\", function(s) k = k + 1 return true end)",
        "a.explore.lua:3: always x: it changes the local k, but must return the same result for the same state"
      ),
      (
        "local t = {} always(\"x\", function(s) t[1] = 1 return true end)",
        "a.explore.lua:3: always x: "
      ),
      (
        "always(\"x\", function(s) k = 1 return true end)",
        "a.explore.lua:3: always x: a property must not change anything, but this one sets the global k"
      ),
      ("step(\"x\", function(before, after) after.n = 1 end)", "a.explore.lua:3: step x: "),
    ])
  func faults(property: String, sentence: String) throws {
    let fault = try fault(property)
    #expect(fault.hasPrefix(sentence), "\(fault)")
  }

  @Test(
    "an invalid declaration of a property is reported at its line",
    arguments: [
      (
        "always(function(s) end)",
        "a.explore.lua:3: always needs a name: always(\"NAME\", function(s) ... end)"
      ),
      (
        "never(\"x\")",
        "a.explore.lua:3: never \"x\" needs a function: never(\"NAME\", function(s) ... end)"
      ),
      (
        "leads_to(\"x\", print)",
        "a.explore.lua:3: leads_to \"x\" needs two functions: leads_to(\"NAME\", "
          + "function(s) ... end, function(s) ... end, { fair = { \"ACTION\" } })"
      ),
      (
        "always(\"x\", print, {})",
        "a.explore.lua:3: explore \"it\": always x takes nothing after its "
          + "function"
      ),
      ("alwys(\"x\", print)", "a.explore.lua:3: global alwys is not defined; did you mean always?"),
      (
        "explore(\"two\", function() end)",
        "a.explore.lua:3: an exploration cannot be inside another one"
      ),
      (
        "eventually(\"x\", print, { fair = { \"rest\" } })",
        "a.explore.lua:3: explore \"it\": eventually x: "
          + "there is no action rest; did you mean reset?"
      ),
    ])
  func declarations(property: String, sentence: String) throws {
    let fault = try fault(property)
    #expect(fault.contains(sentence), "\(fault)")
  }

  @Test("an exploration must have a unique name and a table of options")
  func explorations() throws {
    #expect(
      try Explored.faults("explore(\"it\", {})\nexplore(\"it\", {})\nexplore(7)\nexplore(\"x\", 1)")
        == [
          "a.explore.lua:3: two explorations are named \"it\": here and at line 2",
          "a.explore.lua:4: an exploration needs a name: explore(\"NAME\", { actions = { ... } }, "
            + "function() ... end)",
          "a.explore.lua:5: explore \"x\": the options must be a table: explore(\"NAME\", "
            + "{ actions = { ... } }, function() ... end)",
        ])
  }

  @Test("an exploration file names its flow and has at least one exploration")
  func nothing() throws {
    #expect(
      try Explored.faults("-- nothing") == [
        "a.explore.lua:1: the file has no exploration: explore(\"NAME\", function() ... end)"
      ])
    #expect(
      try Explored.faults("flow \"flow.lua\"\nexplore(\"it\", {})") == [
        "a.explore.lua:2: the flow is named twice: here and at line 1"
      ])
  }
}
