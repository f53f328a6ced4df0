import LuaRuntime
import Testing

@testable import FlowKernel

/// Effects of states at the start, during reloads and under limits.
extension StateEffectsTests {
  @Test("the effect of an initial state waits in the queue, and starts without a payload")
  func initial() throws {
    let source = """
      action.stop {}
      action.tick {}
      machine.m { initial = "on", on = { tick = true, stop = "off", effect = function(self, a, commit)
        print(next(a), commit.revision) while true do sleep(10) dispatch.tick() end end }, off = {} }
      """
    let trial = try Trial(source)
    #expect(trial.printed.all == [])
    #expect(try trial.host.pendingWork.map(\.description) == ["effect of m.on is queued (by #0)"])
    try trial.advance(25)
    #expect(trial.printed.take() == ["nil\t0"])
    #expect(try trial.host.revision == 2)
    try trial.play("stop")
    #expect(try trial.host.pendingWork.isEmpty)
    let other = try Trial(source)
    try other.play("stop")
    #expect(other.printed.take() == ["nil\t0"])
    #expect(try other.host.pendingWork.isEmpty)
  }

  // MARK: Going back, and another text

  @Test("a state effect restarts with its original payload if undo or redo reactivates its state")
  func undone() throws {
    let trial = try Trial(
      Self.flow(
        "function(self, a) print(a.id) after(30, 'more') sleep(20) dispatch.loaded { text = a.id } end"
      ))
    try trial.play("load", ["id": "x"])
    try trial.advance(10)
    try trial.play("cancel")
    try trial.host.undo()
    try trial.host.settle()
    #expect(trial.printed.take() == ["x", "x"])
    #expect(
      try trial.host.pendingWork.map(\.title).sorted() == ["effect of player.loading", "more"])
    try trial.host.redo()
    #expect(trial.told().count == 1)
    #expect(try trial.host.pendingWork.isEmpty)
    try trial.host.undo(2)
    try trial.host.settle()
    #expect(trial.printed.take() == [])
    try trial.host.redo()
    try trial.advance(19)
    #expect(trial.printed.take() == ["x"])
    try trial.advance(1)
    #expect(try trial.state("found") == "x")
    try trial.host.undo()
    try trial.advance(20)
    #expect(try trial.state("found") == "x")
  }

  @Test("a finished state effect is not restarted by undo, and one with on_error ends as that says")
  func undoneWithError() throws {
    let trial = try Trial(
      Self.flow("function(self, a) print(a.id) end"))
    try trial.play("load")
    try trial.play("cancel")
    try trial.host.undo()
    try trial.advance(10)
    #expect(trial.printed.take() == ["none"])
    let other = try Trial(
      Self.flow("{ on_error = 'failed', run = function(self, a) print(a.id) sleep(100) end }"))
    try other.play("load", ["id": "x"])
    try other.play("cancel")
    try other.host.undo()
    try other.host.settle()
    #expect(other.printed.take() == ["x"])
    #expect(try other.state("player") == "idle")
    #expect(try other.state("found") == "it was stopped by going to #1 of x")
  }

  @Test("a reload restarts a state effect with the new text, and stops one that no longer exists")
  func reloaded() throws {
    let old =
      "function(self, a) local it <close> = setmetatable({}, { __close = function() print('end') end }) print('old ' .. a.id) sleep(20) dispatch.loaded() end"
    let trial = try Trial(Self.flow(old))
    try trial.play("load", ["id": "x"])
    try trial.advance(5)
    try trial.host.reload(
      to: LoadedFlow(
        source: Self.flow(old.replacing("old", with: "new").replacing("20", with: "7"))))
    try trial.advance(6)
    #expect(trial.printed.take() == ["old x", "end", "new x"])
    #expect(try trial.state("player") == "loading")
    try trial.advance(1)
    #expect(try trial.state("player") == "shown")
    try trial.host.undo()
    try trial.host.settle()
    #expect(trial.printed.take() == ["end", "new x"])
    try trial.host.reload(
      to: LoadedFlow(source: Self.flow(old).replacing("effect = \(old),", with: "")))
    #expect(
      trial.told() == [
        "effect of player.loading of #1 was stopped: the reloaded flow has no such effect"
      ])
    #expect(try trial.host.pendingWork.isEmpty)
  }

  @Test("a replay has the same state, and runs no effect that is not in the record")
  func replayed() throws {
    let source = Self.flow("function(self, a) sleep(20) dispatch.loaded { text = a.id } end")
    let trial = try Trial(source, keepsTranscript: true)
    try trial.play("load", ["id": "x"])
    try trial.advance(10)
    try trial.play("cancel")
    try trial.host.undo()
    try trial.advance(21)
    let transcript = try #require(try trial.host.transcript)
    let again = try Trial(source)
    #expect(try again.host.replay(transcript) == nil)
    #expect(try again.host.state() == trial.host.state())
    #expect(try again.state("found") == "x")
  }

  // MARK: What goes wrong

  @Test("a state effect that raises, never yields or fails in a close is reported; its state stays")
  func raises() throws {
    for (effect, message) in [
      ("function() error('broken', 0) end", "broken"),
      ("function() while true do end end", "limit"),
      ("function() dispatch.nothing() end", "nothing"),
    ] {
      let trial = try Trial(
        Self.flow(effect), limits: Limits(instructionsPerDispatch: 1_000_000))
      #expect(try trial.play("load") == "load passed (#1)")
      let told = trial.told()
      #expect(told.count == 1 && told[0].contains(message), "\(told)")
      #expect(try trial.state("player") == "loading")
      #expect(try trial.play("cancel") == "cancel passed (#2)")
      #expect(trial.told() == [])
    }
    let trial = try Trial(
      Self.flow(
        "function() local it <close> = setmetatable({}, { __close = function() error('late', 0) end }) sleep(9) end"
      ))
    try trial.play("load")
    #expect(try trial.play("cancel") == "cancel passed (#2)")
    #expect(try trial.state("player") == "idle")
    #expect(try trial.host.pendingWork.isEmpty)
  }

  @Test("a state effect that loops endlessly by dispatching or by leaving its state is cut off")
  func forever() throws {
    let trial = try Trial(
      Self.flow("function() while true do dispatch.more() sleep(0) end end"),
      limits: Limits(chain: 50))
    try trial.play("load")
    try trial.host.settle()
    #expect(trial.told().first?.contains("50 actions ran from the queue") == true)
    let other = try Trial(
      """
      action.go {}
      action.back {}
      machine.m { initial = "a", a = { go = "b" },
        b = { back = "a", effect = function() dispatch.back() dispatch.go() end } }
      """, limits: Limits(chain: 50))
    try other.play("go")
    try other.host.settle()
    #expect(other.told().first?.contains("50 actions ran from the queue") == true)
    #expect(try other.play("go").contains("passed") || other.play("back").contains("passed"))
  }

  @Test("a failed transition neither stops nor starts a state effect")
  func failing() throws {
    let trial = try Trial(
      Self.flow(
        "function(self, a) local it <close> = setmetatable({}, { __close = function() print('end') end }) print(a.id) sleep(20) end",
        more: "function invariant.never(s) return s.player ~= 'shown' end"))
    try trial.play("load")
    #expect(try trial.host.dispatch("loaded").failure?.kind == .invariant)
    #expect(trial.printed.take() == ["none"])
    #expect(try trial.host.pendingWork.count == 1)
  }

  @Test("state effects are limited in number, and one more ends as on_error says")
  func limits() throws {
    let trial = try Trial(
      Self.flow(
        "{ on_error = 'failed', run = function() sleep(9) end }",
        more: "function effect.more() sleep(9) end"),
      limits: Limits(effects: 1))
    try trial.play("more")
    try trial.play("load")
    try trial.host.settle()
    #expect(try trial.state("player") == "idle")
    #expect(try trial.state("found") == "1 effects are waiting already of none")
  }

  @Test("on_done and on_error name actions that accept their payload")
  func faults() {
    for (effect, fault) in [
      (
        "{ run = function() end, on_done = 'loded' }",
        "machine m: there is no action loded; did you mean loaded?"
      ),
      (
        "{ run = function() end, on_error = 'fail' }",
        "machine m: there is no action fail"
      ),
      (
        "{ run = function() end, on_error = 'failed' }",
        "effect of m.a: on_error cannot give id to failed, which requires it (flow.lua:2): it gives error"
      ),
    ] {
      #expect {
        try LoadedFlow(
          source: """
            action.loaded {}
            action.failed { error = string, id = string }
            machine.m { initial = "a", a = { loaded = "a", effect = \(effect) } }
            """)
      } throws: {
        "\($0)".contains(fault)
      }
    }
  }

  @Test("given states start their effects, and replaced states do not")
  func given() throws {
    let trial = try Trial(Self.flow("function(self, a) print('on') sleep(9) end"))
    try trial.host.use { engine in
      #expect(engine.merge(["player": "loading"]) == nil)
      #expect(engine.merge(["player": "shown"]) == nil)
      engine.settle()
      #expect(engine.merge(["player": "loading"]) == nil)
      engine.settle()
    }
    #expect(trial.printed.take() == ["on"])
  }

  @Test("when a state effect closes, all machines are in the states after the transition")
  func closingSees() throws {
    let trial = try Trial(
      """
      for _, name in ipairs { "go", "left", "right" } do action[name] {} end
      machine.m { initial = "a", a = { go = "b", effect = function()
        local it <close> = setmetatable({}, { __close = function() print(may.left(), (may.right())) end })
        sleep(9) end }, b = {} }
      machine.n { initial = "a", a = { go = "b", left = true }, b = { right = true } }
      """)
    try trial.host.settle()
    try trial.play("go")
    #expect(trial.printed.take().map { $0.hasPrefix("false") && $0.hasSuffix("true") } == [true])
  }

  @Test("a capability call of a state effect is cancelled when its state is left")
  func calling() async throws {
    let provider = Provider(heedsCancellation: true)
    let trial = try Trial(
      Self.flow("function(self, a) dispatch.loaded { text = self:fetch(a.id) } end")
    ) { scopes in
      scopes.root.provide("fetch") { (id: String) async throws -> String in
        try await provider.ask(id)
      }
    }
    try trial.play("load", ["id": "x"])
    try trial.play("cancel")
    #expect(try trial.host.pendingWork.isEmpty)
    #expect(try trial.state("player") == "idle")
    #expect(trial.told() == [])
  }

  @Test("the memory of a state effect's payload is counted, and released when the effect ends")
  func memory() throws {
    let trial = try Trial(Self.flow("function(self, a) sleep(9) end"))
    let before = try trial.host.use { $0.heldSize }
    try trial.play("load", ["id": .string(String(repeating: "x", count: 10_000))])
    #expect(try trial.host.use { $0.heldSize } > before + 20_000)
    try trial.play("cancel")
    #expect(try trial.host.use { $0.heldSize } == before)
  }
}
