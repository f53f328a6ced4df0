import FlowKernel
import LuaRuntime
import Testing

/// The end of a host.
@Suite(.timeLimit(.minutes(5))) struct EngineEndingTests {
  private let flow = """
    state { user = "ann", page = 7, saved = 0, problem = "" }
    action.start {} action.log_out {} action.saved { what = string } action.lost { error = string }
    action.edited {}
    scope.user {
      key = function(s) return s.user end, actions = { "log_out", "edited" },
      make = { tidy = function(self, what) self:defer(function() print("tidy", what) end) end },
    }
    scope.editor {
      parent = "user", key = function(s) return s.page end,
      make = {
        draft = function(self)
          self:defer(function()
            print("draft", self:store("draft")) dispatch.saved { what = "draft" } dispatch.edited()
          end)
        end,
      },
    }
    effect.start = {
      run = function(self)
        self:defer(function() print("root") dispatch.saved { what = "root" } end)
        local user = self:unlock("user")
        user:tidy("first") user:tidy("second")
        user:unlock("editor"):draft()
        sleep(60)
      end,
      on_error = "lost",
    }
    function reduce.saved(s, a) s.saved = s.saved + 1 end
    function reduce.lost(s, a) s.problem = a.error end
    function effect.saved(self, a) print("saved", a.what, self:store(a.what)) end
    function effect.edited(self) print("edited", self.key) end
    function effect.lost(self, a) print("lost", a.error) end
    """

  private func trial(_ source: String? = nil, _ calls: Heard = Heard()) throws -> Trial {
    try Trial(source ?? flow) { scopes in
      scopes.root.provide("store") { (what: String) in "stored \(what)" }
      scopes.root.provide("wait") { (what: String) async throws in
        try await Task.sleep(for: .seconds(600))
      }
    }
  }

  @Test("clean-ups run innermost and last first, and their dispatches are executed")
  func order() throws {
    let trial = try trial()
    try trial.play("start")
    #expect(try trial.host.stop() == ["effect.start waits (#1)"])
    #expect(
      trial.printed.all == [
        "draft\tstored draft", "saved\tdraft\tstored draft", "edited\tann",
        "tidy\tsecond", "tidy\tfirst",
        "lost\tthe host was stopped",
        "root", "saved\troot\tstored root",
      ])
    #expect(trial.told() == [])
  }

  @Test("subscribers and observers get the last changes, and their streams end")
  func told() async throws {
    let trial = try trial()
    let heard = Heard()
    let subscription = try trial.host.observe { heard.add("\($0)") }
    try trial.play("start")
    try withExtendedLifetime(subscription) { _ = try trial.host.stop() }
    #expect(
      heard.all == [
        "start passed (#1)", "saved passed (#2)", "edited passed (#3)", "lost passed (#4)",
        "saved passed (#5)",
      ])
  }

  @Test("a clean-up that raises an error is reported, and the others run")
  func raising() throws {
    let trial = try trial(
      """
      state {} action.go {}
      function effect.go(self)
        self:defer(function() print("first") end)
        self:defer(function() error("oh") end)
        self:defer(function() print("last") end)
      end
      """)
    try trial.play("go")
    try trial.host.stop()
    #expect(trial.printed.all == ["last", "first"])
    #expect(trial.told() == ["a clean-up of scope root failed: flow.lua:4: oh"])
  }

  @Test("an action of a closed scope is refused at the end too, and no key reopens the scope")
  func closed() throws {
    let trial = try trial(
      """
      state { user = 1, n = 0 } action.go {} action.mine {} action.any {}
      scope.user {
        key = function(s) return s.user end, actions = { "mine" },
        make = { tidy = function(self) self:defer(function() dispatch.any() dispatch.mine() end) end },
      }
      function effect.go(self) self:unlock("user"):tidy() end
      function reduce.any(s) s.n = s.n + 1 end
      """)
    try trial.play("go")
    try trial.host.stop()
    #expect(
      trial.told() == [
        "mine from the queue was refused by scope user: it is locked: scope user needs its key"
      ])
  }

  @Test("an effect started during the end stops at its first wait, and is reported")
  func startedLate() throws {
    let trial = try trial(
      """
      state {} action.go {} action.again {}
      effect.go = { run = function() sleep(1) end, on_error = "again" }
      effect.again = { run = function() print("again") sleep(1) print("never") end, on_error = "again" }
      """)
    try trial.play("go")
    #expect(try trial.host.stop() == ["effect.go waits (#1)"])
    #expect(trial.printed.all == ["again"])
    #expect(
      trial.told() == ["effect.again of #2 was stopped: the host was stopped"])
  }

  @Test("a clean-up cannot delay the end by deferring another")
  func deferring() throws {
    let trial = try trial(
      """
      state {} action.go {}
      function effect.go(self)
        local function tidy() print("tidy") self:defer(tidy) end
        self:defer(tidy)
      end
      """)
    try trial.play("go")
    try trial.host.stop()
    #expect(trial.printed.all == ["tidy"])
    #expect(
      trial.told() == [
        "a clean-up of scope root failed: flow.lua:3: scope root is closing: the host was stopped"
      ])
  }

  @Test("an endless chain started during the end is cut off")
  func endless() throws {
    let trial = try Trial(
      """
      state {} action.go {} action.ping {} action.pong {}
      function effect.go(self) self:defer(function() dispatch.ping() end) end
      function effect.ping() dispatch.pong() end
      function effect.pong() dispatch.ping() end
      """, limits: Limits(chain: 100))
    try trial.play("go")
    try trial.host.stop()
    #expect(trial.told().count == 1)
    #expect(trial.told().first?.contains("100 actions ran from the queue") != false)
  }

  @Test("callbacks during the end find the host stopped")
  func reentry() throws {
    let heard = Heard()
    let trial = try trial()
    let host = trial.host
    let subscription = try host.observe { commit in
      if commit.revision > 1 {
        do { _ = try host.revision } catch { heard.add("\(error)") }
      }
    }
    try trial.play("start")
    try withExtendedLifetime(subscription) { _ = try host.stop() }
    #expect(heard.all.count == 4)
    #expect(heard.all.allSatisfy { $0.contains("stopped") })
    #expect(throws: AgentError.self) { try host.stop() }
  }

  @Test("a host that is released without stop runs no clean-up and no on_error")
  func dropped() throws {
    let lines: Trial.Lines
    let reports: Trial.Lines
    do {
      let trial = try trial()
      (lines, reports) = (trial.printed, trial.reports)
      try trial.play("start")
    }
    #expect(lines.all == [])
    #expect(reports.all == [])
  }
}
