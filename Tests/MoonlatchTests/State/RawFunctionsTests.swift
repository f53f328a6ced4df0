import LuaRuntime
import Testing

/// The raw functions (rawget, rawset, rawlen, rawequal) on the tables of the host.
@Suite struct RawFunctionsTests {
  private static let flow = """
    local parts = { n = 1, __index = 7 }
    local made = setmetatable({ own = 1 }, { __index = { far = 2 } })
    shared = { n = 1 }
    state {
      n = 0, user = { name = "ann" }, rows = list_of { id = integer }, counts = map_of(integer),
    }
    action.go { by = integer, tags = list_of(string) }
    action.see {}
    machine.door { initial = "shut", shut = { go = "open" }, open = {} }
    gatekeeper.once { go = "attempt" }
    function view.rows(s) return { 1, 2, deep = { 3 } } end
    function view.seen(s) return rawget(s, "n") + rawlen(s.rows) end
    TESTED
    """

  private func trial(_ tested: String) throws -> Trial {
    try Trial(Self.flow.replacing("TESTED", with: tested))
  }

  private let payload: Value = ["by": 3, "tags": ["x", "y"]]

  @Test(
    "rawset cannot change tables of the host outside of a reducer",
    arguments: [
      "s", "s.user", "s.rows", "s.counts", "a", "a.tags", "view", "gatekeeper.once", "dispatch",
      "string", "shared", "_ENV", "state", "integer", "list_of(integer)",
    ])
  func refused(table: String) throws {
    for key in ["\"n\"", "\"added\"", "1"] {
      let trial = try trial(
        """
        function gate.go(s, a)
          local held = \(table)
          local fine = pcall(rawset, held, \(key), 5)
          return not fine, "it was set"
        end
        """)
      #expect(try trial.host.dispatch("go", payload).isPassed, "\(table) \(key)")
      #expect(try trial.host.dispatch("go", payload).isPassed == false)
    }
  }

  @Test("rawset on the state in a reducer is an ordinary write")
  func written() throws {
    let trial = try trial(
      """
      function reduce.go(s, a)
        rawset(s, "n", a.by)
        rawset(s.rows, 1, { id = 4 })
        assert(rawequal(rawset(s.counts, "x", 1.0), s.counts))
        print(rawget(s, "n"), rawlen(s.rows), rawget(s.rows, 1).id, rawget(s.counts, "x"))
      end
      function reduce.see(s) rawset(s, "n", 9) error("taken back", 0) end
      """)
    let outcome = try trial.host.dispatch("go", payload)
    guard case .passed(let commit) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(commit.writes.changes.count == 4, "\(commit.writes)")
    #expect(trial.printed.all == ["3\t1\t4\t1"])
    #expect(try trial.host.dispatch("see").isPassed == false)
    #expect(try trial.state("n") == 3)
  }

  @Test(
    "rawset is rejected in the same cases as an assignment",
    arguments: [
      ("rawset(s, 'door', 'shut')", "only its machine can change this field"),
      ("rawset(s, 'm', 1)", "has no field m"),
      ("rawset(s.rows, 3, { id = 1 })", "a list has no holes"),
      ("rawset(s.counts, 'x', print)", "function"),
      ("rawset(s, 'n', setmetatable({}, {}))", "n"),
      ("rawset(a, 'by', 4)", "this table is read-only"),
      ("rawset(a.tags, 3, 'z')", "this table is read-only"),
      ("rawset(string, 'rep', 1)", "this table is read-only"),
      ("rawset(_ENV, 'os', {})", "globals are read-only after loading"),
      ("rawset(shared, 'n', 2)", "this table is read-only"),
      ("rawset(gatekeeper.once, 'x', 1)", "a gatekeeper cannot be changed"),
    ])
  func refusedByBarrier(write: String, reason: String) throws {
    let trial = try trial("function reduce.go(s, a) \(write) end")
    let said = try trial.play("go", payload)
    #expect(said.contains(reason), "\(write): \(said)")
    #expect(try trial.state("n") == 0)
  }

  @Test("rawget and rawlen read the visible values, and bypass a script's metatable")
  func read() throws {
    let trial = try trial(
      """
      function gate.go(s, a)
        local seen = {
          rawget(s, "n"), rawget(s.user, "name"), tostring(rawget(s.user, "nothing")),
          rawget(a, "by"), rawget(a.tags, 2), rawlen(a.tags), rawget(string, "len") == string.len,
          rawlen("four"), tostring(rawget(made, "far")), rawget(made, "own"), rawget(shared, "n"),
          tostring(rawget(_ENV, "os")), rawget(_ENV, "tostring") == tostring, rawlen(s.rows),
          tostring(rawget(s.rows, 1)), rawequal(s.user, s.user), rawequal(s.user, s.rows),
          tostring(rawget(gatekeeper.once, "nothing")),
        }
        for place, value in ipairs(seen) do seen[place] = tostring(value) end
        print(table.concat(seen, " "))
        return true
      end
      """)
    try trial.host.dispatch("go", payload)
    #expect(
      trial.printed.all == [
        "0 ann nil 3 y 2 true 4 nil 1 1 nil true 0 nil true false nil"
      ])
  }

  @Test("a view that uses rawget is recomputed if what it read has changed")
  func views() throws {
    let trial = try trial(
      "function reduce.go(s, a) s.n = s.n + 1 table.insert(s.rows, { id = 1 }) end")
    #expect(try trial.host.view("seen") == 0)
    try trial.host.dispatch("go", payload)
    #expect(try trial.host.view("seen") == 2)
  }

  @Test("an effect cannot read the state with rawget, not even through a stored table")
  func effects() throws {
    let trial = try trial(
      """
      local stored = {}
      function reduce.go(s, a) stored.s = s end
      function effect.go(self)
        for _, read in ipairs { rawget, rawlen } do print(pcall(read, stored.s, "n")) end
        print(pcall(rawset, stored.s, "n", 7), pcall(rawset, self, "x", 1))
      end
      """)
    try trial.host.dispatch("go", payload)
    try trial.advance(1)
    #expect(trial.printed.all.count == 3)
    #expect(trial.printed.all.allSatisfy { $0.hasPrefix("false") && !$0.contains("true") })
    #expect(try trial.state("n") == 0)
  }

  @Test("a script's own tables are read and written raw, and long keys are charged")
  func own() throws {
    let trial = try trial(
      """
      function reduce.go(s)
        local log = {}
        local proxy = setmetatable({}, {
          __index = function() return "asked" end, __newindex = function() log[1] = "told" end,
          __len = function() return 99 end,
        })
        rawset(proxy, "x", 1)
        print(rawget(proxy, "x"), rawget(proxy, "y"), proxy.y, rawlen(proxy), #log)
      end
      function reduce.see()
        local key, t = ("k"):rep(1000000), {}
        for i = 1, 1000000 do rawget(t, key) end
      end
      """)
    try trial.host.dispatch("go", payload)
    #expect(trial.printed.all == ["1\tnil\tasked\t0\t0"])
    #expect(try trial.play("see").contains("the instruction limit is reached"))
  }
}
