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
}
