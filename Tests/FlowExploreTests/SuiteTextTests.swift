import FlowExplore
import Testing

/// Suites of scenarios that cover all behaviours of a flow.
@Suite("Suites")
struct SuiteTextTests {
  static let kiosk = """
    state { coins = 0, last = optional(integer), log = list_of(integer), waits = false }
    action.coin { by = integer { min = 1, max = 2 } }
    action.draw {}
    action.ask {}
    action.open {}
    action.shut {}
    internal.told { text = string { samples = { "yes" } } }
    machine.door {
      initial = "shut",
      shut    = { open = "opened" },
      opened  = { open = "opened", shut = "shut", after = { shut = 5 } },
    }
    function gate.coin(s, a) return s.coins + a.by <= 2, "it is full" end
    function reduce.coin(s, a) s.coins = s.coins + a.by end
    function gate.draw(s) return s.coins == 2 and #s.log < 2, "there is nothing" end
    function reduce.draw(s)
      s.last, s.coins = random(1, 3), 0
      if s.last == 3 then table.insert(s.log, 3) end
    end
    function gate.ask(s) return not s.waits end
    function reduce.ask(s) s.waits = true end
    function effect.ask(self) dispatch.told { text = self:question() } end
    function reduce.told(s) s.waits = false end
    """

  static func suite(_ flow: String, _ text: String = "explore(\"it\")") throws -> (Suite, String) {
    let explored = try Explored(flow, text)
    var exploration = try #require(try explored.explorations().first)
    var found: Suite?
    exploration.finished = { found = try Suite($0) }
    _ = try exploration.run()
    let suite = try #require(found)
    return (suite, suite.text(flow: "flow.lua"))
  }

  @Test("a suite has a header, and each step expects its changes")
  func text() throws {
    let (suite, text) = try SuiteTextTests.suite(Explored.counter)
    #expect(suite.behaviours == 5)
    #expect(
      text == """
        -- Written by moonlatch explore.
        -- Every behaviour that was found. Without the line above, this file is not overwritten.
        flow "flow.lua"

        scenario("up writes n; up writes n and seen; reset writes n", function()
          refuse.reset():by("gate reset"):because("it is not full")
          pass.up { by = 1 }
          expect.change { n = 1 }
          pass.up { by = 1 }
          expect.change { n = 2, seen = true }
          refuse.up { by = 2 }:by("gate up"):because("that is too much")
          pass.up { by = 1 }
          expect.change { n = 3 }
          pass.reset()
          expect.change { n = 0 }
        end)

        """)
  }

  @Test("timers, effects and random numbers are written with the words of the scenario language")
  func words() throws {
    let (_, text) = try SuiteTextTests.suite(SuiteTextTests.kiosk)
    #expect(text.contains("  stub.effect.ask()\n"))
    #expect(
      text.contains(
        "  finish.ask(\"told\", { text = \"yes\" })\n  expect.change { waits = false }\n"))
    #expect(text.contains("  advance(5)\n  -- followed by shut\n  expect { door = \"shut\" }\n"))
    #expect(text.contains("  given.random { 3"))
  }

  @Test("an effect that never starts in the suite is not stubbed")
  func silent() throws {
    let (_, text) = try SuiteTextTests.suite(
      """
      state { n = 0 }
      action.one {}
      action.two {}
      function gate.one(s) return s.n == 0 end
      function reduce.one(s) s.n = 1 end
      function gate.two(s) return false, "never" end
      function effect.one(self) self:tell() end
      function effect.two(self) self:tell() end
      """)
    #expect(text.contains("stub.effect.one()"))
    #expect(!text.contains("stub.effect.two()"))
  }

  @Test("given states start a scenario")
  func given() throws {
    let (_, text) = try SuiteTextTests.suite(
      Explored.counter, "explore(\"it\", { given = { { n = 3 } } })")
    #expect(text.contains("function()\n  given { n = 3 }\n"))
  }

  @Test("each target of a history transition is a behaviour")
  func history() throws {
    let (suite, text) = try SuiteTextTests.suite(
      """
      action.power {}
      action.play {}
      machine.player {
        initial = "off",
        off = { power = { to = "on", history = true } },
        on  = { power = "off", initial = "stopped", stopped = { play = "playing" }, playing = {} },
      }
      """)
    // Off and on in two ways each, playing, and play refused in off and in on.
    #expect(suite.behaviours == 6)
    #expect(text.contains("power takes player from off to on (stopped)"))
    #expect(text.contains("  pass.power()\n  expect.change { player = \"on.playing\" }\n"))
  }

  @Test("a transition that violates an invariant is in no suite")
  func broken() throws {
    let (suite, text) = try SuiteTextTests.suite(
      """
      state { n = 0 }
      action.up {}
      action.bad {}
      function gate.up(s) return s.n == 0 end
      function reduce.up(s) s.n = 1 end
      function reduce.bad(s) s.n = 7 end
      function invariant.small(s) return s.n < 5 end
      """)
    #expect(suite.behaviours == 2)
    #expect(!text.contains("bad"))
  }

  @Test("after a record is removed, nothing is expected of its fields")
  func gone() throws {
    let (_, text) = try SuiteTextTests.suite(
      """
      state { who = optional({ id = integer, name = string }) }
      action.come {}
      action.go {}
      function gate.come(s) return not s.who end
      function gate.go(s) return s.who end
      function reduce.come(s) s.who = { id = 1, name = "ann" } end
      function reduce.go(s) s.who = nil end
      """)
    #expect(text.contains("  expect.change { [\"who.id\"] = 1, [\"who.name\"] = \"ann\" }\n"))
    #expect(text.contains("  expect.change { who = none }\n"))
  }
}
