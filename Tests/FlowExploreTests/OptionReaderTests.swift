import FlowExplore
import Testing

/// Errors in the options of an exploration: all are reported at once, each at its line.
@Suite("Options of explorations")
struct OptionReaderTests {
  /// Faults of options, without what they begin with; each option stands on line 3.
  private func faults(_ option: String) throws -> [String] {
    let text = "explore(\"it\", { actions = { paint = false },\n  \(option),\n})"
    return try told(text)
  }

  private func faults(actions: String) throws -> [String] {
    try told("explore(\"it\", { actions = {\n  \(actions),\n} })")
  }

  private func told(_ text: String, of flow: String = Explored.flow) throws -> [String] {
    try Explored.faults(text, of: flow).map {
      $0.replacing("a.explore.lua:", with: "").replacing("explore \"it\": ", with: "")
    }
  }

  @Test(
    "the actions option is checked against the flow",
    arguments: [
      ("opne = {}", "3: there is no action opne; did you mean open?"),
      (
        "open = 1",
        "3: action open needs lists of values by field, a list of complete payloads, or "
          + "false: open = { FIELD = { ... } }"
      ),
      ("open = { bye = { 1 } }", "3: action open has no field bye; did you mean by?"),
      ("shut = { by = { 1 } }", "3: action shut has no field by; it has none"),
      (
        "open = { by = 1 }",
        "3: action open: the values of by must be a list: by = { ... } (to exclude the "
          + "action: open = false)"
      ),
      ("open = { by = { 3 } }", "3: action open: by must be an integer from 1 to 2, got 3"),
      (
        "open = { { by = 1 }, { by = 7 } }",
        "3: action open: by must be an integer from 1 to 2, got 7"
      ),
      (
        "open = { 1, 2 }",
        "3: action open: a payload must be a table of fields: open = { { FIELD = value } }"
      ),
      (
        "open = { by = { print } }", "3: open.by contains a function; a payload contains plain data"
      ),
      (
        "loaded = { n = { 1 } }",
        "3: action loaded is internal, so it is never dispatched from outside; list "
          + "results of effects under effects"
      ),
    ])
  func actions(said: String, sentence: String) throws {
    let faults = try faults(actions: "paint = false, " + said)
    #expect(faults.first == sentence)
  }

  @Test(
    "an invalid option is an error that says which values it accepts",
    arguments: [
      (
        "withn = 1",
        "3: there is no option withn; did you mean within? (it takes actions, given, within, "
          + "ends, alike, effects, random, time)"
      ),
      ("within = 2", "3: within must be a function: within = function(s) return ... end"),
      ("ends = \"open\"", "3: ends must be a function: ends = function(s) return ... end"),
      (
        "given = { open = true }",
        "3: given must be a list of partial states: given = { {}, { FIELD = "
          + "value } }"
      ),
      (
        "given = { { opne = true } }",
        "3: given does not fit: state has no field opne; did you mean open?"
      ),
      ("given = { { open = print } }", "3: given contains a function; a state contains plain data"),
      ("random = 1", "3: random must list results of random(): random = { 0, 0.5 }"),
      ("random = { 1 }", "3: random() returns numbers from 0 to less than 1, not 1"),
      (
        "alike = { by = { 1 } }",
        "3: alike.by must list two or more strings, or integers: by = { 1, 2, 3 }"
      ),
      (
        "alike = { by = { 1, \"a\" } }",
        "3: alike.by must list two or more strings, or integers: by = { 1, 2, 3 }"
      ),
      ("alike = { by = { 1, 1 } }", "3: alike.by lists a value twice"),
      (
        "alike = { by = { 1, 2, 3, 4, 5, 6, 7, 8, 9 } }",
        "3: alike.by lists 9 values, and may list at most 8: list 8 of them, or explore with fewer"
      ),
      (
        "alike = { by = { 1, 2, 3, 4, 5, 6, 7, 8 }, n = { 1, 2 } }",
        "3: alike: these values have 80,640 permutations, and may have at most 40,320: "
          + "list fewer of them"
      ),
      (
        "alike = { bye = { 1, 2 } }",
        "3: alike: no action has a field bye; did you mean by?; fields = { ... } names those that hold "
          + "these values"
      ),
      (
        "alike = { by = { 1, 2, att = {} } }",
        "3: alike.by has no att; did you mean at? (it takes at and fields)"
      ),
      (
        "alike = { by = { 1, 2, at = 1 } }",
        "3: alike.by.at must list strings: at = { \"rm[by]\", \"owner = by\", \"queue[*] = by\" }"
      ),
      (
        "alike = { by = { 1, 2, at = { \"log\" } } }",
        "3: alike.by: \"log\" is not a place of such values: write rm[by] if they are keys, "
          + "owner = by for a field, queue[*] = by for the elements of a list"
      ),
      (
        "alike = { by = { 1, 2, at = { \"lgo[by]\" } } }",
        "3: alike.by: there is no field state.lgo; did you mean log?"
      ),
      ("time = { upto = 3 }", "3: time has no upto; did you mean up_to?"),
      ("time = { up_to = 0 }", "3: time.up_to must be a number of seconds above 0"),
      ("time = { step = \"5\" }", "3: time.step must be a number of seconds above 0"),
      ("effects = { lod = {} }", "3: there is no effect lod"),
      (
        "effects = { at_most = 0 }",
        "3: effects.at_most must be how many effects may run at once: 1 or "
          + "more"
      ),
    ])
  func others(said: String, sentence: String) throws {
    let faults = try faults(said)
    #expect(faults.contains(sentence), "\(faults)")
  }

