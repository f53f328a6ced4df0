import LuaRuntime
import Testing

@testable import Moonlatch

/// Effects that last while a state does.
@Suite struct StateEffectsTests {
  /// `a` may be entered by `load`, is left by `loaded` and `cancel`; `body` is its effect.
  private static func flow(_ effect: String, more: String = "") -> String {
    """
    state { log = list {}, found = "" }
    action.load { id = string { default = "none" } }
    action.loaded { text = string { default = "" } }
    action.failed { error = string, id = optional(string) }
    for _, name in ipairs { "cancel", "more", "back" } do action[name] {} end
    local function say(text) return function(s) table.insert(s.log, text) end end
    function reduce.loaded(s, a) s.found = a.text end
    function reduce.failed(s, a) s.found = a.error .. (a.id and " of " .. a.id or "") end
    function reduce.more(s) table.insert(s.log, "more") end
    machine.player {
      initial = "idle",
      idle = { load = "loading", more = true },
      loading = {
        more = true, load = { to = "loading", reenter = true },
        loaded = "shown", failed = "idle", cancel = "idle", on_exit = say "exit", on_enter = say "enter",
        effect = \(effect),
      },
      shown = { back = "idle", more = true },
    }
    function gate.back(s) return true end
    \(more)
    """
  }

  // MARK: Beginning and end

