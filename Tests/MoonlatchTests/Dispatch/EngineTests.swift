import FlowHosting
import FlowKernel
import LuaRuntime
import Testing

@Suite struct EngineTests {
  // MARK: Gates

  @Test(
    "a gate rule accepts an action, or refuses it with a reason",
    arguments: [
      ("return true", "go passed (#1)"), ("return 1", "go passed (#1)"),
      ("return ''", "go passed (#1)"),
      ("return false, 'not now'", "refused by gate go: not now"),
      ("return nil, 'not now'", "refused by gate go: not now"),
      ("return s.n > 5, 'too small'", "refused by gate go: too small"),
      ("return false, 42", "refused by gate go: 42"),
      ("return false", "gate go gave no reason (flow.lua:11)"),
      ("return nil", "gate go gave no reason (flow.lua:11)"),
      ("return false, ''", "gate go gave no reason (flow.lua:11)"),
    ])
  func rule(body: String, outcome: String) throws {
    let host = try FlowHost(source: going("", more: "function gate.go(s, a) \(body) end"))
    #expect(try host.dispatch("go").description == outcome)
  }

  @Test("a rule that returns no value fails the dispatch, and does not accept it")
  func nothing() throws {
    let failure = try FlowHost(
      source: going("", more: "function gate.go(s) if s.n > 5 then return true end end")
    )
    .failure()
    #expect(failure?.kind == .script)
    #expect(failure?.message == "gate go returned nothing; end it with \"return true\"")
    #expect(failure?.script?.place == "flow.lua:11")
  }

  @Test("a rule that raises fails the dispatch, with its source location")
  func raising() throws {
    let failure = try FlowHost(
      source: going("", more: "function gate.go(s)\n  return nil .. 'x'\nend")
    )
    .failure()
    #expect(failure?.kind == .script)
    #expect(failure?.script?.place == "flow.lua:12")
    #expect(failure?.script?.traceback == ["flow.lua:12: in function 'gate.go'"])
  }

  @Test("a named rule over several or all actions gets the action's name")
  func named() throws {
    let host = try FlowHost(
      source: """
        state { power = false, log = list {} }
        action.coin {}
        action.push {}
        action.on {}
        gate("powered", { "coin", "push" }, function(s, a, name) return s.power, "no power for " .. name end)
        gate("known", "*", function(s, a, name) return name ~= "push" or s.power, "never " .. name end)
        gate("one", "push", function(s, a, name) return true end)
        function reduce.on(s) s.power = true end
        """)
    #expect(try host.dispatch("coin").description == "refused by gate powered: no power for coin")
    #expect(try host.dispatch("push").description == "refused by gate powered: no power for push")
    #expect(try host.dispatch("on").isPassed)
    #expect(try host.dispatch("push").isPassed)
  }

  @Test("all rules must agree, and the first refusal in order of declaration ends the dispatch")
  func order() throws {
    let host = try FlowHost(
      source: """
        state {}
        action.go { n = integer }
        gate("first", "*", function(s, a) return a.n ~= 1, "first" end)
        function gate.go(s, a) return a.n ~= 2 and a.n ~= 1, "second" end
        gate("third", { "go" }, function(s, a) return a.n > 3, "third" end)
        """)
    for (n, by) in [(1, "gate first"), (2, "gate go"), (3, "gate third")] {
      guard case .refused(let refusal) = try host.dispatch("go", ["n": .integer(n)]) else {
        Issue.record("\(n) passed")
        continue
      }
      #expect(refusal.rejectedBy == by)
    }
    #expect(try host.dispatch("go", ["n": 4]).isPassed)
  }

