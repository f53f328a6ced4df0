import Testing

/// Effects that run as long as a state is active.
@Suite struct StateEffectsTests {
  /// `a` may be entered by `load`, is left by `loaded` and `cancel`; `body` is its effect.
  static func flow(_ effect: String, more: String = "") -> String {
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

  @Test("a state effect gets the root scope, the payload, and the commit with its moves")
  func begins() throws {
    let trial = try Trial(
      Self.flow(
        """
        function(self, a, commit)
          print(self == nil, a.id, commit.action, commit.revision, commit.moves[1].from,
            commit.moves[1].to)
          sleep(5)
          dispatch.loaded { text = "of " .. a.id }
        end
        """, more: "function effect.load() print('the own one') end"))
    try trial.play("load", ["id": "x"])
    #expect(trial.printed.take() == ["the own one", "false\tx\tload\t1\tidle\tloading"])
    #expect(
      try trial.host.pendingWork.map(\.description) == ["effect of player.loading is due at 5 s"]
        || trial.host.pendingWork.map(\.title) == ["effect of player.loading"])
    try trial.advance(5)
    #expect(try trial.state("player") == "shown")
    #expect(try trial.state("found") == "of x")
    #expect(try trial.host.commits.last?.cause == 1)
    #expect(try trial.host.pendingWork.isEmpty)
    #expect(trial.told() == [])
  }

  @Test(
    "leaving the state stops its effect: it closes, its timers are cancelled, on_error does not run"
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
    #expect(try trial.host.pendingWork.count == 3)
    try trial.play("cancel")
    #expect(trial.printed.take() == ["closed"])
    #expect(try trial.host.pendingWork.isEmpty)
    try trial.advance(100)
    #expect(try trial.host.revision == 2)
    #expect(try trial.state("log") == ["enter", "exit"])
    #expect(trial.told() == [])
  }

  @Test("an internal transition keeps a state effect running, and reenter restarts it")
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

  @Test("nested state effects start outermost first and stop innermost first")
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
    #expect(try trial.host.pendingWork.isEmpty)
  }

  @Test("on_done and on_error get the result, or the error and the payload's fields")
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

  @Test("functions of all and race in a state effect are stopped with it")
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
    #expect(try trial.host.pendingWork.isEmpty)
    try trial.advance(100)
    #expect(try trial.state("log") == ["enter", "more", "exit"])
  }

  // MARK: What it had queued

  @Test("a queued dispatch of a state effect is stale once another action has left its state")
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

  @Test("a later dispatch of a state effect passes after its own dispatch has left the state")
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

  @Test(
    "a dispatch made while a state effect closes is stale, unless the effect left its state itself")
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
}
