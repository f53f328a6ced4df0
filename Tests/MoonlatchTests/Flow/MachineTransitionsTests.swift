import Testing

/// Transitions, wildcards and timers, and their errors.
@Suite struct MachineTransitionsTests {
  @Test("every form of a transition is read")
  func forms() throws {
    let machine = try readMachine(
      """
      state {} action.a {} action.b {} action.c {} action.d {} action.e {} action.f {} action.g {}
      local function yes() return true end
      machine.m {
        initial = "x",
        x = {
          a = "y", b = true, c = false, d = { refuse = "not now", when = yes },
          e = { when = yes }, f = { to = "x", reenter = true },
          g = { { to = "y.p", history = true }, { reduce = yes, reenter = true }, "x" },
        },
        y = { parallel = { "p", "q" }, p = { initial = "s", s = {}, t = {} },
          q = { initial = "s", s = {}, t = {} } },
        a = { to = { "y.p.t", "y.q.t" } },
        always = { { to = "y", when = yes } },
      }
      """)
    #expect(
      machine.transitions(of: "x") == [
        "a inner to y", "b stays", "c forbids", "d forbids when because not now", "e stays when",
        "f reenters to x", "g inner to y.p history shallow", "g reenters to x reduce",
        "g inner to x",
      ])
    #expect(machine.transitions(of: "") == ["a inner to y.p.t, y.q.t", "always inner to y when"])
  }

  @Test("a wildcard applies to every state that does not list the action")
  func wildcards() throws {
    let machine = try readMachine(
      """
      state {} action.go {} action["pay.cash"] {} action["pay.card"] {} action["pay.card.late"] {}
      action.other {}
      machine.m {
        initial = "a",
        a = { initial = "x", ["pay.*"] = "b", ["pay.card.*"] = false, ["pay.cash"] = true,
          x = {}, y = { ["*"] = true }, z = { go = "x" }, ["*"] = { go = "y", ["pay.card"] = "z" } },
        b = { ["*"] = { { to = "a", when = function(s) return true end }, false } },
      }
      """)
    #expect(
      machine.transitions(of: "a") == [
        "pay.card inner to b *", "pay.card.late forbids *", "pay.card.late inner to b *",
        "pay.cash stays", "pay.cash inner to b *",
      ])
    #expect(machine.transitions(of: "a.x") == ["go inner to a.y *", "pay.card inner to a.z *"])
    #expect(
      machine.transitions(of: "a.y") == [
        "go stays *", "pay.card stays *", "pay.card.late stays *", "pay.cash stays *",
      ])
    #expect(machine.transitions(of: "a.z") == ["go inner to a.x", "pay.card inner to a.z *"])
    #expect(machine.transitions(of: "b").count == 8)
    #expect(!machine.names("other"))
    #expect(
      machineFaults("machine.m { initial = \"a\", a = { go = \"a\", [\"pay.*\"] = true } }") == [
        "flow.lua:2: machine m: there is no action that begins with pay."
      ])
  }

  @Test("a transition to an invalid target is reported at its own line")
  func targets() {
    #expect(
      machineFaults(
        """
        machine.m {
          initial = "a",
          a = { parallel = { "l", "r" },
            l = { initial = "x", x = {
              go = "r.y",
              stop = { to = "x", history = true },
              tick = "l.zz" } },
            r = { initial = "y", y = { go = "a" },
              z = { go = {
                { to = { "l.x", "y" } },
                "yy" } } },
            stop = "l.x" },
          b = { go = {
            to = { "a.l.x", "a.l" } }, tick = "b" },
          tick = { to = { "a.l.x", "a.r.z" } },
        }
        """) == [
          "flow.lua:6: machine m: a.l.x.go leads from one region of a into another; list it in r",
          "flow.lua:7: machine m: a.l.x.stop: history needs states inside a.l.x, and it has none",
          "flow.lua:8: machine m: a.l.x.tick leads to l.zz, which is not a state of this machine",
          "flow.lua:11: machine m: a.r.z.go leads from one region of a into another; list it in l",
          "flow.lua:12: machine m: a.r.z.go leads to yy, which is not a state of this machine",
          "flow.lua:15: machine m: b.go leads to a.l and a.l.x at once, which are not in two regions of one parallel state",
        ])
  }

  @Test("an invalid transition is an error that says what is allowed")
  func shapes() {
    #expect(
      machineFaults(
        """
        machine.m {
          initial = "a",
          a = {
            go = { reenter = true },
            stop = { history = true },
            tick = { to = "a", history = "shallow" },
          },
          b = {
            go = { refuse = 3 },
            stop = { refuse = "no", to = "a" },
            tick = { reduce = function() end, history = true },
            always = true,
          },
          c = {
            go = { to = {} },
            stop = { to = { "a", 1 } },
            tick = { to = "a", reduce = 7 },
          },
          go = 3, stop = "b", tick = { "b", "c" },
        }
        """) == [
          "flow.lua:5: machine m: a.go has only reenter; add to, the state that it leads to",
          "flow.lua:6: machine m: a.stop has only history; add to, the state that it leads to",
          "flow.lua:7: machine m: a.tick: history must be true or \"deep\", not shallow",
          "flow.lua:10: machine m: b.go: refuse must be the reason, a string",
          "flow.lua:11: machine m: b.stop refuses, so it cannot have to",
          "flow.lua:12: machine m: b.tick: history needs to, the state that is entered",
          "flow.lua:13: machine m: b.always needs a target: a state's name, or a table with to",
          "flow.lua:16: machine m: c.go: to must be the name of a state",
          "flow.lua:17: machine m: c.stop: to must be the name of a state",
          "flow.lua:18: machine m: c.tick: reduce must be a function of (s, a)",
          "flow.lua:20: machine m: go is a state and must be a table",
        ])
  }

  @Test("delays are numbers of seconds, texts or functions, and timed transitions need no action")
  func timers() throws {
    let machine = try readMachine(
      """
      state {} action.go {} action.stop {}
      machine.m {
        initial = "a",
        a = { initial = "x", x = { after = { stop = "1h30m" }, stop = true },
          after = { go = 3, { "150ms", "b" }, { function(s) return 1 end, { to = "b",
            when = function(s) return true end } } },
          every = { { 0.5, { reduce = function(s) end } } } },
        b = { every = { go = "3d" }, go = "a" },
      }
      """)
    let timers = machine.chart.states.flatMap(\.timers)
    #expect(
      timers.map { timer in
        switch timer.delay {
        case .seconds(let seconds): "\(seconds)"
        case .workedOut: "worked out"
        }
      } == ["3.0", "0.15", "0.5", "worked out", "5400.0", "259200.0"])
    #expect(timers.map(\.repeats) == [false, false, true, false, false, true])
    #expect(
      machine.transitions(of: "a") == [
        "timer 1 inner to b", "timer 2 stays reduce", "timer 3 inner to b when",
      ])
  }

  @Test("an invalid timer is an error that says what is allowed")
  func wrongTimers() {
    #expect(
      machineFaults(
        """
        machine.m {
          initial = "a",
          a = {
            after = { go = "3 days", { 20 } }, go = "b",
            every = { tick = 0, { 1, false } },
          },
          b = { initial = "x", after = { stop = 1 }, stop = "a",
            x = { every = { stop = 2 },
              effect = { run = print, on_eror = "go", on_error = "goo" } },
          },
        }
        """) == [
          "flow.lua:5: machine m: a.after.go takes 0 or more seconds, or a string such as \"1h30m\" "
            + "(of w, d, h, m, s and ms), or a function of s, not \"3 days\"",
          "flow.lua:5: machine m: a.after[1] takes a delay and a transition: { 20, \"state\" }",
          "flow.lua:6: machine m: a.every.tick takes more than 0 seconds",
          "flow.lua:6: machine m: a.every[1] needs a target: a state's name, or a table with to",
          "flow.lua:9: machine m: b.x.every.stop repeats a timer of b, which contains it",
          "flow.lua:10: machine m: b.x.effect: unknown key on_eror; it takes run, on_done, on_error, durable",
          "flow.lua:10: machine m: there is no action goo; did you mean go?",
        ])
  }
}