  @Test("may gives the answer of a dispatch, and changes nothing")
  func may() throws {
    let host = try FlowHost(source: turnstile)
    guard case .refused(let refusal) = try host.may("push") else { return #expect(Bool(false)) }
    #expect(refusal.description == "refused by gate push: insert a coin first")
    #expect(try host.may("coin", ["amount": 1]).isGranted)
    guard case .failed(let failure) = try host.may("coin", ["amount": 0]) else {
      return #expect(Bool(false))
    }
    #expect(failure.kind == .payload)
    guard case .failed(let missing) = try host.may("nothing") else { return #expect(Bool(false)) }
    #expect(missing.kind == .undeclared)
    #expect(try host.revision == 0)
  }

  // MARK: Reducers

  @Test(
    "a reducer may return nothing, nil or the state",
    arguments: ["", "return", "return nil", "return s"])
  func fine(body: String) throws { try FlowHost(source: going(body)).passing() }

  @Test(
    "any other value is an error that shows how to write it, and changes nothing",
    arguments: [
      "return 5", "return {}", "return s.user", "return s, 1", "return false", "return nil, nil",
    ])
  func returned(body: String) throws {
    let host = try FlowHost(source: going("s.n = 2 \(body)"))
    let failure = try host.failure()
    #expect(
      failure?.message
        == "a reducer changes the state in place and returns nothing: write \"s.field = value\"")
    #expect(failure?.script?.place == "flow.lua:12")
    #expect(try host.state()["n"] == 1)
  }

  @Test("an action without a reducer is a commit without changes")
  func noReducer() throws {
    let host = try FlowHost(source: "state { n = 1 }\naction.go {}")
    #expect(try host.passing()?.writes.isEmpty == true)
    #expect(try host.revision == 1)
  }

  @Test("an error in a reducer has its location and traceback")
  func error() throws {
    let host = try FlowHost(
      source: going(
        "deep(s)",
        more:
          "local function inner(s) return s.rows[7].id end\nfunction deep(s) local x = inner(s) return x end"
      ))
    let failure = try host.failure()
    #expect(failure?.kind == .script)
    let place = "flow.lua:11: attempt to index a nil value"
    #expect(failure?.summary.hasPrefix(place) == true)
    #expect(
      failure?.script?.traceback == [
        "flow.lua:11: in upvalue 'inner'", "flow.lua:12: in global 'deep'",
        "flow.lua:14: in function 'reduce.go'",
      ])
  }