  @Test("errors of several explorations are reported together, each at its line")
  func all() throws {
    #expect(
      try Explored.faults(
        """
        explore("one", {
          actions = { paint = false, opne = {} },
          within = true,
        })
        explore("two", { actions = {
          paint = { color = 1 },
        } })
        """) == [
          "a.explore.lua:3: explore \"one\": there is no action opne; did you mean open?",
          "a.explore.lua:4: explore \"one\": within must be a function: within = function(s) return ... end",
          "a.explore.lua:7: explore \"two\": action paint: the values of color must be a list: color = { ... } "
            + "(to exclude the action: paint = false)",
        ])
  }

  @Test("an action whose payloads are infinite must be listed")
  func missing() throws {
    let fault = try told("explore(\"it\", {})").first
    #expect(
      fault?.hasPrefix("flow.lua:4: action paint: field color has no samples") == true,
      "\(fault ?? "")")
  }

  @Test("payloads are the product of field values, a list of complete payloads, or none")
  func payloads() throws {
    let two = try Explored.report("explore(\"it\", { actions = { up = { by = { 1 } } } })")
    let whole = try Explored.report("explore(\"it\", { actions = { up = { { by = 1 } } } })")
    let none = try Explored.report("explore(\"it\", { actions = { up = false } })")
    #expect([two.states, whole.states, none.states] == [6, 6, 1])
  }

  @Test("an exploration starts in each given initial state, including states of machines")
  func given() throws {
    let report = try Explored.report("explore(\"it\", { given = { {}, { n = 3 } } })")
    let alone = try Explored.report("explore(\"it\", { given = { { n = 3 } } })")
    #expect([report.states, report.depth] == [7, 5])
    #expect([alone.states, alone.depth] == [7, 6])
    let machine = try Explored.report(
      "explore(\"it\", { given = { { door = \"open\" } } }, function()"
        + " never(\"open\", function(s) return s.door == \"open\" end) end)",
      of:
        "machine.door { initial = \"shut\", shut = { pull = \"open\" }, open = { slam = \"shut\" } }\n"
        + "action.slam {}\naction.pull {}")
    #expect(machine.states == 2)
    #expect(machine.verdicts.first?.steps == ["given { door = \"open\" }"])
    #expect(
      machine.findings.first?.scenario(flow: "flow.lua")?.contains("given { door = \"open\" }")
        == true)
  }

  @Test("bounds that exclude the initial state are an error")
  func nowhere() throws {
    let said = try Explored.faults(
      "explore(\"it\", { within = function(s) return s.n > 0 end }, function() end)",
      of: Explored.counter)
    #expect(
      said.joined().contains(
        "2: within returns false in every initial state, so there is nothing to explore"))
  }

  @Test("properties are checked in a state outside of the bounds, which is not explored further")
  func within() throws {
    let report = try Explored.report(
      """
      explore("it", { within = function(s) return s.n < 2 end }, function()
        never("two", function(s) return s.n == 2 end)
      end)
      """)
    #expect(report.states == 2)
    #expect(report.verdicts.first?.steps?.count == 1)
  }

  @Test("an end state may be without outgoing transitions")
  func ends() throws {
    let stuck = "explore(\"it\", { actions = { reset = false } })"
    let ended =
      "explore(\"it\", { actions = { reset = false }, ends = function(s) return s.n == 3 end })"
    #expect(try Explored.report(stuck).findings.count == 1)
    #expect(try Explored.report(ended).findings.isEmpty)
  }
}
