import LuaRuntime
import Testing

/// Rules of ContractOfHosts.md, as sentences with a test each.
@Suite("Rules in one line each") struct PinnedDownDesignTests {
  @Test(
    """
    Lists are 1 to n without holes; writing past n+1, nil in the middle or a string key is an error \
    at once.
    """,
    arguments: ["s.numbers[5] = 1", "s.numbers[1] = nil", "s.numbers.a = 1", "s.numbers[0] = 1"])
  func lists(code: String) throws {
    let trial = try Trial(going("\(code) error('too late')"))
    #expect(try trial.play("go").contains("too late") == false)
    #expect(try trial.play("go").hasPrefix("flow.lua:"))
    #expect(try trial.state("numbers") == [10, 20, 30])
    #expect(try Trial(going("s.numbers[4] = 1 s.numbers[4] = nil")).play("go") == "go passed (#1)")
  }

  @Test(
    """
    Integral float keys become integers, other floats and booleans as keys are refused; -0.0 becomes \
    0.0; infinities are allowed in the state, NaN is not.
    """)
  func numbers() throws {
    let trial = try Trial(going("s.byNumber[7.0] = 'seven' s.x = -0.0"))
    try trial.play("go")
    #expect(try trial.state("byNumber") == .map([5: "five", 7: "seven"]))
    #expect(try trial.state("x").description == "0.0")
    #expect(try Trial(going("s.x = 1 / 0")).play("go") == "go passed (#1)")
    for code in ["s.byNumber[7.5] = 1", "s.byNumber[true] = 1", "s.x = 0 / 0", "s.open[false] = 1"]
    {
      #expect(try Trial(going(code)).play("go").hasPrefix("flow.lua:"), "\(code)")
    }
  }

