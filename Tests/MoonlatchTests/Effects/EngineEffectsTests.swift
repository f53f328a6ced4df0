import FlowLanguage
import LuaRuntime
import Testing

/// Arguments of effects.
@Suite struct EngineEffectsTests {
  @Test("an effect gets its own action's payload, whatever may was asked about before")
  func payload() throws {
    let trial = try Trial(
      """
      state { user = 7 }
      action.go { n = integer } action.leave { why = string } action.other { text = string }
      function effect.go(self, a) may.go { n = 9 } may.other { text = "x" } print("go", a.n) end
      effect("second", "go", function(self, a) print("second", a.n) may.leave { why = "!" } end)
      effect("third", { "go", "leave" }, function(self, a) print("third", a.n or a.why) end)
      scope.home {
        key = function(s) return s.user end,
        make = {
          thing = function(self) self:defer(function() print("asked", (may.other { text = "y" })) end) end,
        },
      }
      function effect.leave(self, a) print("leave", a.why) end
      action.stay {}
      effect("stay", "stay", function(self) self:unlock("home"):thing() end)
      function reduce.leave(s) s.user = false end
      """)
    try trial.play("go", ["n": 3])
    #expect(trial.printed.take() == ["go\t3", "second\t3", "third\t3"])
    try trial.play("stay")
    try trial.play("leave", ["why": "late"])
    #expect(trial.printed.take() == ["asked\ttrue", "third\tlate", "leave\tlate"])
  }

  // MARK: on_error

  @Test("on_error gets the error, and the fields of the effect's payload that it declares")
  func errorWithPayload() throws {
    let trial = try Trial(
      """
      state { log = list {} }
      action.load { id = string, size = integer { default = 3 }, note = optional(string) }
      action.save { id = string }
      action.failed { error = string, id = string, size = optional(integer), note = optional(string) }
      function reduce.failed(s, a)
        s.log[#s.log + 1] = { id = a.id, size = a.size, note = a.note, error = a.error }
      end
      effect.load = { run = function(self, a) may.load { id = "other" } error("down", 0) end, on_error = "failed" }
      effect("both", { "load", "save" }, { run = function() sleep(5) error("late", 0) end, on_error = "failed" })
      """)
    try trial.play("load", ["id": "a", "note": "n"])
    try trial.play("save", ["id": "b"])
    try trial.advance(5)
    #expect(
      try trial.state("log") == [
        ["id": "a", "size": 3, "note": "n", "error": "down"],
        ["id": "a", "size": 3, "note": "n", "error": "late"],
        ["id": "b", "error": "late"],
      ])
  }

  @Test("an effect that is stopped, or ended by a reload, passes its payload to on_error too")
  func stoppedWithPayload() throws {
    let flow = """
      state { user = 1, lost = list {} }
      action.load { id = string } action.leave {} action.lost { id = string }
      scope.s { key = function(s) return s.user end, actions = { "load" } }
      function reduce.leave(s) s.user = none end
      function reduce.lost(s, a) s.lost[#s.lost + 1] = a.id end
      effect.load = { run = function() sleep(60) end, on_error = "lost" }
      """.replacing("s.user = none", with: "s.user = false")
    let trial = try Trial(flow)
    try trial.play("load", ["id": "a"])
    try trial.play("leave")
    #expect(try trial.host.settle() == [])
    #expect(try trial.state("lost") == ["a"])
  }

  @Test("a payload field of another type in the on_error action is reported as a failure")
  func clash() throws {
    let trial = try Trial(
      """
      state {}
      action.load { id = string } action.failed { id = integer }
      effect.load = { run = function() error("down", 0) end, on_error = "failed" }
      """)
    try trial.play("load", ["id": "a"])
    #expect(
      trial.told().last
        == "failed from the queue failed: action failed: id must be an integer, got \"a\"")
  }

  // MARK: on_done

  @Test("on_done gets the effect's result, with its commit as cause, and {} for no result")
  func done() throws {
    let trial = try Trial(
      """
      state { log = list {} }
      action.pay { sum = integer } action.paid { sum = integer, by = string { default = "card" } }
      action.ping {} action.ponged {}
      function reduce.paid(s, a) s.log[#s.log + 1] = a.sum .. a.by end
      function reduce.ponged(s) s.log[#s.log + 1] = "pong" end
      effect.pay = {
        run = function(self, a) sleep(2) return { sum = a.sum * 2 }, print end, on_done = "paid",
      }
      effect.ping = { run = function() end, on_done = "ponged" }
      """)
    try trial.play("pay", ["sum": 4])
    try trial.play("ping")
    try trial.advance(2)
    #expect(try trial.state("log") == ["pong", "8card"])
    #expect(try trial.host.commits.map(\.cause) == [nil, nil, 2, 1])
    #expect(trial.told() == [])
  }

  @Test(
    "a result that does not fit on_done's action is an error of the effect, which on_error may handle"
  )
  func notDone() throws {
    let trial = try Trial(
      """
      state { why = none }
      action.pay { what = string } action.paid { sum = integer } action.failed { error = string }
      function reduce.failed(s, a) s.why = a.error end
      local answers = { text = "x", list = { 1 }, other = { sum = "x" }, f = print }
      effect.pay = {
        run = function(self, a) return answers[a.what] end, on_done = "paid",
        on_error = { action = "failed", faults = true },
      }
      """)
    for (what, why) in [
      ("text", "on_done: action paid: the payload must be a record of sum, got \"x\""),
      ("list", "on_done: action paid: the payload must be a record of sum, got { 1 }"),
      ("other", "on_done: action paid: sum must be an integer, got \"x\""),
      ("none", "on_done: action paid: sum must be an integer, but is missing"),
      ("f", "the value: a function is not plain data"),
    ] {
      try trial.play("pay", ["what": .string(what)])
      let found = try trial.state("why")
      #expect(found == .string(why))
    }
    let fault = #expect(throws: FlowError.self) {
      try Trial(
        """
        action.pay {} action.paid {}
        effect.pay = { run = function() end, on_done = "payed" }
        """)
    }
    #expect(
      "\(try #require(fault))".contains(
        "effect.pay: on_done: there is no action payed"))
    let number = #expect(throws: FlowError.self) {
      try Trial("action.pay {} effect.pay = { run = function() end, on_done = 7 }")
    }
    #expect(
      "\(try #require(number))".contains("effect pay: on_done must be the name of an action"))
  }

  @Test("an effect that dispatches itself with on_done ends at the chain limit")
  func circle() throws {
    var limits = Limits()
    limits.chain = 50
    let trial = try Trial(
      "action.go {} effect.go = { run = function() end, on_done = 'go' }", limits: limits)
    try trial.play("go")
    #expect(try trial.host.revision == 51)
    #expect(trial.told().last?.contains("50 actions ran from the queue") == true)
  }

  // MARK: transition

  @Test("commit.moves lists the machines that moved, in the order of declaration")
  func moves() throws {
    let trial = try Trial(
      """
      state { n = 0 }
      action.go {} action.stay {}
      machine.b { initial = "off", off = { go = "on" }, on = { go = "off", stay = "on" } }
      machine.a { initial = "x", x = { go = "y", stay = "x" }, y = { go = "y" } }
      effect("tell", "*", function(self, a, commit)
        local moves = commit.moves
        for i = 1, #moves do print(moves[i].machine, moves[i].from, moves[i].to) end
        print(#moves)
      end)
      """)
    for action in ["go", "go"] { try trial.play(action) }
    #expect(
      trial.printed.take() == ["b\toff\ton", "a\tx\ty", "2", "b\ton\toff", "1"])
  }
}
