import Moonlatch
import Testing

/// What effects are started with.
@Suite struct EngineEffectsTests {
  @Test("an effect is given its action's payload, whatever was asked about before it started")
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

  @Test("on_error gives the error, and the fields of the effect's own payload that it declares too")
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

  @Test("an effect that is stopped, or that a reload ends, gives its payload too")
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

  @Test("a field that the other action declares with another type is a failure, told as any is")
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
}
