import FlowHosting
import FlowKernel
import Testing

/// The write barrier of the state: allowed values, their conversion, and write access.
@Suite struct BarrierTests {
  @Test(
    "a value that cannot be state is rejected where it is written",
    arguments: [
      ("s.n = error", "state.n: a function is not plain data"),
      ("s.rows[1].f = coroutine.create(error)", "state.rows[1].f: a thread is not plain data"),
      ("s.x = 0 / 0", "state.x: NaN is not plain data"),
      ("s.name = '\\xff'", "state.name: strings are UTF-8"),
      ("s.open['\\xff'] = 1", "state.open[\"\\255\"]: keys are UTF-8"),
      ("s.open[1.5] = 1", "state.open[number]: keys are strings or integers"),
      ("s.open[true] = 1", "state.open[boolean]: keys are strings or integers"),
      ("s.open[7] = 1", "state.open[7]: the keys of a map must all be strings or all be integers"),
      (
        "s.byNumber.x = 1",
        "state.byNumber.x: the keys of a map must all be strings or all be integers"
      ),
      ("s.numbers[5] = 1", "state.numbers[5]: a list has no holes; the next free place is [4]"),
      ("s.numbers[0] = 1", "state.numbers[0]: a list has no holes; the next free place is [4]"),
      ("s.numbers[2] = nil", "state.numbers[2]: a list has no holes; use table.remove"),
      ("s.numbers.x = 1", "state.numbers.x: a list has the keys 1 to n, and no named keys"),
      (
        "table.insert(s.numbers, nil)",
        "state.numbers[4]: a list has no holes: nil cannot be inserted"
      ),
      ("table.insert(s.open, 1)", "state.open[1]: this is not a list"),
      (
        "s.open.a.self = s.open.a",
        "state.open.a.self: a table cannot contain itself (a cycle)"
      ),
      ("s.open.all = s", "state.open.all: a table cannot contain itself (a cycle)"),
      (
        "table.insert(s.rows, s.rows)",
        "state.rows[4]: a table cannot contain itself (a cycle)"
      ),
    ])
  func refused(code: String, message: String) throws {
    let host = try FlowHost(source: going(code))
    let before = try host.state()
    let failure = try host.failure()
    #expect(failure?.message == message)
    #expect(failure?.script?.place == "flow.lua:13", "\(code)")
    #expect(try host.state() == before)
  }

  @Test(
    "an invalid value nested in a plain table is reported with its path when the transition ends",
    arguments: [
      ("s.open.t = { a = { error } }", "state.open.t.a[1]: a function is not plain data"),
      ("s.open.t = { 1, nil, 3 }", "state.open.t: a list has the keys 1 to n without holes"),
      (
        "s.open.t = { 1, x = 2 }",
        "state.open.t: a table has either named keys or the keys 1 to n, not both"
      ),
      ("s.open.t = { [1.5] = 1 }", "state.open.t: keys are strings or integers"),
      ("s.open.t = { ['\\xff'] = 1 }", "state.open.t[\"\\255\"]: keys are UTF-8"),
      ("s.open.t = { '\\xff' }", "state.open.t[1]: strings are UTF-8"),
      ("s.open.t = { 0 / 0 }", "state.open.t[1]: NaN is not plain data"),
      (
        "s.open.t = setmetatable({}, {})",
        "state.open.t: a table with a metatable is not plain data"
      ),
      (
        "local t = {} t.t = t s.open.t = t",
        "state.open.t.t: a table cannot contain itself (a cycle)"
      ),
      (
        "local t = { u = {} } t.u.t = t table.insert(s.rows, t)",
        "state.rows[4].u.t: a table cannot contain itself (a cycle)"
      ),
      ("s.open.t = { s.open }", "state.open.t[1].t: a table cannot contain itself (a cycle)"),
      (
        "s.open.b = { c = s.open.a } s.open.a.b = s.open.b",
        "state.open.b.c.b: a table cannot contain itself (a cycle)"
      ),
    ])
  func hidden(code: String, message: String) throws {
    let host = try FlowHost(source: going(code))
    let before = try host.state()
    let failure = try host.failure()
    #expect(failure?.message == message)
    #expect(failure?.script?.chunk == "flow.lua")
    #expect(try host.state() == before)
  }

