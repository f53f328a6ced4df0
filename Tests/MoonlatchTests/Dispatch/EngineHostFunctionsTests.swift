import LuaRuntime
import Testing

/// Host functions of scripts: here `cancel`, which removes pending dispatches of an action.
@Suite struct EngineHostFunctionsTests {
  private let flow = """
    state { log = list {} }
    action.tick {
      id = string, n = integer { default = 1, max = 9 }, at = optional({ x = integer, y = integer }),
      tags = list_of { integer, default = list {} },
    }
    action.plan {} action.stop { how = string }
    function reduce.tick(s, a) s.log[#s.log + 1] = a.id .. a.n end
    function effect.plan()
      after(1, "tick", { id = "a" })
      after(2, "tick", { id = "b", n = 2, at = { x = 1, y = 2 } })
      after(3, "tick", { id = "a", n = 3, tags = { 1, 2 } })
      after(0, "tick", { id = "now" })
    end
    local ways = {
      a = function() return cancel("tick", { id = "a" }) end,
      three = function() return cancel("tick", { id = "a", n = 3.0 }) end,
      inside = function() return cancel("tick", { at = { y = 2 } }) end,
      absent = function() return cancel("tick", { at = none }) end,
      list = function() return cancel("tick", { tags = { 1, 2 } }) end,
      queued = function() return cancel("tick", { id = "now" }) end,
      nobody = function() return cancel("tick", { id = "c" }) end,
      whole = function() return cancel("tick", {}) end,
      all = function() return cancel("tick") end,
      number = function() return cancel("tick", 3) end,
      gone = function() return cancel("tick", nil) end,
      more = function() return cancel("tick", {}, 1) end,
      misspelt = function() return cancel("tick", { idd = "a" }) end,
      deep = function() return cancel("tick", { at = { z = 1 } }) end,
      wrong = function() return cancel("tick", { id = 5 }) end,
      large = function() return cancel("tick", { n = 10 }) end,
    }
    function effect.stop(self, a) print(pcall(ways[a.how])) end
    """

  @Test(
    "cancel stops timers whose payload matches: records by given fields, lists exactly",
    arguments: [
      ("a", 2, ["now1", "b2"]), ("three", 1, ["now1", "a1", "b2"]),
      ("inside", 1, ["now1", "a1", "a3"]),
      ("absent", 2, ["now1", "b2"]), ("list", 1, ["now1", "a1", "b2"]),
      ("nobody", 0, ["now1", "a1", "b2", "a3"]), ("whole", 3, ["now1"]), ("all", 3, ["now1"]),
    ])
  func part(how: String, stopped: Int, log: [Value]) throws {
    let trial = try Trial(flow)
    try trial.play("plan")
    try trial.play("stop", ["how": .string(how)])
    try trial.advance(5)
    #expect(trial.printed.all == ["true\t\(stopped)"])
    #expect(try trial.state("log") == .list(log))
  }

  @Test("cancel stops a zero-delay timer while it is still queued")
  func queued() throws {
    let trial = try Trial(
      """
      state { n = 0 }
      action.go {} action.tick { id = string }
      function reduce.tick(s) s.n = s.n + 1 end
      function effect.go()
        after(0, "tick", { id = "a" })
        after(0, "tick", { id = "b" })
        print(cancel("tick", { id = "a" }))
      end
      """)
    try trial.play("go")
    #expect(try trial.host.settle() == [])
    #expect(trial.printed.all == ["1"])
    #expect(try trial.state("n") == 1)
  }

  @Test(
    "cancel with an unknown action or field is an error and stops nothing",
    arguments: [
      (
        "number",
        "cancel takes a part of the payload in a table, cancel(\"tick\", { field = value }), not a number"
      ),
      (
        "gone",
        "cancel takes a part of the payload in a table, cancel(\"tick\", { field = value }), not nil; "
          + "to stop every tick write cancel(\"tick\")"
      ),
      ("more", "cancel takes an action's name, a part of its payload, and nothing else"),
      ("misspelt", "cancel tick: idd is not a field of this payload; did you mean id?"),
      ("deep", "cancel tick: at.z is not a field of this payload"),
      ("wrong", "cancel tick: id must be a string, got 5"),
      ("large", "cancel tick: n must be an integer of at most 9, got 10"),
    ])
  func refused(how: String, message: String) throws {
    let trial = try Trial(flow)
    try trial.play("plan")
    try trial.play("stop", ["how": .string(how)])
    let line = try #require(trial.printed.take().first)
    #expect(line.hasPrefix("false\tflow.lua:"))
    #expect(line.hasSuffix(": " + message), "\(line)")
    try trial.play("stop", ["how": "all"])
    #expect(trial.printed.all == ["true\t3"])
  }

  // MARK: A timer by itself

  private let timers = """
    state { log = list {} }
    action.tick { id = string } action.go {} action.reuse {}
    function reduce.tick(s, a) s.log[#s.log + 1] = a.id end
    """

  @Test("the function that after returns cancels only that timer, and says whether it was pending")
  func timer() throws {
    let trial = try Trial(
      """
      \(timers)
      function effect.go()
        local a, b = after(2, "tick", { id = "a" }), after(2, "tick", { id = "b" })
        local now = after(0, "tick", { id = "now" })
        print(a:cancel(), a:cancel())
        print(now:cancel(), now:cancel())
        local first = after(0, "tick", { id = "first" })
        sleep(2)
        print(b:cancel(), first:cancel())
        print(pcall(function() a.x = 1 end))
        print(a.x, pcall(dispatch.tick, { id = a }))
      end
      """)
    try trial.play("go")
    try trial.advance(5)
    #expect(try trial.state("log") == ["first", "b"])
    let found = trial.printed.take()
    #expect(found.prefix(3) == ["true\tfalse", "true\tfalse", "false\tfalse"])
    #expect(found[3] == "false\ta timer cannot be changed")
    #expect(found[4].hasPrefix("nil\tfalse"))
  }

  @Test("a timer that undo removed is not pending, and its number is not reused")
  func undone() throws {
    let trial = try Trial(
      """
      \(timers)
      local held
      function effect.go()
        sleep(1)
        held = after(9, "tick", { id = "old" })
        sleep(1)
        after(9, "tick", { id = "new" })
        print(held:cancel())
      end
      """)
    try trial.play("go")
    try trial.advance(1)
    try trial.play("reuse")
    try trial.host.undo()
    try trial.advance(20)
    #expect(try trial.state("log").listValue?.last == "new")
  }

  @Test("cancel does not stop the timers of states")
  func states() throws {
    let trial = try Trial(
      """
      state { n = 0 }
      action.go {} action.close {} action.stop {}
      machine.door { initial = "open", open = { close = "shut", after = { close = 5 } }, shut = {} }
      function effect.go() after(3, "close") after(4, "close") end
      function effect.stop() print(cancel("close")) end
      """)
    try trial.play("go")
    try trial.play("stop")
    #expect(trial.printed.take() == ["2"])
    try trial.advance(5)
    #expect(try trial.state("door") == "shut")
  }
}
