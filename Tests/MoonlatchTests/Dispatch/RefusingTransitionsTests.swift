import Testing

/// The reason for a refusal by several transitions.
@Suite struct RefusingTransitionsTests {
  /// A machine with these ways for `go`, listed inside and around, alone or in a region beside another.
  private static func flow(_ inside: String, _ around: String, inRegion: Bool) -> String {
    let states =
      "initial = \"out\", out = { initial = \"a\", a = { go = \(inside) }, go = \(around) }, b = {}"
    return """
      action.go {}
      action.other {}
      local function silent() return false end
      local function says(why) return function() return false, why end end
      machine.m { \(inRegion ? "parallel = { \"one\", \"two\" }, one = { \(states) }, two = { initial = \"x\", x = { other = true } }" : states) }
      """
  }

  @Test(
    "the last refusing transition with a reason is reported, in one region or across several",
    arguments: [
      ("{ to = \"b\", when = says \"first\" }", "false", "first"),
      ("{ to = \"b\", when = says \"first\" }", "{ refuse = \"second\" }", "second"),
      ("{ to = \"b\", when = says \"first\" }", "{ to = \"b\", when = silent }", "first"),
      ("{ to = \"b\", when = says \"first\" }", "{ to = \"b\", when = says \"second\" }", "second"),
      (
        "{ { to = \"b\", when = says \"first\" }, { to = \"b\", when = silent } }", "false", "first"
      ),
      (
        "{ { to = \"b\", when = silent }, { to = \"b\", when = says \"first\" }, false }", "\"b\"",
        "first"
      ),
      ("{ refuse = \"first\" }", "\"b\"", "first"),
    ])
  func told(inside: String, around: String, reason: String) throws {
    for inRegion in [false, true] {
      let trial = try Trial(Self.flow(inside, around, inRegion: inRegion))
      #expect(try trial.play("go") == "refused by machine m: \(reason)", "\(inRegion)")
    }
  }

  @Test("without any reason, the refusal says where the action is possible")
  func silent() throws {
    for inRegion in [false, true] {
      let trial = try Trial(
        Self.flow("{ to = \"b\", when = silent }", "false", inRegion: inRegion))
      #expect(
        try trial.play("go").hasPrefix("refused by machine m: go is not possible in "),
        "\(inRegion)")
    }
  }

  @Test("a refusing transition is reported with its own line")
  func line() throws {
    let trial = try Trial(
      """
      action.go {}
      action.stop {}
      action.wait {}
      machine.m { initial = "a",
        a = {
          go = { refuse = "no" },
          stop = {
            { to = "b", when = function() return false end },
            {
              refuse = "never",
            },
          },
        },
        ["*"] = { wait = { refuse = "not now" } },
        b = {},
      }
      """)
    for (action, line) in [("go", 6), ("stop", 10), ("wait", 14)] {
      guard case .refused(let refusal) = try trial.host.dispatch(action) else {
        Issue.record("\(action) passed")
        continue
      }
      #expect(refusal.place.line == line, "\(action)")
    }
  }
}
