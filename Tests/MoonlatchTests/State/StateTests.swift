import Moonlatch
import Testing

@Suite struct StateTests {
  // MARK: The declaration

  @Test("the initial state is what was declared; none is a field without a value")
  func initial() throws {
    let host = try FlowHost(source: everything)
    #expect(
      try host.state() == [
        "n": 1, "x": 1.5, "name": "a", "flag": true,
        "user": ["name": "u", "address": ["street": "s"], "tags": []],
        "rows": [["id": 1], ["id": 2], ["id": 3]], "numbers": [10, 20, 30], "empty": [],
        "open": ["a": ["b": 1]], "byNumber": .map([5: "five"]),
      ])
  }

  @Test("several files' parts, or several in one file, make one state")
  func parts() throws {
    let host = try FlowHost(source: "state { a = 1 }\nstate { b = 2 }")
    #expect(try host.state() == ["a": 1, "b": 2])
  }

  @Test(
    "what is no plain data is refused with its path",
    arguments: [
      ("f = error", "state.f: a function is not plain data"),
      ("u = { avatar = { f = error } }", "state.u.avatar.f: a function is not plain data"),
      ("l = { 1, coroutine.create(error) }", "state.l[2]: a thread is not plain data"),
      ("x = 0 / 0", "state.x: NaN is not plain data"),
      ("m = setmetatable({}, {})", "state.m: a table with a metatable is not plain data"),
      ("l = { 1, 2, nil, 4 }", "state.l: a list has the keys 1 to n without holes"),
      ("l = { [0] = 1 }", "state.l: a list has the keys 1 to n without holes"),
      ("t = { 1, x = 2 }", "state.t: a table has either named keys or the keys 1 to n, not both"),
      ("t = { [true] = 1 }", "state.t[true]: keys are strings or integers"),
      ("t = { [1.5] = 1 }", "state.t[1.5]: keys are strings or integers"),
      ("t = { [{}] = 1 }", "state.t: keys are strings or integers"),
      ("s = '\\xff'", "state.s: strings are UTF-8"),
      ("t = { ['\\xff'] = 1 }", "state.t: keys are UTF-8"),
      ("t = {}", "state.t: an empty table says nothing of its kind; write list {} or map {}"),
      ("l = list { x = 1 }", "state.l: a list has no named keys"),
      ("['two words'] = { f = error }", "state[\"two words\"].f: a function is not plain data"),
    ])
  func foreign(field: String, message: String) {
    #expect(faults(of: "state { \(field) }") == ["flow.lua:1: \(message)"])
  }

  @Test("a cycle is refused with its path, a table in two places is not")
  func cycles() throws {
    #expect(
      faults(of: "local t = { u = {} }\nt.u.t = t\nstate { t = t }")
        == ["flow.lua:3: state.t.u.t: a table cannot stand inside itself (a cycle)"])
    let host = try FlowHost(
      source: going("s.a.n = 2", state: "local t = { n = 1 }\nstate { a = t, b = t }"))
    try host.passing()
    #expect(try host.state() == ["a": ["n": 2], "b": ["n": 1]])
  }

  @Test("nesting has an end: a hundred tables are fine, more are a fault")
  func nesting() throws {
    func nested(_ depth: Int) -> String {
      "local t = { x = 1 }\nfor i = 3, \(depth) do t = { t = t } end\nstate { t = t }"
    }
    #expect(faults(of: nested(100)).isEmpty)
    let tooDeep = faults(of: nested(101))
    #expect(tooDeep.count == 1)
    #expect(tooDeep[0].hasSuffix("values are nested more than 100 deep"))
    #expect(faults(of: nested(50_000)).count == 1)
  }

  @Test("-0.0 becomes 0.0, infinities stay, whole float keys become integers")
  func numbers() throws {
    let host = try FlowHost(
      source: "state { zero = -0.0, inf = math.huge, m = map { [2.0] = 'two' }, whole = 3.0 }")
    let state = try host.state()
    guard case .number(let zero)? = state["zero"] else { return #expect(Bool(false)) }
    #expect(zero.sign == .plus)
    #expect(state["inf"] == .number(.infinity))
    #expect(state["m"] == .map([2: "two"]))
    #expect(state["whole"] == 3.0)
  }

  @Test("a field that is declared twice names both places")
  func twice() {
    #expect(
      faults(of: "state { a = 1 }\n\nstate { a = 2 }")
        == ["flow.lua:3: state.a is declared twice: here and at flow.lua:1"])
  }

  // MARK: Closed records

  @Test(
    "an undeclared field of a closed record can be neither read nor written, and the nearest is named",
    arguments: [
      ("s.nmae = 1", "state has no field nmae; did you mean name?"),
      ("local x = s.nmae", "state has no field nmae; did you mean name?"),
      ("s.user.adress = 1", "state.user has no field adress; did you mean address?"),
      (
        "local x = s.user.address.streat",
        "state.user.address has no field streat; did you mean street?"
      ),
      ("s.qqqqqq = 1", "state has no field qqqqqq"),
      ("s[1] = 1", "state is a record and has no field [1]"),
      ("s.user[true] = 1", "state.user[boolean]: keys are strings or integers"),
      ("s.nmae = nil", "state has no field nmae; did you mean name?"),
    ])
  func undeclared(code: String, message: String) throws {
    let failure = try FlowHost(source: going(code)).failure()
    #expect(failure?.message == message)
    #expect(failure?.script?.place == "flow.lua:13")
  }

  @Test("a field declared with a value always has one; one declared none may be empty")
  func always() throws {
    #expect(
      try FlowHost(source: going("s.n = nil")).failure()?.message
        == "state.n: this field always has a value (declare it as none to let it be empty)")
    #expect(
      try FlowHost(source: going("s.user = nil")).failure()?.message.hasPrefix(
        "state.user: this field")
        == true)
    let host = try FlowHost(source: going("s.note = 'x' s.note = nil s.user.address.number = none"))
    try host.passing()
    #expect(try host.state()["note"] == nil)
  }

  @Test("none is written, never read")
  func none() throws {
    let host = try FlowHost(
      source: going(
        "assert(s.note == nil) s.note = 7 s.note = none assert(s.note == nil)",
        more: "function gate.go(s) return s.note == nil and s.note ~= none end"))
    #expect(try host.passing()?.patch.isEmpty == true)
  }

  @Test("a record is closed by its place, whatever is put there later")
  func closedByPlace() throws {
    let replaced = "s.user = { name = 'v', address = { street = 't' }, tags = {} }"
    let host = try FlowHost(source: going(replaced))
    try host.passing()
    #expect(
      try host.state()["user"] == ["name": "v", "address": ["street": "t"], "tags": []])
    for (code, message) in [
      ("s.user = { name = 'v' }", "state.user.address: this field always has a value"),
      (
        "s.user = { name = 'v', address = { street = 't' }, tags = {}, age = 1 }",
        "state.user has no field age; did you mean name?"
      ),
      (
        "s.user.address = { street = 't', zip = 1 }",
        "state.user.address has no field zip"
      ),
      ("s.user = { 1, 2 }", "state.user[1]: no such field is declared"),
      ("s.user = {}", "state.user.address: this field always has a value"),
    ] {
      #expect(try FlowHost(source: going(code)).failure()?.message == message, "\(code)")
    }
    let later = try FlowHost(
      source: going(
        "\(replaced)", more: "action.next {}\nfunction reduce.next(s) s.user.age = 1 end"))
    try later.passing()
    #expect(
      try later.failure(of: "next")?.message == "state.user has no field age; did you mean name?"
        || later.failure(of: "next")?.message == "state.user has no field age")
  }

  @Test("below a list or a map anything goes")
  func open() throws {
    let host = try FlowHost(
      source: going(
        """
        s.rows[1].anything = { 1, 2 }
        s.open.b = "text"
        s.open.a.c = { d = true }
        assert(s.open.nothing == nil and s.rows[9] == nil and s.rows[1].nothing == nil)
        s.byNumber[-7] = "minus seven"
        """))
    try host.passing()
    let state = try host.state()
    #expect(state["rows"]?[0] == ["id": 1, "anything": [1, 2]])
    #expect(state["open"] == ["a": ["b": 1, "c": ["d": true]], "b": "text"])
    #expect(state["byNumber"] == .map([-7: "minus seven", 5: "five"]))
  }

  // MARK: Writes

  @Test(
    "what cannot be state is refused where it is written",
    arguments: [
      ("s.n = error", "state.n: a function is not plain data"),
      ("s.rows[1].f = coroutine.create(error)", "state.rows[1].f: a thread is not plain data"),
      ("s.x = 0 / 0", "state.x: NaN is not plain data"),
      ("s.name = '\\xff'", "state.name: strings are UTF-8"),
      ("s.open['\\xff'] = 1", "state.open[\"\u{fffd}\"]: keys are UTF-8"),
      ("s.open[1.5] = 1", "state.open[number]: keys are strings or integers"),
      ("s.open[true] = 1", "state.open[boolean]: keys are strings or integers"),
      ("s.open[7] = 1", "state.open[7]: the keys of a map are strings or integers, not both"),
      ("s.byNumber.x = 1", "state.byNumber.x: the keys of a map are strings or integers, not both"),
      ("s.numbers[5] = 1", "state.numbers[5]: a list has no holes; the next free place is [4]"),
      ("s.numbers[0] = 1", "state.numbers[0]: a list has no holes; the next free place is [4]"),
      ("s.numbers[2] = nil", "state.numbers[2]: a list has no holes; use table.remove"),
      ("s.numbers.x = 1", "state.numbers.x: a list has the keys 1 to n, no named ones"),
      (
        "table.insert(s.numbers, nil)",
        "state.numbers[4]: a list has no holes: nil cannot be inserted"
      ),
      ("table.insert(s.open, 1)", "state.open[1]: this is not a list"),
      (
        "s.open.a.self = s.open.a",
        "state.open.a.self: a table cannot stand inside itself (a cycle)"
      ),
      ("s.open.all = s", "state.open.all: a table cannot stand inside itself (a cycle)"),
      (
        "table.insert(s.rows, s.rows)",
        "state.rows[4]: a table cannot stand inside itself (a cycle)"
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
    "what a plain table hides is found when the transition ends, with its path",
    arguments: [
      ("s.open.t = { a = { error } }", "state.open.t.a[1]: a function is not plain data"),
      ("s.open.t = { 1, nil, 3 }", "state.open.t: a list has the keys 1 to n without holes"),
      (
        "s.open.t = { 1, x = 2 }",
        "state.open.t: a table has either named keys or the keys 1 to n, not both"
      ),
      ("s.open.t = { [1.5] = 1 }", "state.open.t: keys are strings or integers"),
      ("s.open.t = { ['\\xff'] = 1 }", "state.open.t[\"\u{fffd}\"]: keys are UTF-8"),
      ("s.open.t = { '\\xff' }", "state.open.t[1]: strings are UTF-8"),
      ("s.open.t = { 0 / 0 }", "state.open.t[1]: NaN is not plain data"),
      (
        "s.open.t = setmetatable({}, {})",
        "state.open.t: a table with a metatable is not plain data"
      ),
      (
        "local t = {} t.t = t s.open.t = t",
        "state.open.t.t: a table cannot stand inside itself (a cycle)"
      ),
      (
        "local t = { u = {} } t.u.t = t table.insert(s.rows, t)",
        "state.rows[4].u.t: a table cannot stand inside itself (a cycle)"
      ),
      ("s.open.t = { s.open }", "state.open.t[1].t: a table cannot stand inside itself (a cycle)"),
      (
        "s.open.b = { c = s.open.a } s.open.a.b = s.open.b",
        "state.open.b.c.b: a table cannot stand inside itself (a cycle)"
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

  @Test("integral float keys are the integers, also where a value stands already")
  func floatKeys() throws {
    let host = try FlowHost(
      source: going("s.numbers[2.0] = 7 s.byNumber[5.0] = 'V' s.rows[4 / 2].id = 9"))
    let patch = try host.passing()?.patch
    #expect(
      patch?.description
        == "numbers[2]: 20 -> 7\nbyNumber[5]: \"five\" -> \"V\"\nrows[2].id: 2 -> 9")
  }

  @Test("writing a value that is equal, subtype included, is no change")
  func noChange() throws {
    let same =
      "s.n = 1 s.x = 1.5 s.name = 'a' s.flag = true s.note = nil s.rows[1] = s.rows[1] s.user = s.user"
    #expect(try FlowHost(source: going(same)).passing()?.patch.isEmpty == true)
    #expect(try FlowHost(source: going("s.n = 1.0")).passing()?.patch.description == "n: 1 -> 1.0")
    let sorted = "table.sort(s.numbers) table.sort(s.rows, function(a, b) return a.id < b.id end)"
    #expect(try FlowHost(source: going(sorted)).passing()?.patch.isEmpty == true)
    let undone = "s.n = 2 s.n = 1"
    #expect(try FlowHost(source: going(undone)).passing()?.patch.isEmpty == true)
  }

  @Test("an empty table takes the kind of what it replaces; elsewhere its first key decides")
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
        == "state.numbers.x: a list has the keys 1 to n, no named ones")
    #expect(
      try host.passing("fill", ["kind": "list"])?.patch.description == "open.new[1]: nil -> \"x\"")
    #expect(try host.failure(of: "fill", ["kind": "record"]) != nil)
    let other = try FlowHost(
      source: going(
        "s.open.new = {}", more: "action.fill {}\nfunction reduce.fill(s) s.open.new.x = 1 end"))
    try other.passing()
    #expect(try other.passing("fill")?.patch.description == "open.new.x: nil -> 1")
    #expect(try other.state()["open"]?["new"] == ["x": 1])
  }

  // MARK: A tree

  @Test("a subtree that is put into a second place is one in the reducer and two afterwards")
  func aliases() throws {
    let host = try FlowHost(
      source: going(
        """
        s.open.b = s.open.a
        s.open.b.b = 7
        assert(s.open.a.b == 7)
        """, more: "action.next {}\nfunction reduce.next(s) s.open.b.b = 9 end"))
    try host.passing()
    #expect(try host.state()["open"] == ["a": ["b": 7], "b": ["b": 7]])
    try host.passing("next")
    #expect(try host.state()["open"] == ["a": ["b": 7], "b": ["b": 9]])
  }

  @Test("what is taken out and put elsewhere moves with all that it holds")
  func moves() throws {
    let host = try FlowHost(
      source: going(
        """
        local row = table.remove(s.rows, 1)
        row.moved = true
        s.open.row = row
        s.rows[1], s.rows[2] = s.rows[2], s.rows[1]
        """,
        more: "action.next {}\nfunction reduce.next(s) s.open.row.id = 10 s.rows[1].id = 30 end"))
    try host.passing()
    #expect(try host.state()["rows"] == [["id": 3], ["id": 2]])
    try host.passing("next")
    #expect(try host.state()["rows"] == [["id": 30], ["id": 2]])
    #expect(try host.state()["open"]?["row"] == ["id": 10, "moved": true])
  }

  @Test("a plain table stays itself until the transition ends, and is a copy from then on")
  func keptTables() throws {
    let host = try FlowHost(
      source: going(
        "kept.t = { n = 1 } s.open.t = kept.t kept.t.n = 2 assert(s.open.t.n == 2)",
        more: """
          local kept = {}
          action.later {}
          function reduce.later(s) kept.t.n = 99 end
          """
      ).replacing("action.go {}\nlocal kept = {}", with: "local kept = {}\naction.go {}"))
    try host.passing()
    #expect(try host.state()["open"]?["t"] == ["n": 2])
    #expect(try host.passing("later")?.patch.isEmpty == true)
    #expect(try host.state()["open"]?["t"] == ["n": 2])
  }

  @Test("a payload's table that is put into the state is the state's own")
  func payloads() throws {
    let host = try FlowHost(
      source: """
        state { rows = list {} }
        action.add { row = { id = integer, tags = list_of(string) } }
        function reduce.add(s, a) table.insert(s.rows, a.row) end
        action.tag {}
        function reduce.tag(s) table.insert(s.rows[1].tags, "x") s.rows[1].id = 2 end
        """)
    try host.passing("add", ["row": ["id": 1, "tags": []]])
    try host.passing("tag")
    #expect(try host.state() == ["rows": [["id": 2, "tags": ["x"]]]])
  }

  // MARK: The library on nodes

  @Test("the library works on the state as on tables")
  func library() throws {
    let host = try FlowHost(
      source: going(
        """
        assert(#s.numbers == 3 and #s.empty == 0)
        local sum = 0
        for i, v in ipairs(s.numbers) do sum = sum + i * v end
        assert(sum == 140)
        local keys = {}
        for k in pairs(s) do keys[#keys + 1] = k end
        assert(table.concat(keys, " ") == "byNumber empty flag n name numbers open rows user x")
        assert(next(s.empty) == nil and next(s.numbers) == 1)
        assert(table.concat(s.numbers, ",") == "10,20,30")
        assert(select("#", table.unpack(s.numbers)) == 3)
        assert(("%s %d"):format(s.name, s.n) == "a 1")
        assert(type(s.rows) == "table" and tostring(s.rows) == "table")
        table.insert(s.numbers, 1, 5)
        table.insert(s.numbers, 40)
        assert(table.remove(s.numbers) == 40 and table.remove(s.numbers, 1) == 5)
        table.sort(s.numbers, function(a, b) return a > b end)
        assert(s.numbers[1] == 30)
        table.move(s.numbers, 1, 2, 3)
        assert(table.remove(s.empty) == nil)
        """))
    try host.passing()
    #expect(try host.state()["numbers"] == [30, 20, 30, 20])
  }

  @Test("pairs sees the keys that were there at its start")
  func pairsDuringChanges() throws {
    let host = try FlowHost(
      source: going(
        """
        local seen = {}
        for k in pairs(s.open) do
          seen[#seen + 1] = k
          s.open["new" .. k] = 1
          s.open[k] = nil
        end
        assert(#seen == 1)
        """))
    try host.passing()
    #expect(try host.state()["open"] == ["newa": 1])
  }

  @Test("a list that is changed while it is sorted is an error, and stays as it was")
  func sortAndChange() throws {
    let host = try FlowHost(
      source: going(
        "table.sort(s.numbers, function(a, b) table.remove(s.numbers) return a < b end)"))
    #expect(try host.failure()?.message == "the list was changed while it was sorted")
    #expect(try host.state()["numbers"] == [10, 20, 30])
  }

  @Test("no script gets hold of what stands behind the state")
  func sealed() throws {
    let host = try FlowHost(
      source: going(
        """
        assert(getmetatable(s) == false and getmetatable(s.rows) == false)
        assert(not pcall(setmetatable, s, {}))
        assert(not pcall(setmetatable, {}, s))
        """))
    try host.passing()
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

  @Test("a node that a reducer kept cannot be written outside of one")
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
    #expect(try host.passing("reduce_late")?.patch.isEmpty == true)
    #expect(try host.state()["user"]?["name"] == "new")
  }
}
