import FlowHosting
import Testing

/// Rules of ContractOfHosts.md, section 3, as sentences with a test each.
@Suite("state") struct StateDesignTests {
  @Test("`state { ... }` gives the initial state; several files may each declare their part.")
  func parts() throws {
    let folder = try TestFolder()
    let file = try folder.write("require \"more\" state { n = 1 } action.a {}", to: "flow.lua")
    try folder.write("state { m = 2 }", to: "more.lua")
    #expect(try FlowHost(flow: file).state() == ["n": 1, "m": 2])
    try folder.write("state { n = 2 }", to: "more.lua")
    #expect { _ = try FlowHost(flow: file) } throws: {
      "\($0)".contains("state.n is declared twice: here and at more.lua:1")
    }
  }

  @Test("Lists and records may be nested.")
  func nested() throws {
    let trial = try Trial(
      going("s.a.b[1].c[2] = 5", state: "state { a = { b = { { c = { 1, 2 } } } } }"))
    try trial.play("go")
    #expect(try trial.state("a") == ["b": [["c": [1, 5]]]])
  }

  @Test(
    """
    Functions, userdata, metatables, cycles, holes, NaN and mixed keys are refused with the path \
    (`state.user.avatar: a function is not plain data`).
    """,
    arguments: [
      ("function() end", "a function is not plain data"),
      ("coroutine.create(print)", "a thread is not plain data"),
      ("io", "global io is not defined"),
      ("setmetatable({}, {})", "a table with a metatable is not plain data"),
      ("{ 1, nil, 3 }", "a list has the keys 1 to n without holes"),
      ("0 / 0", "NaN is not plain data"),
      ("{ 1, a = 2 }", "a table has either named keys or the keys 1 to n, not both"),
    ])
  func refused(value: String, message: String) {
    let found = faults(of: "state { user = { avatar = \(value) } } action.a {}")
    #expect(found.count == 1)
    let path = message.hasPrefix("global") ? "" : "state.user.avatar: "
    #expect(found.first?.hasPrefix("flow.lua:1: \(path)\(message)") == true)
    #expect(
      faults(of: "local t = {} t.user = { avatar = t } state(t) action.a {}") == [
        "flow.lua:1: state.user.avatar: a table cannot contain itself (a cycle)"
      ])
  }

  @Test("Strings are UTF-8.")
  func utf8() throws {
    #expect(
      faults(of: #"state { user = { name = "\xff" } } action.a {}"#) == [
        "flow.lua:1: state.user.name: strings are UTF-8"
      ])
    let host = try FlowHost(source: going(#"s.name = "\xff""#))
    #expect(try host.failure()?.message.contains("strings are UTF-8") == true)
  }

  @Test("Integers and floats keep their Lua subtype.")
  func subtypes() throws {
    let host = try FlowHost(source: "state { i = 1, f = 1.0 } action.a {}")
    #expect(try host.state() == ["i": .integer(1), "f": .number(1)])
  }

  @Test(
    """
    Three marks: `list {}` is an empty list, `map {}` a table with open keys (strings or integers, \
    not both), `none` a field without a value yet.
    """)
  func marks() throws {
    let flow = "state { l = list {}, m = map {}, o = map {}, n = none }"
    let trial = try Trial(
      going("s.l[1] = 1 s.m.a = 1 s.o[7] = 1 s.n = 'now'", state: flow))
    #expect(try trial.host.state() == ["l": [], "m": [:], "o": [:]])
    try trial.play("go")
    #expect(try trial.host.state()["l"] == [1])
    #expect(try trial.state("n") == "now")
    let mixed = try FlowHost(source: going("s.m.a = 1 s.m[1] = 2", state: flow))
    #expect(try mixed.failure() != nil)
    #expect(try mixed.state()["m"] == [:])
  }

  @Test(
    """
    A record that is reached from `state { ... }` through records only is closed, by its place, \
    whatever is put there later: reading or writing an undeclared field is an error with the \
    nearest name (`state has no field coinz; did you mean coins?`), and a field declared with a \
    value always has one (only a field declared `none` may be nil).
    """)
  func closed() throws {
    let flow = "state { coins = 1, user = { name = \"a\", mail = none } }"
    func message(_ reducer: String) throws -> String? {
      try FlowHost(source: going(reducer, state: flow)).failure()?.message
    }
    #expect(try message("s.coinz = 1") == "state has no field coinz; did you mean coins?")
    #expect(try message("return s.coinz") == "state has no field coinz; did you mean coins?")
    #expect(
      try message("s.user = { name = 'b', nam = 1 }")
        == "state.user has no field nam; did you mean name?")
    #expect(
      try message("s.user = { name = 'b', mail = 'm' } s.user.age = 1")?
        .hasPrefix("state.user has no field age") == true)
    #expect(try message("s.coins = nil") != nil)
    #expect(try message("s.user = { mail = 'm' }") != nil)
    let host = try FlowHost(source: going("s.user.mail = 'm' s.user.mail = nil", state: flow))
    try host.passing()
    #expect(try host.state()["user"] == ["name": "a"])
  }

  @Test("Records in a list or a map may have any fields.")
  func open() throws {
    let host = try FlowHost(
      source: going(
        "s.rows[1].anything = 1 s.rows[1].id = nil s.files.x = { deep = { 1 } }",
        state: "state { rows = { { id = 1 } }, files = map {} }"))
    try host.passing()
    #expect(
      try host.state() == ["rows": [["anything": 1]], "files": ["x": ["deep": [1]]]])
  }

  @Test("`none` can be written and is read as nil, and `s.x = none` is `s.x = nil`.")
  func none() throws {
    let host = try FlowHost(
      source: going(
        "assert(s.x == nil) s.x = 5 assert(s.x == 5) s.x = none assert(s.x == nil)",
        state: "state { x = none, was = none }"))
    try host.passing()
    #expect(try host.state() == [:])
  }

  @Test(
    """
    In a reducer an empty table takes the kind of the value that it replaces; where there was none, \
    its first key decides.
    """)
  func emptyTables() throws {
    let host = try FlowHost(
      source: going(
        "s.l = {} s.m = {} s.a = {} s.a[1] = 1 s.b = {} s.b.k = 1",
        state: "state { l = { 1 }, m = map { k = 1 }, a = none, b = none }"))
    try host.passing()
    #expect(try host.state() == ["l": [], "m": [:], "a": [1], "b": ["k": 1]])
  }
}
