import LuaRuntime
import Testing

/// Rules of ContractOfHosts.md, section 7, as sentences with a test each.
@Suite("Steps of a dispatch") struct DispatchDesignTests {
  /// Every step of a dispatch can be made to say no, and tells that it was reached.
  private let steps = """
    state { n = 0, open = false, bad = false } action.turn {} action.take {} action.spoil {}
    action.go { n = integer, fails = optional(string) } action.after_go {}
    scope.s { key = function(s) return s.open end, actions = { "go" } }
    machine.m { initial = "a",
      a = { go = { to = "b", when = function(s, a) print("machine") return a.fails ~= "machine", "no" end },
        on_exit = function() print("exit") end },
      b = { turn = "b", on_enter = function(s, a) print("enter", s.m) if a.fails == "enter" then error("no") end end } }
    machine.t { initial = "x", x = { turn = "x" } }
    gatekeeper.k {
      go = { attempt = function(s, a) print("keeper") return "x" end },
      take = { attempt = "x" } }
    gate("one", { "go" }, function(s, a) print("gate one") return a.fails ~= "gate", "no" end)
    gate("two", { "go" }, function(s, a) print("gate two") return true end)
    function reduce.turn(s) s.open = not s.open end
    function reduce.go(s, a) print("reduce") s.n = a.n end
    function invariant.small(s) if s.n > 0 then print("invariant") end return s.n < 10 end
    function effect.go() print("effect") dispatch.after_go() end
    function effect.after_go() print("after") end
    """

  private func opened() throws -> Trial {
    let trial = try Trial(steps.split(separator: "turn = \"b\", ").joined())
    try trial.play("turn")
    _ = trial.printed.take()
    return trial
  }

  @Test(
    """
    The queue hands over one action at a time. Payload checked against the declaration.
    """)
  func payload() throws {
    let trial = try opened()
    #expect(try trial.play("go", ["n": "x"]) == "action go: n must be an integer, got \"x\"")
    #expect(trial.printed.take() == [])
    let queue = try Trial(
      """
      state { log = list {} } action.go {} action.a { n = integer } action.b {}
      function reduce.a(s, a) s.log[#s.log + 1] = "a" .. a.n end
      function reduce.b(s) s.log[#s.log + 1] = "b" end
      function effect.go() dispatch.a { n = 1 } dispatch.a { n = 2 } end
      function effect.a(self, a) dispatch.b() end
      """)
    try queue.play("go")
    #expect(try queue.state("log") == ["a1", "a2", "b", "b"])
  }