  @Test(
    "it starts with what entered its state: root, the payload, and the transition with its moves")
  func begins() throws {
    let trial = try Trial(
      Self.flow(
        """
        function(self, a, transition)
          print(self == nil, a.id, transition.action, transition.revision, transition.moves[1].from,
            transition.moves[1].to)
          sleep(5)
          dispatch.loaded { text = "of " .. a.id }
        end
        """, more: "function effect.load() print('the own one') end"))
    try trial.play("load", ["id": "x"])
    #expect(trial.printed.take() == ["the own one", "false\tx\tload\t1\tidle\tloading"])
    #expect(
      try trial.host.upcoming.map(\.description) == ["effect of player.loading is due at 5.0"]
        || trial.host.upcoming.map(\.title) == ["effect of player.loading"])
    try trial.advance(5)
    #expect(try trial.state("player") == "shown")
    #expect(try trial.state("found") == "of x")
    #expect(try trial.host.transitions.last?.cause == 1)
    #expect(try trial.host.upcoming.isEmpty)
    #expect(trial.told() == [])
  }

  @Test(
    "as its state is left it is stopped: it closes, what it scheduled is cancelled, on_error is silent"
  )
  func stops() throws {
    let trial = try Trial(
      Self.flow(
        """
        { on_error = "failed", run = function(self, a)
          local closing <close> = setmetatable({}, { __close = function() print("closed") end })
          after(3, "loaded")
          after(50, "more")
          sleep(10)
          print("never")
        end }
        """))
    try trial.play("load")
    #expect(try trial.host.upcoming.count == 3)
    try trial.play("cancel")
    #expect(trial.printed.take() == ["closed"])
    #expect(try trial.host.upcoming.isEmpty)
    try trial.advance(100)
    #expect(try trial.host.revision == 2)
    #expect(try trial.state("log") == ["enter", "exit"])
    #expect(trial.told() == [])
  }

  @Test("a way that stays lets it run on, and one that reenters stops it and starts another")
  func staying() throws {
    let trial = try Trial(
      Self.flow(
        "function(self, a) local it <close> = setmetatable({}, { __close = function() print('end ' .. a.id) end }) print(a.id) sleep(10) dispatch.loaded { text = a.id } end"
      ))
    try trial.play("load", ["id": "one"])
    try trial.advance(6)
    try trial.play("more")
    try trial.play("load", ["id": "two"])
    #expect(trial.printed.take() == ["one", "end one", "two"])
    try trial.advance(6)
    #expect(try trial.state("player") == "loading")
    try trial.advance(4)
    #expect(try trial.state("found") == "two")
  }

  @Test("effects of states inside each other start outermost first and stop innermost first")
  func order() throws {
    func effect(_ name: String) -> String {
      "effect = function() local it <close> = setmetatable({}, { __close = function() print('-\(name)') end }) print('+\(name)') sleep(100) end"
    }
    let trial = try Trial(
      """
      for _, name in ipairs { "go", "on", "stop" } do action[name] {} end
      machine.m {
        initial = "off", off = { go = "run" },
        run = { \(effect("run")), stop = "off", parallel = { "p", "q" },
          p = { \(effect("p")), initial = "x", x = { \(effect("px")), on = "y" }, y = { \(effect("py")) } },
          q = { initial = "x", x = { \(effect("qx")) } } },
      }
      """)
    try trial.play("go")
    #expect(trial.printed.take() == ["+run", "+p", "+px", "+qx"])
    try trial.play("on")
    #expect(trial.printed.take() == ["-px", "+py"])
    try trial.play("stop")
    #expect(trial.printed.take() == ["-qx", "-py", "-p", "-run"])
    #expect(try trial.host.upcoming.isEmpty)
  }

  @Test(
    "on_done and on_error say how it ended, with what it returned, or the error and the payload's fields"
  )
  func ends() throws {
    let trial = try Trial(
      Self.flow(
        """
        { on_done = "loaded", on_error = "failed", run = function(self, a)
          sleep(1)
          if a.id == "bad" then error("there is no bad", 0) end
          return { text = a.id }
        end }
        """))
    try trial.play("load", ["id": "good"])
    try trial.advance(1)
    #expect(try trial.state("found") == "good")
    for action in ["back"] { try trial.play(action) }
    try trial.play("load", ["id": "bad"])
    try trial.advance(1)
    #expect(try trial.state("found") == "there is no bad of bad")
    #expect(try trial.state("player") == "idle")
    #expect(trial.told() == [])
  }

  @Test("functions that run side by side in it are stopped with it")
  func sideBySide() throws {
    let trial = try Trial(
      Self.flow(
        """
        function(self, a)
          local function wait(name, time) return function()
            local it <close> = setmetatable({}, { __close = function() print("end " .. name) end })
            after(20, "more")
            sleep(time)
            dispatch.more()
          end end
          all { x = wait("x", 5), y = function() race { u = wait("u", 7), v = wait("v", 9) } end }
        end
        """))
    try trial.play("load")
    try trial.advance(5)
    #expect(try trial.state("log") == ["enter", "more"])
    try trial.play("cancel")
    #expect(trial.printed.take() == ["end x", "end u", "end v"])
    #expect(try trial.host.upcoming.isEmpty)
    try trial.advance(100)
    #expect(try trial.state("log") == ["enter", "more", "exit"])
  }

  // MARK: What it had queued

  @Test("what it dispatched and is queued still is stale once something else has left its state")
  func stale() throws {
    let trial = try Trial(
      Self.flow(
        "function() dispatch.more() dispatch.loaded() end",
        more: "function effect.load() dispatch.cancel() end"))
    try trial.play("load")
    try trial.host.settle()
    #expect(
      trial.told() == [
        "more from the queue was refused by machine player: stale: more comes from loading, which was left (#2)",
        "loaded from the queue was refused by machine player: stale: loaded comes from loading, which was left (#2)",
      ])
    #expect(try trial.state("player") == "idle")
  }

  @Test("what it dispatched behind a dispatch of its own that left its state passes")
  func own() throws {
    let trial = try Trial(
      Self.flow(
        "function() dispatch.loaded { text = 'x' } dispatch.more() dispatch.back() dispatch.more() end"
      ))
    try trial.play("load")
    try trial.host.settle()
    #expect(try trial.state("player") == "idle")
    #expect(try trial.state("log") == ["enter", "exit", "more", "more"])
    #expect(trial.told() == [])
  }

  @Test("what it dispatches as it is closed is stale, unless it has left its state itself")
  func closing() throws {
    let effect = """
      function()
        local it <close> = setmetatable({}, { __close = function() dispatch.more() end })
        sleep(1) dispatch.loaded() sleep(10)
      end
      """
    let trial = try Trial(Self.flow(effect))
    try trial.play("load")
    try trial.play("cancel")
    try trial.host.settle()
    #expect(trial.told().count == 1)
    #expect(try trial.state("log") == ["enter", "exit"])
    try trial.play("load")
    try trial.advance(1)
    #expect(try trial.state("log") == ["enter", "exit", "enter", "exit", "more"])
    #expect(trial.told() == [])
  }

  // MARK: Initial states

  @Test("the effect of an initial state waits in the queue, and starts with no payload")
  func initial() throws {
    let source = """
      action.stop {}
      action.tick {}
      machine.m { initial = "on", on = { tick = true, stop = "off", effect = function(self, a, transition)
        print(next(a), transition.revision) while true do sleep(10) dispatch.tick() end end }, off = {} }
      """
    let trial = try Trial(source)
    #expect(trial.printed.all == [])
    #expect(try trial.host.upcoming.map(\.description) == ["effect of m.on is queued (by #0)"])
    try trial.advance(25)
    #expect(trial.printed.take() == ["nil\t0"])
    #expect(try trial.host.revision == 2)
    try trial.play("stop")
    #expect(try trial.host.upcoming.isEmpty)
    let other = try Trial(source)
    try other.play("stop")
    #expect(other.printed.take() == ["nil\t0"])
    #expect(try other.host.upcoming.isEmpty)
  }

  // MARK: Going back, and another text

  @Test(
    "where its state is active again after undo or redo it begins again, with what it had begun with"
  )
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
    #expect(try trial.host.upcoming.map(\.title).sorted() == ["effect of player.loading", "more"])
    try trial.host.redo()
    #expect(trial.told().count == 1)
    #expect(try trial.host.upcoming.isEmpty)
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

  @Test(
    "one that had come to its end does not begin again, and one with on_error ends as that says")
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

  @Test("a reload has it begin again in the new text, and one whose effect is gone is stopped")
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
    #expect(try trial.host.upcoming.isEmpty)
  }

  @Test("a replay comes to the same, and nothing is under way that the record does not have")
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

  @Test("one that raises, never yields, or closes with an error is reported, and its state stays")
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
    #expect(try trial.host.upcoming.isEmpty)
  }

  @Test(
    "one that dispatches for ever, or leads out of its state and back for ever, ends with its chain"
  )
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

  @Test("a transition that fails neither stops nor starts any")
  func failing() throws {
    let trial = try Trial(
      Self.flow(
        "function(self, a) local it <close> = setmetatable({}, { __close = function() print('end') end }) print(a.id) sleep(20) end",
        more: "function invariant.never(s) return s.player ~= 'shown' end"))
    try trial.play("load")
    #expect(try trial.host.dispatch("loaded").failure?.kind == .invariant)
    #expect(trial.printed.take() == ["none"])
    #expect(try trial.host.upcoming.count == 1)
  }

  @Test("as many effects as may wait are the most, and one more ends as on_error says")
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

  @Test("on_done and on_error name actions that can do with what they are given")
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

  @Test("given states have theirs begin, and those that are given away have none")
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

  @Test("as it is closed, machines stand where the transition has led them, all of them")
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

  @Test("a call that it waits for is given up as its state is left")
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
    #expect(try trial.host.upcoming.isEmpty)
    #expect(try trial.state("player") == "idle")
    #expect(trial.told() == [])
  }

  @Test("what it holds of the host's memory is counted, and given back as it ends")
  func memory() throws {
    let trial = try Trial(Self.flow("function(self, a) sleep(9) end"))
    let before = try trial.host.use { $0.heldSize }
    try trial.play("load", ["id": .string(String(repeating: "x", count: 10_000))])
    #expect(try trial.host.use { $0.heldSize } > before + 20_000)
    try trial.play("cancel")
    #expect(try trial.host.use { $0.heldSize } == before)
  }
}
