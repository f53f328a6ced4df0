import FlowKernel
import LuaRuntime
import Testing

/// Shallow and deep history: `history = true` and `history = "deep"`.
@Suite struct HistoryOfStatesTests {
  private static func player(_ history: String = "\"deep\"", more: String = "") -> String {
    ExampleMachines.player.replacing("history = \"deep\"", with: "history = \(history)")
      .replacing("state {}", with: "state { n = 0 } action.fail {} action.out {}") + "\n\(more)\n"
  }

  private func fields(_ trial: Trial) throws -> [Value] {
    try ["player", "transport", "sound"].map { try trial.state($0) }
  }

  @Test("deep history restores all substates, and the first entry uses the initial states")
  func deep() throws {
    let trial = try Trial(Self.player())
    try trial.play("power")
    #expect(try fields(trial) == ["on", "stopped", "audible"])
    for action in ["play", "faster", "mute", "power"] { try trial.play(action) }
    #expect(try fields(trial) == ["off", .nil, .nil])
    try trial.play("power")
    #expect(try fields(trial) == ["on", "playing.fast", "muted"])
  }

  @Test("shallow history restores the last child only, which enters its own initial state")
  func shallow() throws {
    let trial = try Trial(Self.player("true"))
    for action in ["power", "play", "faster", "pause"] { try trial.play(action) }
    #expect(try trial.state("transport") == "paused")
    try trial.play("play")
    #expect(try trial.state("transport") == "playing.fast")
    // Of a parallel state that is all its regions, which begin by default.
    for action in ["mute", "power", "power"] { try trial.play(action) }
    #expect(try fields(trial) == ["on", "stopped", "audible"])
  }

  @Test("history values belong to the revision, and undo and redo restore them")
  func goingBack() throws {
    let trial = try Trial(Self.player())
    // #3 remembers playing.normal, and #6 playing.fast.
    for action in ["power", "play", "power"] { try trial.play(action) }
    try trial.play("power")
    for action in ["faster", "power"] { try trial.play(action) }
    try trial.host.undo(3)
    #expect(try trial.state("player") == "off")
    try trial.play("power")
    #expect(try trial.state("transport") == "playing.normal")
    try trial.host.undo(4)
    #expect(try trial.state("player") == "off")
    try trial.play("power")
    #expect(try trial.state("transport") == "stopped")
    let again = try Trial(Self.player())
    for action in ["power", "play", "power"] { try again.play(action) }
    try again.host.undo(3)
    try again.host.redo(3)
    try again.play("power")
    #expect(try again.state("transport") == "playing.normal")
  }

  @Test("a failed transition stores no history value")
  func rollback() throws {
    let trial = try Trial(
      Self.player(
        more:
          "invariant.sound = function(s) return s.player ~= 'off' or s.n == 0 end\nfunction reduce.mute(s) s.n = 1 - s.n end"
      ))
    for action in ["power", "play", "power", "power", "faster", "mute"] { try trial.play(action) }
    #expect(try trial.play("power").contains("invariant.sound does not hold"))
    #expect(try fields(trial) == ["on", "playing.fast", "muted"])
    try trial.host.undo(3)
    #expect(try fields(trial) == ["off", .nil, .nil])
    try trial.play("power")
    #expect(try fields(trial) == ["on", "playing.normal", "audible"])
  }

  @Test("may and :why do not change history values")
  func asking() throws {
    let trial = try Trial(Self.player())
    for action in ["power", "play", "power", "power", "faster"] { try trial.play(action) }
    _ = try trial.host.may("power")
    try trial.host.undo(2)
    try trial.play("power")
    #expect(try trial.state("transport") == "playing.normal")
  }

  @Test("a reload keeps the history values of states that the new text has")
  func reload() throws {
    let trial = try Trial(Self.player())
    for action in ["power", "play", "faster", "mute", "power"] { try trial.play(action) }
    _ = try trial.host.reload(to: LoadedFlow(source: Self.player(more: "action.another {}")))
    try trial.play("power")
    #expect(try fields(trial) == ["on", "playing.fast", "muted"])
    try trial.play("power")
    let renamed = Self.player().replacing("fast =", with: "quick =").replacing(
      "\"fast\"", with: "\"quick\"")
    _ = try trial.host.reload(to: LoadedFlow(source: renamed))
    try trial.play("power")
    #expect(try fields(trial) == ["on", "stopped", "audible"])
  }

  @Test("a microstep stores history values, which a later microstep of the same macrostep uses")
  func rounds() throws {
    let trial = try Trial(
      """
      state { n = 0 }
      action.go {} action.next {}
      machine.m {
        initial = "a",
        a = { initial = "x", x = { next = "y" }, y = {}, go = "b" },
        b = { always = { to = "a", history = true } },
      }
      """)
    try trial.play("next")
    #expect(try trial.play("go") == "go passed (#2)")
    #expect(try trial.state("m") == "a.y")
  }

  @Test("the history value of a record is kept when the record gets another key")
  func records() throws {
    let trial = try Trial(
      """
      state { all = map { a = { n = 0 }, b = { n = 0 } } }
      for _, name in ipairs { "go", "back" } do action[name] { id = string } end
      for _, name in ipairs { "leave", "rename", "bounce" } do action[name] { id = string, to = string } end
      local function rename(s, a) s.all[a.to] = s.all[a.id]; s.all[a.id] = nil end
      reduce.leave, reduce.rename, reduce.bounce = rename, rename, rename
      machine.m {
        each = "all", which = "id", initial = "on",
        on = { initial = "x", x = { go = "y" }, y = {}, leave = "off", rename = true, bounce = "between" },
        off = { back = { to = "on", history = true }, rename = true },
        between = { always = { to = "on", history = true } },
      }
      """)
    func stands(_ id: String) throws -> Value? { try trial.state("all")[id]?["m"] }
    try trial.play("go", ["id": "a"])
    try trial.play("leave", ["id": "a", "to": "c"])
    try trial.play("rename", ["id": "c", "to": "d"])
    try trial.play("back", ["id": "d"])
    #expect(try stands("d") == "on.y")
    try trial.host.undo(2)
    try trial.play("back", ["id": "c"])
    #expect(try stands("c") == "on.y")
    try trial.play("bounce", ["id": "c", "to": "a"])
    #expect(try stands("a") == "on.y")
    #expect(try stands("b") == "on.x")
  }

  @Test("a replayed transcript stores the same history values")
  func replay() throws {
    let trial = try Trial(Self.player(), keepsTranscript: true)
    for action in ["power", "play", "faster", "mute", "power"] { try trial.play(action) }
    let difference = try trial.host.reload(
      to: LoadedFlow(source: Self.player(more: "action.another {}")), .replay)
    #expect(difference == nil)
    try trial.play("power")
    #expect(try fields(trial) == ["on", "playing.fast", "muted"])
  }
}