  @Test("whole floats as keys are integers, also if the key exists")
  func floatKeys() throws {
    let host = try FlowHost(
      source: going("s.numbers[2.0] = 7 s.byNumber[5.0] = 'V' s.rows[4 / 2].id = 9"))
    let patch = try host.passing()?.writes
    #expect(
      patch?.description
        == "numbers[2]: 20 -> 7\nbyNumber[5]: \"five\" -> \"V\"\nrows[2].id: 2 -> 9")
  }

  @Test("writing an equal value of the same subtype is no change")
  func noChange() throws {
    let same =
      "s.n = 1 s.x = 1.5 s.name = 'a' s.flag = true s.note = nil s.rows[1] = s.rows[1] s.user = s.user"
    #expect(try FlowHost(source: going(same)).passing()?.writes.isEmpty == true)
    #expect(try FlowHost(source: going("s.n = 1.0")).passing()?.writes.description == "n: 1 -> 1.0")
    let sorted = "table.sort(s.numbers) table.sort(s.rows, function(a, b) return a.id < b.id end)"
    #expect(try FlowHost(source: going(sorted)).passing()?.writes.isEmpty == true)
    let undone = "s.n = 2 s.n = 1"
    #expect(try FlowHost(source: going(undone)).passing()?.writes.isEmpty == true)
  }

  @Test("an empty table takes the kind of the value it replaces, or else that of its first key")
  func kinds() throws {
    let host = try FlowHost(
      source: going(
        "s.numbers = {} s.open = {} s.open.new = {}",
        more: """
          action.fill { kind = string }
          function reduce.fill(s, a)
            if a.kind == "list" then s.open.new[1] = "x" else s.open.new.x = 1 end
          end
          action.wrong {}
          function reduce.wrong(s) s.numbers.x = 1 end
          """))
    try host.passing()
    #expect(try host.state()["numbers"] == [])
    #expect(
      try host.failure(of: "wrong")?.message
        == "state.numbers.x: a list has the keys 1 to n, and no named keys")
    #expect(
      try host.passing("fill", ["kind": "list"])?.writes.description == "open.new[1]: nil -> \"x\"")
    #expect(try host.failure(of: "fill", ["kind": "record"]) != nil)
    let other = try FlowHost(
      source: going(
        "s.open.new = {}", more: "action.fill {}\nfunction reduce.fill(s) s.open.new.x = 1 end"))
    try other.passing()
    #expect(try other.passing("fill")?.writes.description == "open.new.x: nil -> 1")
    #expect(try other.state()["open"]?["new"] == ["x": 1])
  }

  // MARK: Who may write

  @Test(
    "only a reducer changes the state",
    arguments: [
      ("function gate.go(s) s.n = 2 return true end", "a gate rule"),
      ("function invariant.i(s) s.n = 2 return true end", "an invariant"),
    ])
  func onlyReducers(declaration: String, who: String) throws {
    let source = going("s.x = 2.5", more: declaration)
    let host = declaration.hasPrefix("function gate") ? try FlowHost(source: source) : nil
    let message = try host?.failure()?.message ?? faults(of: source).joined()
    #expect(message.contains("\(who) cannot change the state; only a reducer can"))
  }

  @Test("a view cannot change the state")
  func views() throws {
    let host = try FlowHost(
      source: everything + "\nfunction view.v(s) s.n = 2 return s.n end\n"
        + "function view.w(s) table.insert(s.numbers, 1) end\n")
    #expect(throws: ViewError.self) { try host.view("v") }
    #expect(throws: ViewError.self) { try host.view("w") }
    #expect(try host.state()["n"] == 1)
  }

  @Test("a table of the state that a reducer kept cannot be written outside of one")
  func keptNodes() throws {
    let host = try FlowHost(
      source: """
        local kept
        \(everything)
        action.go {}
        function reduce.go(s) kept = s.user s.user = { name = "new", address = { street = "t" }, tags = {} } end
        action.late {}
        function gate.late(s) kept.name = "late" return true end
        action.reduce_late {}
        function reduce.reduce_late(s) kept.name = "late" end
        """)
    try host.passing()
    #expect(try host.failure(of: "late")?.message.contains("cannot change the state") == true)
    #expect(try host.passing("reduce_late")?.writes.isEmpty == true)
    #expect(try host.state()["user"]?["name"] == "new")
  }
}
