import FlowHosting
import FlowKernel
import Testing

/// Rules of ContractOfHosts.md, section 10, as sentences with a test each.
@Suite("time and randomness") struct TimeAndChanceDesignTests {
  @Test("One clock a host, real or virtual, in whole microseconds.")
  func clock() throws {
    let trial = try Trial("state { at = 0.0 } action.go {} function reduce.go(s) s.at = now() end")
    try trial.advance(0.000_000_4)
    try trial.play("go")
    #expect(try trial.state("at") == 0.0)
    try trial.advance(0.000_001_6)
    try trial.play("go")
    #expect(try trial.state("at") == 0.000_002)
    #expect(try trial.host.commits.last?.microseconds == 2)
    let real = try FlowHost(
      source: "state { at = 0.0 } action.go {} function reduce.go(s) s.at = now() end")
    try real.dispatch("go")
    let first = try #require(try real.commits.last?.microseconds)
    try real.dispatch("go")
    #expect(try #require(try real.commits.last?.microseconds) >= first)
    #expect(throws: HostError.self) { try real.advance(1) }
  }

  @Test(
    """
    `now()` is the time at which the action was taken from the queue, in seconds; scenarios start at \
    0; in views and invariants it is an error.
    """)
  func now() throws {
    let trial = try Trial(
      """
      state { first = none, second = none, ok = true } action.go {} action.later {} action.break_it {}
      function gate.go() return now() >= 0 end
      function reduce.go(s) s.first = now() s.second = now() end
      function effect.go() print(now()) sleep(1.5) print(now()) dispatch.later() end
      function reduce.later(s) s.second = now() end
      function view.at() return now() end
      function invariant.i(s) return s.ok or now() end
      function reduce.break_it(s) s.ok = false end
      """)
    try trial.play("go")
    #expect(try trial.state("first") == 0.0)
    #expect(try trial.state("second") == 0.0)
    try trial.advance(5)
    #expect(try trial.state("second") == 1.5)
    #expect(trial.printed.all == ["0.0", "1.5"])
    #expect { try trial.host.view("at") } throws: { "\($0)".contains("a view has no clock") }
    #expect(try trial.play("break_it").contains("an invariant has no clock"))
  }

  @Test(
    """
    `random()` in reducers, `on_enter` and `on_exit` draws from the generator in the state and rolls \
    back with it; in effects from a second one, seeded with the run; elsewhere it is an error.
    """)
  func random() throws {
    let flow = """
      state { rolls = list {} } action.roll { fails = boolean { default = false } } action.draw {}
      action.go {} action.ruled {}
      function reduce.roll(s, a) s.rolls[#s.rolls + 1] = random(1000) if a.fails then error("no") end end
      function effect.draw() print(random(1000)) end
      machine.m { initial = "a",
        a = { go = "b", on_exit = function(s) s.rolls[#s.rolls + 1] = random(1000) end },
        b = { on_enter = function(s) s.rolls[#s.rolls + 1] = random(1000) end } }
      function gate.ruled() return random() < 2 end
      function view.v() return random() end
      """
    let one = try Trial(flow, seed: 1)
    let two = try Trial(flow, seed: 1)
    try one.play("roll", ["fails": true])
    try one.play("draw")
    for trial in [one, two] {
      try trial.play("roll")
      try trial.play("go")
    }
    try two.play("draw")
    #expect(try one.host.state() == two.host.state())
    #expect(one.printed.all == two.printed.all)
    #expect(try one.state("rolls").listValue?.count == 3)
    try one.host.undo(1)
    try one.play("go")
    #expect(try one.host.state() == two.host.state())
    let other = try Trial(flow, seed: 2)
    for _ in 1...3 { try other.play("roll") }
    #expect(try other.state("rolls") != one.state("rolls"))
    #expect(try one.play("ruled").contains("a gate rule has no random()"))
    #expect { try one.host.view("v") } throws: { "\($0)".contains("a view has no random()") }
  }

  @Test("`math.random` is `random`.")
  func mathRandom() throws {
    let trial = try Trial(
      """
      state { same = false } action.a {} action.ruled {}
      function reduce.a(s) s.same = math.random == random and math.random(1) == 1 end
      function gate.ruled() return math.random(2) end
      """)
    try trial.play("a")
    #expect(try trial.state("same") == true)
    #expect(try trial.play("ruled").contains("has no random()"))
  }
}