  @Test(
    """
    `pairs` sees the keys that were there at its start; on ordinary tables with table or function \
    keys it raises.
    """)
  func pairs() throws {
    let trial = try Trial(
      going(
        "for k in pairs(s.open) do s.n = s.n + 1 s.open[k .. 'x'] = { b = 2 } s.open[k] = nil end"))
    try trial.play("go")
    #expect(try trial.state("n") == 2)
    #expect(try trial.state("open") == ["ax": ["b": 2]])
    for key in ["{}", "print"] {
      #expect(
        try Trial(going("for k in pairs({ [\(key)] = 1 }) do end")).play("go").hasPrefix(
          "flow.lua:"))
    }
  }

  @Test(
    """
    An effect's dispatch is checked at the call and raises there; the host's is checked at the \
    dispatch and is an outcome.
    """)
  func checked() throws {
    let trial = try Trial(
      """
      state {} action.go {} action.add { n = integer }
      function effect.go() dispatch.add { n = "x" } end
      """)
    try trial.play("go")
    #expect(
      trial.told() == [
        "effect.go did not finish: flow.lua:2: action add: n must be an integer, got \"x\""
      ])
    #expect(try trial.play("add", ["n": "x"]) == "action add: n must be an integer, got \"x\"")
  }

  @Test(
    """
    `may` has no cause, so it is never stale; it looks at the current state, not behind the queue.
    """)
  func may() throws {
    let trial = try Trial(
      """
      state { n = 0 } action.load { after = number } action.stop {} action.loaded {} action.add {} action.many {}
      gatekeeper.k { load = { attempt = "x" }, stop = { reset = "x" }, loaded = { reset = "x" } }
      function effect.load(self, a) sleep(a.after) print(may.loaded()) dispatch.loaded() end
      function gate.add(s) return s.n < 1, "one is enough" end
      function reduce.add(s) s.n = s.n + 1 end
      function effect.many() dispatch.add() print(may.add()) end
      """)
    try trial.play("load", ["after": 1])
    try trial.play("stop")
    try trial.play("load", ["after": 5])
    try trial.advance(1)
    #expect(trial.printed.take() == ["true"])
    #expect(trial.told().count == 1)
    try trial.play("many")
    #expect(trial.printed.take() == ["true"])
    #expect(try trial.host.may("add").isGranted == false)
  }

  @Test("A refusal without a reason reads `gate push gave no reason (turnstile.lua:7)`.")
  func noReason() throws {
    let trial = try Trial(
      "state {}\naction.push {}\n\n\n\n\nfunction gate.push() return false end",
      name: "turnstile.lua")
    #expect(try trial.play("push") == "gate push gave no reason (turnstile.lua:7)")
  }

  @Test(
    """
    A limit that is hit in a view or an effect ends that view or effect, never the committed \
    transition.
    """)
  func limits() throws {
    let trial = try Trial(
      """
      state { n = 0 } action.go {}
      function reduce.go(s) s.n = s.n + 1 end
      function effect.go() while true do end end
      function view.n(s) if s.n > 0 then while true do end end return s.n end
      """, limits: Limits(instructionsPerDispatch: 20_000))
    let heard = Trial.Lines()
    let subscription = try trial.host.subscribe("n") {
      heard.add((try? $0.get())?.description ?? "none")
    }
    #expect(try trial.play("go") == "go passed (#1)")
    #expect(try trial.state("n") == 1)
    #expect(heard.all == ["0", "none"])
    #expect(trial.told().first?.hasPrefix("effect.go did not finish: flow.lua:3: ") == true)
    subscription.cancel()
  }

  @Test(
    """
    A gatekeeper's refusal names the first option refused, in the order written; strings and tables \
    mixed in one keeper are a fault; `reset = "*"` resets all.
    """)
  func gatekeepers() throws {
    let trial = try Trial(
      """
      state {} action.take {} action.other {} action.clear {}
      gatekeeper.k { take = { attempt = { "z", "a" } }, other = { attempt = { "z", "a" } },
        clear = { reset = "*" } }
      """)
    try trial.play("take")
    #expect(try trial.play("other") == "refused by gatekeeper k: \"z\" is held since take (#1)")
    try trial.play("clear")
    #expect(try trial.play("other") == "other passed (#3)")
    #expect(
      faults(
        of: """
          state {} action.a {} action.b {}
          gatekeeper.k { a = "attempt", b = { attempt = "x" } }
          """
      ).first?.hasPrefix("flow.lua:2: gatekeeper k mixes strings and tables") == true)
  }

  @Test("when several machines refuse, the first in the order of declaration is named")
  func machines() throws {
    let trial = try Trial(
      """
      state {} action.go {} action.back {}
      machine.z { initial = "x", x = { back = "y" }, y = { go = "x" } }
      machine.a { initial = "x", x = { back = "y" }, y = { go = "x" } }
      """)
    #expect(
      try trial.play("go") == "refused by machine z: go is not possible in x (possible in: y)")
  }

  @Test(
    """
    Factories may do what the calling effect may; the names `key`, `parent`, `unlock`, `close`, \
    `defer` are taken.
    """)
  func factories() throws {
    let trial = try Trial(
      """
      state { n = 0 } action.go {} action.add {}
      scope.root { make = { worker = function(self, n)
        sleep(n) dispatch.add() return { name = self:ping() } end } }
      function reduce.add(s) s.n = s.n + 1 end
      function effect.go(self) print(self:worker(2).name) end
      """
    ) { $0.root.provide("ping") { () in "pong" } }
    try trial.play("go")
    #expect(try trial.state("n") == 0)
    try trial.advance(2)
    #expect(try trial.state("n") == 1)
    #expect(trial.printed.all == ["pong"])
    for name in ["key", "parent", "unlock", "close", "defer"] {
      #expect(
        faults(of: "state {} action.a {} scope.root { make = { \(name) = function() end } }") == [
          "flow.lua:1: scope root: make.\(name): the name \(name) is taken"
        ])
    }
  }

  @Test(
    "`defer` functions may dispatch, may not wait; an error in one is reported and the rest run.")
  func deferred() throws {
    let trial = try Trial(
      """
      state { n = 0 } action.go {} action.add {}
      function reduce.add(s) s.n = s.n + 1 end
      scope.s { key = function() end }
      function effect.go(self)
        local own <close> = self:unlock("s", 1)
        own:defer(function() dispatch.add() end)
        own:defer(function() error("broken") end)
        own:defer(function() sleep(1) end)
        own:defer(function() print("ran") end)
      end
      """)
    try trial.play("go")
    #expect(trial.printed.all == ["ran"])
    #expect(try trial.state("n") == 1)
    let told = trial.told()
    #expect(told.count == 2)
    #expect(told.first?.hasPrefix("a clean-up of scope s failed: flow.lua:8: ") == true)
    #expect(told.last == "a clean-up of scope s failed: flow.lua:7: broken")
  }

  @Test(
    "`:close()` on the instance of the state's own key is an error (\"clear its key instead\").")
  func close() throws {
    let trial = try Trial(
      """
      state { id = 1 } action.go {}
      scope.s { key = function(s) return s.id end, actions = { "go" } }
      function effect.go(self) print(pcall(function() self:close() end)) print(self.key) end
      """)
    try trial.play("go")
    #expect(trial.printed.all.first?.hasSuffix("clear its key instead") == true)
    #expect(trial.printed.all.last == "1")
  }

  @Test("Every queued action has a cause, and `cause` in its commit is the direct one.")
  func causes() throws {
    let trial = try Trial(
      """
      state {} action.a {} action.b {} action.c {} action.late {} action.undone {}
      machine.m { initial = "x", x = { a = "y" }, y = { late = "x", after = { late = 1 } } }
      function effect.a() dispatch.b() end
      effect.b { run = function() dispatch.c() error("no") end, on_error = "undone" }
      """)
    try trial.play("a")
    try trial.advance(1)
    let commits = try trial.host.commits
    #expect(commits.map(\.action) == ["a", "b", "c", "undone", "late"])
    #expect(commits.map(\.cause) == [nil, 1, 2, 2, 1])
  }

  @Test("`sleep(0)` resumes after the actions queued by then.")
  func sleepNothing() throws {
    let trial = try Trial(
      """
      state {} action.a {} action.b {} action.c {}
      function effect.a() dispatch.b() sleep(0) print("a goes on") end
      function effect.b() print("b") dispatch.c() end
      function effect.c() print("c") end
      """)
    try trial.play("a")
    #expect(trial.printed.all == ["b", "a goes on", "c"])
  }

  @Test("A capability that throws raises a string with the capability's name.")
  func throwing() async throws {
    struct Broken: Error, CustomStringConvertible { let description = "no network" }
    let trial = try Trial(
      """
      state { done = false } action.now {} action.later {} action.done {}
      function effect.now(self) print(pcall(function() self:fetch() end)) end
      function reduce.done(s) s.done = true end function view.done(s) return s.done end
      function effect.later(self) print(pcall(function() self:load() end)) dispatch.done() end
      """
    ) {
      $0.root.provide("fetch") { () throws -> Int in throw Broken() }
      $0.root.provide("load") { () async throws -> Int in throw Broken() }
    }
    try trial.play("now")
    try await trial.waiting(for: "done") { try trial.play("later") }
    #expect(
      trial.printed.all == [
        "false\tflow.lua:2: fetch: no network", "false\tflow.lua:4: load: no network",
      ])
  }

  @Test(
    """
    States, fields and options are listed sorted by name; Lua's table constructors keep no order.
    """)
  func sorted() throws {
    let trial = try Trial(
      """
      state { z = 1, a = 2, m = 3 } action.go {} action.list {} action.pay { z = integer, a = integer }
      machine.door { initial = "out", out = { list = "out" }, zoo = { go = "out" }, ant = { go = "out" },
        bee = { go = "out" }, ["*"] = { pay = "zoo", list = "ant" } , cat = { list = "bee" } }
      function effect.list() end
      function view.all(s) local names = {} for k in pairs(s) do names[#names + 1] = k end return names end
      """.split(separator: "out = { list = \"out\" }").joined(
        separator: "out = { list = { { to = \"bee\", when = function() return false end }, "
          + "{ to = \"cat\", when = function() return false end }, \"out\" } }"))
    #expect(
      try trial.play("go")
        == "refused by machine door: go is not possible in out (possible in: ant, bee, zoo)")
    #expect(try trial.host.view("all") == ["a", "door", "m", "z"])
    #expect(
      try trial.play("pay", ["z": "x", "a": "x"])
        == "action pay: a must be an integer, got \"x\"; z must be an integer, got \"x\"")
  }
}
