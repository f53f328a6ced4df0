import LuaRuntime
import Testing

@Suite struct RestartedTimersTests {
  static let door = """
    state { wait = 30, left = 0 }
    action.push {}
    action.close {}
    action.beep {}
    action.set { wait = number }
    machine.door {
      initial = "shut",
      shut = { push = "open" },
      open = {
        push = { restart_timer = "close" },
        set  = { restart_timer = true, reduce = function(s, a) s.wait = a.wait end },
        beep = true,
        after = { close = function(s)
          if s.wait == -1 then return math.huge end
          if s.wait ~= -2 then return s.wait end
        end },
        every = { beep = 100 },
        close = "shut",
        on_exit = function(s) s.left = s.left + 1 end,
      },
    }
    """

  @Test("an internal transition can restart a timer of its state")
  func restart() throws {
    let trial = try Trial(Self.door)
    try trial.play("push")
    for _ in 1...5 {
      try trial.advance(20)
      try trial.play("push")
    }
    #expect(try trial.state("door") == "open")
    // The other timer runs on.
    #expect(
      try trial.host.pendingWork.map(\.description)
        == ["beep is due at 3 min 20 s", "close is due at 2 min 10 s"].sorted { $0 > $1 })
    try trial.advance(30)
    #expect(try trial.state("door") == "shut")
    #expect(try trial.state("left") == 1)
  }

  @Test("several timers can be restarted by a list of their actions")
  func several() throws {
    let trial = try Trial(
      """
      state {}
      action.touch {}
      action.dim {}
      action.sleep {}
      machine.m {
        initial = "lit",
        lit = { after = { dim = 10, sleep = 20 }, dim = true, sleep = "dark",
          touch = { restart_timer = { "dim", "sleep" } } },
        dark = {},
      }
      """)
    try trial.advance(5)
    try trial.play("touch")
    #expect(
      try trial.host.pendingWork.map(\.description) == [
        "dim is due at 15 s", "sleep is due at 25 s",
      ])
  }

  @Test("undo restores the timer that was restarted")
  func undo() throws {
    let trial = try Trial(Self.door)
    try trial.play("push")
    try trial.advance(20)
    try trial.play("push")
    try trial.host.go(to: 1)
    #expect(try trial.host.pendingWork.map(\.description).contains("close is due at 30 s"))
  }

  @Test("a delay of nil or math.huge sets no timer, and stops the one that is restarted")
  func none() throws {
    for none: Value in [-1, -2] {
      let trial = try Trial(Self.door)
      try trial.play("push")
      try trial.play("set", ["wait": none])
      #expect(try trial.host.pendingWork.map(\.title) == ["beep"])
      try trial.advance(1e6)
      #expect(try trial.state("door") == "open")
      try trial.play("set", ["wait": 5])
      try trial.advance(5)
      #expect(try trial.state("door") == "shut")
    }
  }

  @Test(
    "a wrong restart is an error",
    arguments: [
      ("a = { go = { restart_timer = \"go\" } }", "restart_timer needs a timer here"),
      (
        "a = { go = { restart_timer = \"goo\" }, after = { go = 1 } }",
        "no timer here dispatches goo; did you mean go?"
      ),
      (
        "a = { go = { restart_timer = \"go\", to = \"b\" }, after = { go = 1 } }, b = {}",
        "needs a transition that stays in a"
      ),
      (
        "a = { go = { restart_timer = 3, reduce = function() end }, after = { go = 1 } }",
        "restart_timer must be the action of a timer"
      ),
    ])
  func faults(states: String, message: String) {
    #expect {
      _ = try Trial("state {}\naction.go {}\nmachine.m { initial = \"a\", \(states) }")
    } throws: { "\($0)".contains(message) }
  }
}
