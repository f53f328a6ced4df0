import Testing

/// Errors in nested states and regions.
@Suite struct MachineStructureTests {
  @Test("a state with substates, and a machine, must name the initial one")
  func initial() {
    #expect(
      machineFaults(
        """
        machine.m {
          initial = "a.x",
          a = {
            x = { go = "y" },
            y = {},
          },
          b = { initial = "z", go = "a" },
        }
        machine.n {
          initial = "a",
          a = {
            initial = "yy",
            x1 = {}, y1 = { go = "x1" },
          },
        }
        """) == [
          "flow.lua:4: machine m: a has states inside and no initial state: initial = \"x\"",
          "flow.lua:8: machine m: b: initial names a state inside, and there is none",
          "flow.lua:13: machine n: a: the initial state yy does not exist",
        ])
    #expect(
      machineFaults("machine.m { a = { initial = \"x\", x = { go = \"x\" } } }") == [
        "flow.lua:2: machine m has no initial state: initial = \"a\""
      ])
  }

  @Test("parallel must list every region exactly once")
  func parallel() {
    #expect(
      machineFaults(
        """
        machine.m {
          parallel = { "left", "rihgt", "left" },
          left = { go = true },
          right = { stop = true },
        }
        """) == [
          "flow.lua:3: machine m: parallel lists left twice",
          "flow.lua:3: machine m: parallel lists rihgt, and there is no such state inside; did you mean right?",
          "flow.lua:5: machine m: right is a state that parallel = { ... } must list too",
        ])
    #expect(
      machineFaults(
        """
        machine.m { initial = "a", a = { initial = "x", parallel = { "x" }, x = { go = true } } }
        machine.n { initial = "a", a = { parallel = 3, y = { go = true } } }
        """) == [
          "flow.lua:2: machine m: a: initial cannot be combined with parallel, whose states are all active",
          "flow.lua:3: machine n: a.parallel must list the names of states that are active together: { \"a\", \"b\" }",
          "flow.lua:3: machine n: a: y is a state that parallel = { ... } must list too",
        ])
  }

  @Test("a region's field must differ from all other fields, machines and regions")
  func fields() {
    #expect(
      machineFaults(
        """
        machine.m {
          parallel = { "total", "other" },
          total = { go = true },
          other = {
            initial = "x",
            x = { parallel = { "o", "k" }, o = { stop = true },
              k = { tick = true } },
          },
        }
        machine.o { initial = "a", a = { go = true } }
        machine.p {
          parallel = { "k" },
          k = { go = true },
        }
        """) == [
          "flow.lua:4: machine m: region total has the same name as the field state.total (flow.lua:1); each region needs its own field in the state",
          "flow.lua:7: machine m: region other.x.o has the same name as machine o (flow.lua:11); each region needs its own field in the state",
          "flow.lua:14: machine p: region k has the same name as region other.x.k of machine m (flow.lua:8); each region needs its own field in the state",
        ])
  }

  @Test("a final state has no outgoing transitions and no substates, but may have internal ones")
  func final() throws {
    #expect(
      machineFaults(
        """
        machine.m {
          initial = "a",
          a = { go = "b", initial = "x", x = { go = "y" },
            y = { final = true,
              stop = "x" } },
          b = { go = true, stop = { refuse = "it is over" }, tick = "b",
            final = true },
          c = {
            final = true, initial = "z", z = {} },
          go = "c",
        }
        """) == [
          "flow.lua:6: machine m: a.y is final and cannot have transitions that leave it; it lists stop",
          "flow.lua:10: machine m: c is final and has states inside: only the state inside that ends it can be final",
        ])
    let machine = try readMachine(
      """
      state {} action.go {} action.stop {}
      machine.m { initial = "a", a = {}, b = { final = true, stop = true }, go = "b", stop = "a",
        always = { to = "b", when = function(s) return false end } }
      """)
    #expect(machine.transitions(of: "") == ["go inner to b", "stop inner to a"])
    #expect(machine.transitions(of: "a") == ["always inner to b when *"])
    #expect(machine.transitions(of: "b") == ["stop stays", "go forbids *", "stop forbids *"])
  }

  @Test("a reserved word of machines as a name is an error that says so")
  func words() {
    let words =
      "; the keywords of machines are after, always, each, effect, every, field, final, history, initial, on_done, "
      + "on_enter, on_exit, parallel, postpone, reduce, refuse, which, which_in, without"
    #expect(
      machineFaults(
        """
        machine.m {
          initial = "a",
          a = { always = { go = "b" } },
          b = {
            initial = "each",
            each = { go = "a" },
            reduce = { go = "a" },
          },
          each = { go = "a" },
          on_enter = { go = "a" },
        }
        """) == [
          "flow.lua:4: machine m: a.always takes a state's name, a table with to, or a list of such tables",
          "flow.lua:7: machine m: b.each: a state cannot have the name each" + words,
          "flow.lua:8: machine m: b.reduce: a state cannot have the name reduce" + words,
          "flow.lua:10: machine m: each: a state cannot have the name each" + words,
          "flow.lua:11: machine m: on_enter: a state cannot have the name on_enter" + words,
        ])
    #expect(
      machineFaults(
        """
        machine.m { initial = "a", a = { always = "b" }, b = { go = "a" } }
        machine.n { initial = "a", x = { to = "b" }, a = { go = "b" }, b = { go = "a" } }
        machine.o { initial = "a", a = { to = "b", when = "b" }, b = { to = "a" } }
        """, actions: "go always to when") == [
          "flow.lua:2: machine m: a: no action of machines can be named always, which is a keyword: rename action always",
          "flow.lua:3: machine n: there is no action x; if x is a state, an action in it cannot have the name to",
          "flow.lua:4: machine o: a: an action in a state cannot have the name to, which is a keyword of transitions "
            + "(to, when, reduce, reenter, history, refuse, restart_timer); rename the action",
        ])
  }

  @Test("a transition with a misspelt word is not read as a state")
  func mistaken() {
    #expect(
      machineFaults(
        """
        machine.m {
          initial = "a",
          a = { go = { too = "b" },
            stop = {} },
          b = { initial = "x", x = { go = "a" },
            tick = { when = 3 } },
        }
        """) == [
          "flow.lua:4: machine m: a: go is an action; a transition takes to, when, reduce, reenter, history, restart_timer, refuse",
          "flow.lua:5: machine m: a: stop is an action; write true",
          "flow.lua:7: machine m: b.tick.when takes a state's name, a table with to, or a list of such tables",
          "flow.lua:7: machine m: b: tick is an action; write true",
        ])
  }

  @Test("on_done needs something inside that can finish")
  func done() {
    #expect(
      machineFaults(
        """
        machine.m {
          initial = "a",
          a = { on_done = "b", initial = "x", x = { go = "y" }, y = { go = "x" } },
          b = { parallel = { "p", "q" }, p = { initial = "x", x = { go = "y" }, y = { final = true } },
            q = { go = true },
            on_done = "a" },
          c = { on_done = "a", go = "a", stop = "c" },
          go = { to = "b", when = function(s) return true end },
        }
        """) == [
          "flow.lua:4: machine m: a.on_done is never taken: no state inside it is final",
          "flow.lua:7: machine m: b.on_done is never taken: not all of its regions have a final state",
          "flow.lua:8: machine m: c.on_done is never taken: no state inside it is final",
        ])
  }

  @Test("a cycle of unguarded always transitions is an error")
  func circles() {
    #expect(
      machineFaults(
        """
        machine.m {
          initial = "a", go = "a",
          a = { always = "b" },
          b = { initial = "x", x = { always = { { to = "a", when = function(s) return true end },
            "c" } } },
          c = {
            always = { to = "a", reduce = function(s) end } },
        }
        machine.n { initial = "a", a = { go = "b" }, b = { always = "c" }, c = { stop = "a" } }
        """) == [
          "flow.lua:4: machine m: always leads in an endless cycle without a condition: a -> b.x -> c -> a"
        ])
  }

  @Test("a cycle across regions and on_done is found, unless a substate leads out of it first")
  func circlesOfRounds() {
    #expect(
      machineFaults(
        """
        machine.m { initial = "a",
          a = { always = "p" },
          p = { parallel = { "l", "r" }, on_done = "a",
            l = { initial = "e", e = { final = true } },
            r = { initial = "f", f = { final = true } } } }
        machine.n { initial = "a",
          a = { always = "p" },
          p = { parallel = { "s", "t" },
            s = { initial = "x", x = { always = "a" } }, t = { initial = "y", y = {} } } }
        machine.o { initial = "a", a = { always = "q" },
          q = { initial = "i", always = "a", i = { always = "b" } }, b = { go = "a" } }
        """) == [
          "flow.lua:3: machine m: always leads in an endless cycle without a condition: a -> p -> a",
          "flow.lua:8: machine n: always leads in an endless cycle without a condition: a -> p.s.x -> a",
        ])
  }
}