  @Test("Scope: the scope that owns the action must be open.")
  func scope() throws {
    let trial = try Trial(steps)
    #expect(
      try trial.play("go", ["n": 1]) == "refused by scope s: it is locked: scope s needs its key")
    #expect(trial.printed.all == [])
  }

  @Test("Machines: every machine that names the action must accept it in its state.")
  func machines() throws {
    let trial = try opened()
    #expect(try trial.play("go", ["n": 1, "fails": "machine"]) == "refused by machine m: no")
    #expect(trial.printed.take() == ["machine"])
  }

  @Test("Gatekeepers: every passage and reset must be possible. Nothing is taken yet.")
  func gatekeepers() throws {
    let trial = try opened()
    #expect(try trial.play("go", ["n": 1, "fails": "gate"]) == "refused by gate one: no")
    #expect(trial.printed.take() == ["machine", "keeper", "gate one"])
    try trial.play("take")
    #expect(
      try trial.play("go", ["n": 1]) == "refused by gatekeeper k: \"x\" is held since take (#2)")
    #expect(trial.printed.take() == ["machine", "keeper"])
  }

  @Test(
    """
    Gate rules, in the order of declaration. The first refusal ends the dispatch: `refused`, with \
    who and why.
    """)
  func rules() throws {
    let trial = try opened()
    guard case .refused(let refusal) = try trial.host.dispatch("go", ["n": 1, "fails": "gate"])
    else {
      Issue.record("go was not refused")
      return
    }
    #expect(refusal.rejectedBy == "gate one")
    #expect(refusal.reason == "no")
    #expect(!trial.printed.all.contains("gate two"))
  }

  @Test(
    """
    One transition: gatekeepers take and reset, `on_exit`, the machines move, the reducer, \
    `on_enter`, invariants. Any error rolls back to the state before, and the dispatch has `failed`.
    """)
  func commit() throws {
    let trial = try opened()
    let before = try trial.host.state()
    #expect(try trial.play("go", ["n": 1, "fails": "enter"]).hasSuffix(": no"))
    #expect(try trial.play("go", ["n": 50]).contains("invariant.small does not hold"))
    #expect(try trial.host.state() == before)
    #expect(try trial.host.revision == 1)
    _ = trial.printed.take()
    try trial.play("go", ["n": 1])
    #expect(
      trial.printed.all == [
        "machine", "keeper", "gate one", "gate two", "exit", "reduce", "enter\tb", "invariant",
        "effect", "after",
      ])
  }

  @Test(
    """
    Revision n+1. Scopes whose key went away or changed close, new ones open, timers of left states \
    stop. Subscribers of views that changed are told.
    """)
  func stands() throws {
    let trial = try Trial(
      """
      state { id = none, n = 0 } action.open { id = integer } action.shut {} action.use {} action.late {}
      scope.s { key = function(s) return s.id end, actions = { "use" } }
      machine.m { initial = "a", a = { open = "b", after = { late = 5 } }, b = { shut = "a", open = "b" } }
      function reduce.open(s, a) s.id = a.id end
      function reduce.shut(s) s.id = nil end
      function view.id(s) return s.id or 0 end
      function effect.use(self) self:defer(function() print("closed", self.key) end) end
      """)
    let heard = Trial.Lines()
    let subscription = try trial.host.subscribe("id") { heard.add("\((try? $0.get()) ?? .nil)") }
    #expect(try trial.host.settle() == ["late is due at 5 s"])
    #expect(try trial.play("open", ["id": 1]) == "open passed (#1)")
    #expect(try trial.host.settle() == [])
    #expect(try trial.play("use") == "use passed (#2)")
    try trial.play("open", ["id": 2])
    #expect(trial.printed.take() == ["closed\t1"])
    #expect(try trial.play("use") == "use passed (#4)")
    try trial.play("shut")
    #expect(trial.printed.take() == ["closed\t2"])
    #expect(try trial.play("use").hasPrefix("refused by scope s"))
    #expect(heard.all == ["0", "1", "2", "0"])
    #expect(try trial.host.settle() == ["late is due at 5 s"])
    subscription.cancel()
  }

  @Test(
    """
    Effects start; what they dispatch goes to the back of the queue with this transition as its \
    cause.
    """)
  func effects() throws {
    let trial = try Trial(
      """
      state {} action.a {} action.b {} action.c {} action.d {}
      function effect.a() dispatch.b() dispatch.c() end
      function effect.b() dispatch.d() end
      """)
    try trial.play("a")
    let commits = try trial.host.commits
    #expect(commits.map(\.action) == ["a", "b", "c", "d"])
    #expect(commits.map(\.cause) == [nil, 1, 1, 2])
  }

  @Test("`failed` has a kind: `undeclared`, `payload`, `script`, `invariant` or `limit`.")
  func kinds() throws {
    let trial = try Trial(
      """
      state { n = 0 } action.a { n = integer } action.raise {} action.breaks {} action.spin {}
      function reduce.raise() error("no") end
      function reduce.breaks(s) s.n = 1 end
      function reduce.spin() while true do end end
      function invariant.zero(s) return s.n == 0 end
      """, limits: Limits(instructionsPerDispatch: 10_000))
    for (action, kind) in [
      ("b", "undeclared"), ("a", "payload"), ("raise", "script"), ("breaks", "invariant"),
      ("spin", "limit"),
    ] {
      #expect(try trial.host.failure(of: action)?.kind.rawValue == kind)
    }
  }

  @Test(
    """
    `may("NAME", payload)` or `may.NAME(payload)` answers steps 1 to 5 without dispatching: true, or \
    false, the sentence and who; in effects, scenarios and the host.
    """)
  func may() throws {
    let trial = try Trial(
      """
      state { n = 0 } action.push { n = integer } action.ask {} action.ruled {}
      function gate.push(s, a) return a.n > 1, "too few" end
      function reduce.push(s, a) s.n = a.n end
      function effect.ask()
        print(may("push", { n = 2 }))
        print(may.push { n = 1 })
        print(may.push { n = "x" })
        print(may("pull"))
      end
      function gate.ruled() return may("push") end
      """)
    try trial.play("ask")
    #expect(
      trial.printed.all == [
        "true", "false\trefused by gate push: too few\tgate push",
        "false\taction push: n must be an integer, got \"x\"\tpayload",
        "false\tthere is no action pull\tundeclared",
      ])
    #expect(try trial.host.may("push", ["n": 2]).isGranted)
    #expect(try trial.state("n") == 0)
    #expect(try trial.play("ruled").contains("a gate rule cannot call may"))
  }
}
