import FlowKernel
import LuaRuntime
import Testing

/// Rules of ContractOfHosts.md, section 5, as sentences with a test each.
@Suite("view") struct ViewDesignTests {
  @Test("`function view.NAME(s)` selects from the state and returns plain data.")
  func plain() throws {
    let trial = try Trial(
      """
      state { user = { name = "a" }, n = 1 } action.go {}
      function view.user(s) return s.user end
      function view.made(s) return { n = s.n, list = { 1, 2 } } end
      function view.wrong(s) return print end
      """)
    #expect(try trial.host.view("user") == ["name": "a"])
    #expect(try trial.host.view("made") == ["n": 1, "list": [1, 2]])
    #expect(throws: ViewError.self) { try trial.host.view("wrong") }
  }

  @Test(
    """
    Effects, factories, rules and scenarios read with `view.NAME()`: effects and factories are \
    given no state, only views.
    """)
  func reading() throws {
    let trial = try Trial(
      """
      state { n = 0 } action.go {} action.ruled {}
      scope.root { make = { thing = function(self, ...) return view.n() + select("#", ...) end } }
      function view.n(s) return s.n end
      function reduce.go(s) s.n = s.n + 1 end
      function gate.ruled() return view.n() > 0, "none" end
      function effect.go(self, a, t, ...) print(view.n(), self:thing(), select("#", ...)) end
      """)
    #expect(try trial.play("ruled") == "refused by gate ruled: none")
    try trial.play("go")
    #expect(trial.printed.all == ["1\t1\t0"])
    #expect(try trial.play("ruled") == "ruled passed (#2)")
  }

  @Test(
    """
    A view runs when a subscriber or a reader asks for it and something that it read has changed; \
    subscribers hear only of changes in its value, in the order in which they subscribed.
    """)
  func recomputed() throws {
    let trial = try Trial(
      """
      state { n = 0, m = 0 } action.n { by = integer { default = 1 } } action.m {}
      function view.even(s) return s.n % 2 == 0 end
      function reduce.n(s, a) s.n = s.n + a.by end
      function reduce.m(s) s.m = s.m + 1 end
      """)
    let heard = Trial.Lines()
    #expect(try trial.host.recomputations(of: "even") == 0)
    _ = try trial.host.view("even")
    _ = try trial.host.view("even")
    try trial.play("m")
    _ = try trial.host.view("even")
    #expect(try trial.host.recomputations(of: "even") == 1)
    try trial.play("n")
    try trial.play("n")
    #expect(try trial.host.recomputations(of: "even") == 1)
    let first = try trial.host.subscribe("even") { heard.add("first \((try? $0.get()) ?? .nil)") }
    let second = try trial.host.subscribe("even") { heard.add("second \((try? $0.get()) ?? .nil)") }
    #expect(try trial.host.recomputations(of: "even") == 2)
    #expect(heard.take() == ["first true", "second true"])
    try trial.play("n", ["by": 2])
    #expect(try trial.host.recomputations(of: "even") == 3)
    #expect(heard.take() == [])
    try trial.play("n")
    #expect(heard.take() == ["first false", "second false"])
    first.cancel()
    second.cancel()
  }

  @Test(
    """
    To know what was read, the reads of views and invariants are recorded (`__index` a function: \
    dearer, but paid only when one runs again); a list or map that was iterated counts as read \
    with all that is in it; machines and gatekeepers count like fields.
    """)
  func recording() throws {
    let trial = try Trial(
      """
      state { rows = { { n = 1 }, { n = 2 } }, other = { 5 } } action.row { at = integer }
      action.other {} action.go {} action.take {} action.add {}
      machine.m { initial = "a", a = { go = "b" }, b = { go = "a" } }
      gatekeeper.k { take = { attempt = "x" } }
      function view.one(s) return s.rows[1].n end
      function view.count(s) local n = 0 for _ in pairs(s.rows) do n = n + 1 end return n end
      function view.m(s) return s.m end
      function view.k(s) return gatekeeper.k:may_pass("x") end
      function reduce.row(s, a) s.rows[a.at].n = s.rows[a.at].n + 1 end
      function reduce.add(s) s.rows[#s.rows + 1] = { n = 0 } end
      function reduce.other(s) s.other[1] = s.other[1] + 1 end
      """)
    func runs(after action: String, _ payload: Value = [:]) throws -> [String] {
      let names = ["one", "count", "m", "k"]
      let before = try names.map { name in
        _ = try trial.host.view(name)
        return try trial.host.recomputations(of: name)
      }
      try trial.play(action, payload)
      return try zip(names, before).filter { name, count in
        _ = try trial.host.view(name)
        return try trial.host.recomputations(of: name) > count
      }.map(\.0)
    }
    // A loop over a list reads the records in it, as far as they hold no tables.
    #expect(try runs(after: "row", ["at": 1]) == ["one", "count"])
    #expect(try runs(after: "row", ["at": 2]) == ["count"])
    #expect(try runs(after: "add") == ["count"])
    #expect(try runs(after: "other") == [])
    #expect(try runs(after: "go") == ["m"])
    #expect(try runs(after: "take") == ["k"])
  }

  @Test(
    """
    A view that raises has no value: reading it raises, its subscribers are told, the transition \
    stands.
    """)
  func raising() throws {
    let trial = try Trial(
      """
      state { n = 0 } action.go {} action.ask {}
      function view.picky(s) if s.n == 1 then error("not one") end return s.n end
      function reduce.go(s) s.n = s.n + 1 end
      function effect.ask() print(pcall(view.picky)) end
      """)
    let heard = Trial.Lines()
    let subscription = try trial.host.subscribe("picky") {
      switch $0 {
      case .success(let value): heard.add("\(value)")
      case .failure(let error): heard.add(String("\(error)".prefix { $0 != "\n" }))
      }
    }
    #expect(try trial.play("go") == "go passed (#1)")
    #expect(throws: ViewError.self) { try trial.host.view("picky") }
    try trial.play("ask")
    try trial.play("go")
    #expect(heard.all == ["0", "flow.lua:2: not one", "2"])
    #expect(trial.printed.all == ["false\tflow.lua:2: not one"])
    subscription.cancel()
  }
}
