import Testing

/// Rules of ContractOfHosts.md, section 9, as sentences with a test each.
@Suite("effect") struct EffectDesignTests {
  @Test(
    """
    `function effect.NAME(self, a, commit)` runs after NAME has passed, as a coroutine; `self` \
    is the instance of the scope that owns the action, open when the action passed; `commit` \
    has `action`, `revision`, `cause`, `time`, `changes`, `writes`.
    """)
  func arguments() throws {
    let trial = try Trial(
      """
      state { id = 7, n = 0 } action.go { by = integer } action.next {} action.shut {}
      scope.s { key = function(s) return s.id end, actions = { "go" } }
      function gate.go(s, a) return a.by > 0, "no" end
      function reduce.go(s, a) s.n = s.n + a.by end
      function effect.go(self, a, t)
        print(self.key, a.by, t.action, t.revision, t.cause, t.time, t.changes[1].path, t.changes[1].old, t.writes[1].new)
        dispatch.next()
      end
      function effect.next(self, a, t) print(t.action, t.revision, t.cause, #t.writes) end
      """)
    try trial.advance(1.5)
    try trial.play("go", ["by": 0])
    #expect(trial.printed.take() == [])
    try trial.play("go", ["by": 2])
    #expect(
      trial.printed.take() == ["7\t2\tgo\t1\tnil\t1.5\tn\t0\t2", "next\t2\t1\t0"])
  }

  @Test(
    """
    It may `sleep(seconds)`, call capabilities (which may suspend it), `dispatch.NAME(payload)` or \
    `dispatch("NAME", payload)`, `after(seconds, "NAME", payload)`; `cancel("NAME")` stops every \
    pending timer of that action.
    """)
  func means() async throws {
    let trial = try Trial(
      """
      state { log = list {} } action.go {} action.note { text = string } action.stop {} action.fetch {}
      function reduce.note(s, a) s.log[#s.log + 1] = a.text .. " at " .. now() end
      function effect.go(self)
        dispatch.note { text = "one" }
        dispatch("note", { text = "two" })
        after(3, "note", { text = "three" })
        after(4, "note", { text = "four" })
        sleep(2)
        dispatch.note { text = self:ping() }
      end
      function effect.stop() print(cancel("note")) end
      function view.log(s) return s.log end
      function effect.fetch(self) dispatch.note { text = self:later("x") } end
      """
    ) {
      $0.root.provide("ping") { () in "pong" }
      $0.root.provide("later") { (text: String) async throws -> String in
        await Task.yield()
        return text + " later"
      }
    }
    try trial.play("go")
    try trial.advance(3)
    try trial.play("stop")
    try trial.advance(3)
    #expect(
      try trial.state("log") == ["one at 0.0", "two at 0.0", "pong at 2.0", "three at 3.0"])
    #expect(trial.printed.take() == ["1"])
    try await trial.waiting(for: "log") { try trial.play("fetch") }
    #expect(try trial.state("log").listValue?.last == "x later at 6.0")
  }

  @Test("Name and payload are checked at the call.")
  func checked() throws {
    let trial = try Trial(
      """
      state {} action.go {} action.add { n = integer }
      function effect.go()
        print(pcall(dispatch, "ad"))
        print(pcall(dispatch.add, { n = "x" }))
        print(pcall(after, 1, "add", {}))
        print(pcall(cancel, "ad"))
      end
      """)
    try trial.play("go")
    let lines = trial.printed.all
    #expect(lines.count == 4)
    #expect(lines[0].hasSuffix("there is no action ad; did you mean add?"))
    #expect(lines[1].hasSuffix("action add: n must be an integer, got \"x\""))
    #expect(lines[2].hasSuffix("action add: n must be an integer, but is missing"))
    #expect(lines[3].hasSuffix("there is no action ad; did you mean add?"))
    #expect(try trial.host.settle() == [])
  }

  @Test(
    """
    `effect("audit", "*", f)` runs after every action, with root as `self`; \
    `effect("audit", { "a", "b" }, f)` after some.
    """)
  func shared() throws {
    let trial = try Trial(
      """
      state { id = 1 } action.a {} action.b {} action.c {}
      scope.s { key = function(s) return s.id end, actions = { "a" } }
      effect("audit", "*", function(self, a, t) print("audit", t.action, tostring(self)) end)
      effect("some", { "a", "b" }, function(self, a, t) print("some", t.action) end)
      """)
    for action in ["a", "b", "c"] { try trial.play(action) }
    #expect(
      trial.printed.all == [
        "audit\ta\tscope root", "some\ta", "audit\tb\tscope root", "some\tb",
        "audit\tc\tscope root",
      ])
  }

  @Test(
    """
    Effects of one transition start in the order of declaration, each running to its first wait.
    """)
  func order() throws {
    let trial = try Trial(
      """
      state {} action.a {}
      effect("one", "*", function() print("1") sleep(0) print("4") end)
      function effect.a() print("2") sleep(1) print("5") end
      effect("three", { "a" }, function() print("3") end)
      """)
    try trial.play("a")
    try trial.advance(1)
    #expect(trial.printed.all == ["1", "2", "3", "4", "5"])
  }

  @Test(
    """
    Actions dispatched while another is in progress wait in a bounded queue, first in, first out; a \
    full queue raises where the dispatch was made.
    """)
  func queue() throws {
    let trial = try Trial(
      """
      state { log = list {}, n = 0 } action.go {} action.note { n = integer } action.flood {} action.tick {}
      function reduce.note(s, a) s.log[#s.log + 1] = a.n end
      function reduce.tick(s) s.n = s.n + 1 end
      function effect.go() for n = 1, 3 do dispatch.note { n = n } end print("told") end
      function effect.flood()
        while true do
          local fine, problem = pcall(dispatch, "tick")
          if not fine then print(problem) return end
        end
      end
      """)
    try trial.play("go")
    #expect(try trial.state("log") == [1, 2, 3])
    try trial.play("flood")
    #expect(trial.printed.all.last?.contains("the queue is full (10000 actions)") == true)
    #expect(trial.printed.all.last?.contains("flow.lua:7: ") == true)
    #expect(try trial.state("n") == 10000)
  }

  @Test(
    """
    `effect.load { run = function(self, a) ... end, on_error = "failed" }` is the long form: an \
    effect that does not finish (it raised, its scope closed, a snapshot was restored) dispatches \
    `on_error` with its own transition as cause, and `{ error = message }` if that action declares \
    the field.
    """)
  func onError() throws {
    let trial = try Trial(
      """
      state { open = true, log = list {} } action.load { how = string } action.failed { error = string }
      action.close {} action.bare {} action.bared {}
      scope.s { key = function(s) return s.open end, actions = { "load" } }
      function reduce.close(s) s.open = false end
      function reduce.failed(s, a) s.log[#s.log + 1] = a.error end
      effect.load { on_error = "failed", run = function(self, a)
        if a.how == "raise" then error("raised", 0) end
        sleep(10)
      end }
      effect.bare { on_error = "bared", run = function() error("x") end }
      """)
    try trial.play("load", ["how": "raise"])
    #expect(try trial.state("log") == ["raised"])
    #expect(try trial.host.commits.last?.cause == 1)
    try trial.play("load", ["how": "wait"])
    try trial.play("close")
    #expect(try trial.state("log") == ["raised", "scope s is closed (since close, #4)"])
    #expect(try trial.host.commits.last?.cause == 3)
    try trial.play("bare")
    #expect(try trial.host.commits.last?.action == "bared")
    #expect(trial.told() == [])
  }

  @Test("A failed effect without `on_error` is reported with its traceback.")
  func reported() throws {
    let trial = try Trial(
      """
      state {} action.go {}
      local function deep() error("no") end
      function effect.go() deep() end
      """)
    try trial.play("go")
    let report = trial.reports.all.joined()
    #expect(report.hasPrefix("effect.go did not finish: flow.lua:2: no\n"))
    #expect(report.contains("deep"))
    #expect(report.contains("effect.go"))
  }

  @Test(
    """
    A closing scope stops the effects that wait in it, running their `<close>`, and cancels what \
    they scheduled.
    """)
  func closing() throws {
    let trial = try Trial(
      """
      state { open = true } action.go {} action.close {} action.late {}
      scope.s { key = function(s) return s.open end, actions = { "go" } }
      function reduce.close(s) s.open = false end
      function effect.go(self)
        local thing <close> = setmetatable({}, { __close = function() print("closed", self.key) end })
        after(1, "late")
        after(0, "late")
        sleep(5)
        print("never")
      end
      """)
    try trial.play("go")
    #expect(try trial.host.revision == 2)
    try trial.play("close")
    #expect(trial.printed.all == ["closed\ttrue"])
    try trial.advance(10)
    #expect(try trial.host.revision == 3)
    #expect(try trial.host.settle() == [])
  }

  @Test(
    """
    `sleep` and waiting capabilities belong to the effect itself, not to a coroutine that it made.
    """)
  func coroutines() throws {
    let trial = try Trial(
      """
      state {} action.go {}
      function effect.go(self)
        print(select(2, coroutine.resume(coroutine.create(function() sleep(1) end))))
        print(select(2, coroutine.resume(coroutine.create(function() self:later() end))))
      end
      """
    ) { $0.root.provide("later") { () async throws -> Int in 1 } }
    try trial.play("go")
    #expect(trial.printed.all.count == 2)
    for line in trial.printed.all {
      #expect(
        line.contains("only the effect itself can wait, not a coroutine that it has created"))
    }
  }
}
