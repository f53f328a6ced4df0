import FlowHosting
import Testing

@Suite struct StateTests {
  // MARK: The declaration

  @Test("the initial state is the declared one, and none declares a field without a value")
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

  @Test("the parts of several files, or of one file, make one state")
  func parts() throws {
    let host = try FlowHost(source: "state { a = 1 }\nstate { b = 2 }")
    #expect(try host.state() == ["a": 1, "b": 2])
  }

  @Test(
    "a value that is not plain data is rejected with its path",
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
      ("t = {}", "state.t: an empty table can be a list or a map; write list {} or map {}"),
      ("l = list { x = 1 }", "state.l: a list has no named keys"),
      ("['two words'] = { f = error }", "state[\"two words\"].f: a function is not plain data"),
    ])
  func foreign(field: String, message: String) {
    #expect(faults(of: "state { \(field) }") == ["flow.lua:1: \(message)"])
  }

  @Test("a cycle is rejected with its path, and a table in two places is accepted")
  func cycles() throws {
    #expect(
      faults(of: "local t = { u = {} }\nt.u.t = t\nstate { t = t }")
        == ["flow.lua:3: state.t.u.t: a table cannot contain itself (a cycle)"])
    let host = try FlowHost(
      source: going("s.a.n = 2", state: "local t = { n = 1 }\nstate { a = t, b = t }"))
    try host.passing()
    #expect(try host.state() == ["a": ["n": 2], "b": ["n": 1]])
  }

  @Test("a hundred nested tables are accepted, and more are an error")
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

  @Test("-0.0 becomes 0.0, infinities are kept, whole float keys become integers")
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

  @Test("a field that is declared twice is an error with both places")
  func twice() {
    #expect(
      faults(of: "state { a = 1 }\n\nstate { a = 2 }")
        == ["flow.lua:3: state.a is declared twice: here and at flow.lua:1"])
  }

  // MARK: Closed records

  @Test(
    "reading or writing an undeclared field of a closed record is an error with the nearest name",
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

  @Test("a field declared with a value always has one, and one declared none may be empty")
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

  @Test("none can be written, and is read as nil")
  func none() throws {
    let host = try FlowHost(
      source: going(
        "assert(s.note == nil) s.note = 7 s.note = none assert(s.note == nil)",
        more: "function gate.go(s) return s.note == nil and s.note ~= none end"))
    #expect(try host.passing()?.writes.isEmpty == true)
  }

  @Test("a record is closed by its path, whatever is stored there later")
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
        "state.user has no field age"
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

  @Test("records in a list or a map may have any fields")
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
}