  @Test("an exceeded limit is named with the line, and the host stays usable")
  func limits() throws {
    let host = try FlowHost(
      source: going("s.n = 2\nwhile true do s.n = s.n + 1 end", more: "action.other {}"),
      options: HostOptions(limits: Limits(instructionsPerDispatch: 50_000)))
    let failure = try host.failure()
    #expect(failure?.kind == .limit)
    #expect(failure?.message == "the instruction limit is reached (50000)")
    #expect(failure?.script?.place == "flow.lua:14")
    #expect(try host.state()["n"] == 1)
    #expect(try host.dispatch("other").isPassed)
    let hungry = try FlowHost(
      source: going("local t = {} while true do t[#t + 1] = { s.n } end"),
      options: HostOptions(limits: Limits(memory: 4 << 20)))
    #expect(try hungry.failure()?.kind == .limit)
    #expect(
      try hungry.failure()?.message == "not enough memory (the memory limit is 4194304 bytes)")
    #expect(try hungry.state()["n"] == 1)
  }

  // MARK: Invariants

  @Test("a transition that violates an invariant is rolled back, and the failure shows the patch")
  func invariant() throws {
    let host = try FlowHost(
      source: going(
        "s.n = -1 s.name = 'b'",
        more: "function invariant.positive(s) return s.n > 0, 'it is ' .. s.n end"))
    let failure = try host.failure()
    #expect(failure?.kind == .invariant)
    #expect(failure?.message == "invariant.positive does not hold: it is -1")
    #expect(failure?.script?.place == "flow.lua:11")
    #expect(failure?.writes?.description == "n: 1 -> -1\nname: \"a\" -> \"b\"")
    #expect(try host.state()["n"] == 1)
    #expect(try host.revision == 0)
  }

  @Test("an invariant is checked at the start")
  func invariantAtStart() {
    #expect(
      faults(of: "state { n = 0 }\naction.go {}\nfunction invariant.positive(s) return s.n > 0 end")
        == ["flow.lua:3: invariant.positive does not hold"])
  }

  @Test("an invariant that returns no value, or raises, is violated")
  func invariantSilent() throws {
    #expect(
      faults(of: "state { n = 0 }\nfunction invariant.i(s) local x = s.n end").first?
        .contains("returned nothing") == true)
    let host = try FlowHost(
      source: going(
        "s.n = 2", more: "function invariant.i(s) return s.n == 1 or error('broken') end"))
    #expect(try host.failure()?.message == "broken")
    #expect(try host.state()["n"] == 1)
  }

  @Test("an invariant that was violated once is evaluated again, and accepts valid changes")
  func invariantAgain() throws {
    let host = try FlowHost(
      source: """
        state { n = 1 }
        action.set { n = integer }
        function reduce.set(s, a) s.n = a.n end
        function invariant.small(s) return s.n < 10, "too large" end
        """)
    for (n, passes) in [(5, true), (50, false), (6, true), (60, false), (60, false), (9, true)] {
      #expect(try host.dispatch("set", ["n": .integer(n)]).isPassed == passes)
    }
    #expect(try host.state()["n"] == 9)
  }

  // MARK: Views

  private let viewed = """
    state { n = 1, m = 1, rows = { { id = 1, open = true }, { id = 2, open = false } }, pick = none, by = map { a = 1 } }
    action.n {} function reduce.n(s) s.n = s.n + 1 end
    action.m {} function reduce.m(s) s.m = s.m + 1 end
    action.same {} function reduce.same(s) s.n = s.n end
    action.row { i = integer } function reduce.row(s, a) s.rows[a.i].id = s.rows[a.i].id + 10 end
    action.add {} function reduce.add(s) table.insert(s.rows, 1, { id = 0, open = true }) end
    action.key { k = string } function reduce.key(s, a) s.by[a.k] = 2 end
    action.pick { p = integer } function reduce.pick(s, a) s.pick = a.p end
    action.fail {} function reduce.fail(s) s.n = 99 error("no") end
    function view.n(s) return s.n end
    function view.sum(s) return s.n + s.m end
    function view.first(s) return s.rows[1].id end
    function view.count(s) return #s.rows end
    function view.open(s)
      local t = {}
      for i, row in ipairs(s.rows) do if row.open then t[#t + 1] = row end end
      return t
    end
    function view.keys(s) local n = 0 for k in pairs(s.by) do n = n + 1 end return n end
    function view.a(s) return s.by.a end
    function view.zz(s) return s.by.zz end
    function view.picked(s) return s.rows[s.pick] end
    function view.all(s) return s.rows end
    function view.nested(s) return { n = view.n(), both = view.sum() } end
    function view.nothing(s) end
    """

  @Test("a view returns plain data that is read-only and its own copy")
  func viewValues() throws {
    let host = try FlowHost(source: viewed)
    #expect(try host.view("n") == 1)
    #expect(try host.view("open") == [["id": 1, "open": true]])
    #expect(try host.view("all") == [["id": 1, "open": true], ["id": 2, "open": false]])
    #expect(try host.view("nested") == ["n": 1, "both": 2])
    #expect(try host.view("nothing") == .nil)
    #expect(try host.view("picked") == .nil)
    #expect(try host.view("zz") == .nil)
  }

  @Test(
    "a view is recomputed only if something that it read has changed",
    arguments: [
      ("n", "n", [:], true), ("n", "m", [:], false), ("n", "same", [:], false),
      ("n", "fail", [:], false),
      ("sum", "m", [:], true), ("first", "n", [:], false), ("first", "row", ["i": 1], true),
      ("first", "row", ["i": 2], false), ("first", "add", [:], true),
      ("count", "row", ["i": 1], false),
      ("count", "add", [:], true), ("open", "row", ["i": 1], true), ("open", "add", [:], true),
      ("keys", "key", ["k": "b"], true), ("a", "key", ["k": "b"], false),
      ("a", "key", ["k": "a"], true),
      ("zz", "key", ["k": "zz"], true), ("picked", "pick", ["p": 2], true),
      ("picked", "row", ["i": 2], false),
      ("all", "row", ["i": 2], true), ("nested", "m", [:], true),
      ("nested", "pick", ["p": 1], false),
    ] as [(String, String, Value, Bool)])
  func recomputed(view: String, action: String, payload: Value, again: Bool) throws {
    let host = try FlowHost(source: viewed)
    _ = try host.view(view)
    _ = try host.view(view)
    #expect(try host.recomputations(of: view) == 1)
    _ = try host.dispatch(action, payload)
    _ = try host.view(view)
    #expect(try host.recomputations(of: view) == (again ? 2 : 1))
  }

  @Test("a view made stale by one action stays stale when the next one fails")
  func staleAcrossFailures() throws {
    let host = try FlowHost(source: viewed)
    #expect(try host.view("n") == 1)
    #expect(try host.view("sum") == 2)
    try host.passing("n")
    try host.failure(of: "fail")
    #expect(try host.view("n") == 2)
    try host.passing("row", ["i": 1])
    try host.passing("m")
    try host.passing("add")
    try host.failure(of: "fail")
    #expect(try host.view("sum") == 4)
  }

  @Test("a view that raises has no value until something it read changes, and the commit stands")
  func failingView() throws {
    let host = try FlowHost(
      source: """
        state { n = 0 }
        action.go {}
        function reduce.go(s) s.n = s.n + 1 end
        function view.half(s) if s.n == 1 then error("no half") end return s.n / 2 end
        """)
    #expect(try host.view("half") == 0.0)
    #expect(try host.dispatch("go").isPassed)
    #expect { try host.view("half") } throws: {
      guard case .failed(let error)? = $0 as? ViewError else { return false }
      return error.message == "no half" && error.place == "flow.lua:4"
    }
    #expect(try host.dispatch("go").isPassed)
    #expect(try host.view("half") == 1.0)
  }

  @Test("a view that returns no plain data, and an undeclared view, are errors")
  func wrongViews() throws {
    let host = try FlowHost(
      source:
        "state { n = 1 }\nfunction view.f(s) return { f = error } end\nfunction view.g(s) return error end\nfunction view.endless(s) while true do end end"
    )
    #expect { try host.view("f") } throws: { "\($0)".contains("f: a function is not plain data") }
    #expect { try host.view("g") } throws: { "\($0)".contains("a function is not plain data") }
    #expect { try host.view("endless") } throws: {
      guard case .failed(let error)? = $0 as? ViewError else { return false }
      return error.kind == .limit
    }
    #expect { try host.view("ff") } throws: { "\($0)" == "there is no view ff" }
  }

  @Test("rules that read views never see a value from a rolled-back transition")
  func viewsInRules() throws {
    let host = try FlowHost(
      source: """
        state { n = 1 }
        action.go { n = integer }
        action.check { n = integer }
        function view.n(s) return s.n end
        function gate.check(s, a) return view.n() == a.n, "it is " .. view.n() end
        function reduce.go(s, a)
          s.n = a.n
          if a.n > 9 then error("too large: " .. s.n) end
        end
        function invariant.seen(s) return view.n() < 5, "too large" end
        """)
    #expect(try host.dispatch("check", ["n": 1]).isPassed)
    #expect(!(try host.dispatch("go", ["n": 7]).isPassed))
    #expect(try host.dispatch("check", ["n": 1]).isPassed)
    #expect(!(try host.dispatch("go", ["n": 70]).isPassed))
    #expect(try host.dispatch("check", ["n": 1]).isPassed)
    #expect(try host.dispatch("go", ["n": 3]).isPassed)
    #expect(try host.dispatch("check", ["n": 3]).isPassed)
  }
}
