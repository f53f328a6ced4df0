import Testing

/// Errors in machines are reported at their own line, not at the start of the machine.
@Suite struct MachineReaderTests {
  private func faults(of machine: String, before: String = "") -> [String] {
    MoonlatchTests.faults(
      of: before + """
        state { n = 0 }
        action.go {} action.stop {}
        \(machine)
        """)
  }

  @Test(
    "a transition to an unknown state, or for an undeclared action, is reported at its own line")
  func transitions() {
    #expect(
      faults(
        of: """
          machine.m {  -- go, stop: names in a comment are none
            initial = "a",
            a = {
              on_enter = function(s) s.n = 1; if s.n then local go = { gone = 1 } end end,
              go = "b",
              gone = "b",
            },
            b = {
              go = "c",
              stop = { { to = "a", when = function(s) return s.n == 0 end },
                { to = "nowhere" } },
              ["go on"] = "a",
            },
            d = {
              stop = {
                when = function(s) return s.n == 0 end,
                to = "far",
              },
            },
          }
          """) == [
          "flow.lua:8: machine m: there is no action gone",
          "flow.lua:11: machine m: b.go leads to c, which is not a state of this machine",
          "flow.lua:13: machine m: b.stop leads to nowhere, which is not a state of this machine",
          "flow.lua:14: machine m: there is no action go on",
          "flow.lua:16: machine m: no transition leads to d from a",
          "flow.lua:19: machine m: d.stop leads to far, which is not a state of this machine",
        ])
  }

  @Test("an error in a state is reported at its line")
  func states() {
    #expect(
      faults(
        of: """
          machine.m {
            initial = "a",
            a = {
              go = { to = "b", wen = 1 },
              stop = {
                "b",
                { to = 3 },
              },
              after = {
                go = "soon",
              },
              on_exit = 7,
            },
            b = {
              final = true,
              go = "a",
            },
            c = {
            },
          }
          """) == [
          "flow.lua:6: machine m: a.go: unknown key wen; a transition takes to, when, reduce, reenter, history, restart_timer, refuse",
          "flow.lua:9: machine m: a.stop: to must be the name of a state",
          "flow.lua:12: machine m: a.after.go takes 0 or more seconds, or a string such as \"1h30m\" "
            + "(of w, d, h, m, s and ms), or a function of s, not \"soon\"",
          "flow.lua:14: machine m: a.on_exit must be a function of (s, a)",
          "flow.lua:18: machine m: b is final and cannot have transitions that leave it; it lists go",
          "flow.lua:20: machine m: no transition leads to c from a",
        ])
  }

  @Test("an unknown initial state is reported at the line that names it")
  func initial() {
    #expect(
      faults(
        of: """
          machine.m {
            a = { go = "a" },

            initial = "b",
          }
          """) == [
          "flow.lua:6: machine m: the initial state b does not exist"
        ])
    #expect(
      faults(of: "machine.m {\n  a = { go = \"a\" },\n}") == [
        "flow.lua:3: machine m has no initial state: initial = \"a\""
      ])
  }

  @Test("an error in a table written elsewhere is reported at the declaration")
  func elsewhere() {
    #expect(
      faults(
        of: """
          local ways = {
            go = "c",
          }
          machine.m { initial = "a", a = ways }
          """) == ["flow.lua:6: machine m: a.go leads to c, which is not a state of this machine"])
    #expect(
      faults(
        of: """
          local function declare(name, states)
            machine[name](states)
          end
          declare("m", {
            initial = "a",
            a = { go = "c" },
          })
          """) == ["flow.lua:4: machine m: a.go leads to c, which is not a state of this machine"])
  }

  @Test("two machines on one line, and one in brackets, have their own lines")
  func neighbours() {
    #expect(
      faults(
        of: """
          machine.a { initial = "x", x = { go = "x" } } machine["b c"] { initial = "x",
            x = { go = "x" },
            [ [[*]] ] = { stop = "z" } }
          """) == [
          "flow.lua:5: machine b c: *.stop leads to z, which is not a state of this machine"
        ])
  }
}
