import FlowHosting
import FlowKernel
import LuaRuntime
import Testing

/// Errors in every function of a script leave the state unchanged.
@Suite struct AtomicityTests {
  /// Ways to go wrong: each raises, or never comes to an end.
  private static let errors = [
    "error('no')", "error({ code = 1 })", "error(nil)", "local x = nil + 1", "local x = s.nothing",
    "undefinedFunction()", "while true do end", "local t = {} while true do t[#t + 1] = { t } end",
    "local function f() return 1 + f() end f()", "coroutine.yield()",
    "coroutine.wrap(function() error('inside') end)()",
    "setmetatable({}, { __index = function() error('meta') end }).x = nil local y = setmetatable({}, { __index = function() error('meta') end }).x",
    "table.sort({ 3, 2, 1 }, function() error('order') end)",
    "('x'):gsub('x', function() error('pattern') end)",
    "local c <close> = setmetatable({}, { __close = function() error('closing') end })",
    "x = 1", "math.pi = 3", "('x'):rep(-1):bad()",
  ]

  /// The places in which a script runs during a dispatch.
  private static let places: [String: @Sendable (String) -> String] = [
    "gate.NAME": { "function gate.go(s, a) \($0) return true end" },
    "gate of several": { "gate('g', { 'go' }, function(s, a, name) \($0) return true end)" },
    "gate of all": { "gate('g', '*', function(s, a, name) \($0) return true end)" },
    "the reducer, at its start": { "function reduce.go(s, a) \($0) end" },
    "the reducer, after writes": { "function reduce.go(s, a) WRITES \($0) end" },
    "a function that the reducer calls": {
      "local function help(s) WRITES \($0) end function reduce.go(s, a) help(s) s.n = 3 end"
    },
    "a coroutine of the reducer": {
      "function reduce.go(s, a) local f = coroutine.wrap(function() WRITES \($0) end) f() s.n = 3 end"
    },
    "a comparator of the reducer": {
      "function reduce.go(s, a) table.sort(s.numbers, function(x, y) WRITES \($0) return x < y end) end"
    },
    "an invariant": {
      "function reduce.go(s, a) WRITES end function invariant.i(s) if s.n ~= 1 then \($0) end return true end"
    },
    "a machine's guard": {
      "machine.door { initial = 'shut', shut = { go = { to = 'open', when = function(s, a) \($0) return true end } }, open = { other = 'shut' } }"
    },
    "on_exit": {
      "machine.door { initial = 'shut', shut = { go = 'open', on_exit = function(s, a) WRITES \($0) end }, open = { other = 'shut' } }"
    },
    "on_enter, after the reducer": {
      "function reduce.go(s, a) WRITES end machine.door { initial = 'shut', shut = { go = 'open' }, open = { other = 'shut', on_enter = function(s, a) s.n = 5 \($0) end } }"
    },
    "a delay of a machine's state": {
      "function reduce.go(s, a) WRITES end machine.door { initial = 'shut', shut = { go = 'open' }, open = { other = 'shut', after = { other = function(s) \($0) return 1 end } } }"
    },
    "a gatekeeper's function": {
      "gatekeeper.k { go = { attempt = function(s, a) \($0) return 'x' end }, other = { reset = { 'x' }, attempt = 'x' } }"
    },
    "a scope's key": {
      "function reduce.go(s, a) WRITES end scope.user { key = function(s) if s.n ~= 1 then \($0) end return 1 end, actions = { 'other' } }"
    },
    "a view that a rule reads": {
      "function view.v(s) \($0) return s.n end function gate.go(s, a) return view.v() ~= nil end"
    },
    "a view that an invariant reads": {
      "function view.v(s) if s.n ~= 1 then \($0) end return s.n end function reduce.go(s) WRITES end "
        + "function invariant.i(s) return view.v() ~= nil end"
    },
  ]

  private static let writes = """
    s.n = 2 s.note = "x" s.user.address.number = 7
    s.user = { name = "v", address = { street = "t" }, tags = { "new" } }
    table.insert(s.rows, 1, { id = 0 }) s.open.moved = table.remove(s.rows, 3) s.open.alias = s.rows[1]
    s.rows[1].id = 100 s.numbers[#s.numbers + 1] = 40 s.open.a.b = { { 1 } } s.open.a = nil
    s.rows[1], s.rows[2] = s.rows[2], s.rows[1]
    """

  @Test(
    "an error in any function of a script leaves the state unchanged",
    arguments: places.keys.sorted())
  func everyPlace(place: String) throws {
    let source = try #require(AtomicityTests.places[place])
    for error in AtomicityTests.errors {
      if place.contains("coroutine") && error == "coroutine.yield()" { continue }  // which it may
      let host = try FlowHost(
        source: everything
          + "\naction.go {}\naction.other {}\nfunction view.whole(s) return s end\n"
          + source(error).replacing("WRITES", with: AtomicityTests.writes),
        options: HostOptions(limits: Limits(instructionsPerDispatch: 200_000, memory: 6 << 20)))
      let before = try host.state()
      let seen = try host.view("whole")
      let outcome = try host.dispatch("go")
      guard case .failed(let failure) = outcome else {
        Issue.record("\(place): \(error): \(outcome)")
        continue
      }
      #expect(!failure.message.isEmpty, "\(place): \(error)")
      #expect(try host.state() == before, "\(place): \(error)")
      #expect(try host.view("whole") == seen, "\(place): \(error)")
      #expect(try host.revision == 0)
      #expect(try host.commits.isEmpty)
      // And again: nothing of the first attempt is in the way.
      #expect(try host.failure()?.summary == failure.summary, "\(place): \(error)")
      #expect(try host.state() == before, "\(place): \(error)")
    }
  }

  @Test("a failing view that is read from outside leaves the state unchanged")
  func views() throws {
    for error in AtomicityTests.errors {
      let host = try FlowHost(
        source: everything + "\nfunction view.v(s) \(error) return 1 end",
        options: HostOptions(limits: Limits(instructionsPerDispatch: 200_000, memory: 6 << 20)))
      let before = try host.state()
      #expect(throws: ViewError.self, "\(error)") { try host.view("v") }
      #expect(throws: ViewError.self, "\(error)") { try host.view("v") }
      #expect(try host.state() == before)
    }
  }

  @Test("a failed action leaves no trace in a later one")
  func laterActions() throws {
    let host = try FlowHost(
      source: everything + """

        action.fail {}
        function reduce.fail(s) \(AtomicityTests.writes) error("no") end
        action.write {}
        function reduce.write(s) \(AtomicityTests.writes) end
        """)
    let fresh = try FlowHost(
      source: everything
        + "\naction.write {}\nfunction reduce.write(s) \(AtomicityTests.writes) end")
    for _ in 0..<50 { try host.failure(of: "fail") }
    let after = try #require(try host.passing("write"))
    let expected = try #require(try fresh.passing("write"))
    #expect(after.writes == expected.writes)
    #expect(try host.state() == fresh.state())
  }
}
