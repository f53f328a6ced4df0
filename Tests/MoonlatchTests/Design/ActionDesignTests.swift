import LuaRuntime
import Testing

/// Rules of ContractOfHosts.md, section 4, as sentences with a test each.
@Suite("action") struct ActionDesignTests {
  private func play(_ type: String, _ payload: Value) throws -> String {
    try Trial("state {} action.coin { x = \(type) }").play("coin", payload)
  }

  @Test("`action.NAME { field = type, ... }`.")
  func declared() throws {
    let trial = try Trial("state {} action.coin { amount = integer, note = string }")
    #expect(try trial.play("coin", ["amount": 1, "note": "a"]) == "coin passed (#1)")
  }

  @Test(
    """
    Types: `boolean`, `integer`, `number`, `string` (which stays the library; as a type it is \
    itself, or called), `any`, `one_of { "a", "b" }` (values), `list_of(t)`, `map_of(t)`, \
    `optional(t)`, a table of named fields for a record.
    """,
    arguments: [
      ("boolean", true, 1), ("integer", 1, 1.5), ("number", 1.5, "1"), ("string", "a", 1),
      ("string {}", "a", 1), ("any", ["a": [1]], .nil), ("one_of { \"a\", \"b\" }", "b", "c"),
      ("one_of { 1, 2 }", 2, "1"), ("list_of(integer)", [1, 2], ["a"]),
      ("map_of(integer)", ["k": 1], ["k": "v"]), ("optional(integer)", .nil, "a"),
      ("{ a = integer, b = { c = string } }", ["a": 1, "b": ["c": "d"]], ["a": 1]),
    ] as [(String, Value, Value)])
  func types(type: String, right: Value, wrong: Value) throws {
    #expect(try play(type, ["x": right]) == "coin passed (#1)")
    #expect(try play(type, ["x": wrong]).hasPrefix("action coin: x"))
    #expect(try Trial("state { n = string.rep('a', 2) } action.a {}").state("n") == "aa")
  }

  @Test(
    """
    Constraints: `integer { min = 1, max = 10, default = 1 }`, \
    `string { pattern = "^%a+$", max_length = 20 }`, `boolean { default = false }`, \
    `one_of { "a", "b", default = "a" }`, `list_of { t, max_length = 10 }`, \
    `map_of { t, key = integer }`; `samples = { ... }` gives example values anywhere.
    """,
    arguments: [
      ("integer { min = 1, max = 10, default = 1 }", [10, .nil], [0, 11]),
      (
        "string { pattern = \"^%a+$\", max_length = 20 }", ["abc"], ["a1", "aaaaaaaaaaaaaaaaaaaaa"]
      ),
      ("boolean { default = false }", [.nil, true], [1]),
      ("one_of { \"a\", \"b\", default = \"a\" }", [.nil, "b"], ["c"]),
      ("list_of { integer, max_length = 2 }", [[1, 2]], [[1, 2, 3]]),
      ("map_of { string, key = integer }", [.map([7: "a"])], [["k": "a"]]),
      ("number { min = 0.5, samples = { 1, 2.5 } }", [1], [0.1]),
    ] as [(String, [Value], [Value])])
  func constraints(type: String, right: [Value], wrong: [Value]) throws {
    for value in right { #expect(try play(type, ["x": value]) == "coin passed (#1)") }
    for value in wrong { #expect(try play(type, ["x": value]).hasPrefix("action coin: x")) }
    for kind in ["boolean", "integer", "number", "string", "any"] {
      #expect(faults(of: "state {} action.a { x = \(kind) { samples = {} } }").isEmpty)
    }
    #expect(faults(of: "state {} action.a { x = integer { samples = { 'a' } } }").count == 1)
  }

  @Test(
    """
    `integer` takes 5.0 and makes it 5; `number` refuses NaN and infinities; `none` counts as \
    missing.
    """)
  func numbers() throws {
    let trial = try Trial(
      """
      state { n = none }
      action.i { n = integer } action.x { x = number } action.o { x = optional(integer) }
      action.send { what = string }
      function reduce.i(s, a) s.n = a.n end
      function effect.send(self, a)
        if a.what == "none" then dispatch.o { x = none } else dispatch.x { x = none } end
      end
      """)
    try trial.play("i", ["n": 5.0])
    #expect(try trial.state("n") == .integer(5))
    #expect(try trial.play("x", ["x": .number(.nan)]).hasPrefix("action x: x must be a number"))
    #expect(
      try trial.play("x", ["x": .number(.infinity)]).hasPrefix("action x: x must be a number"))
    try trial.play("send", ["what": "none"])
    #expect(trial.told() == [])
    #expect(try trial.host.commits.last?.action == "o")
    try trial.play("send", ["what": "x"])
    #expect(trial.told().first?.contains("action x: x must be a number, but is missing") == true)
  }

  @Test("A payload is closed by its declaration, copied at the dispatch, and read-only.")
  func payloads() throws {
    let trial = try Trial(
      """
      state { rows = list {} }
      action.put { row = any } action.fill {} action.write { row = any }
      function reduce.put(s, a) s.rows[#s.rows + 1] = a.row end
      function reduce.write(s, a) a.row.n = 5 end
      function effect.fill()
        local row = { n = 1 }
        dispatch.put { row = row }
        row.n = 2
      end
      """)
    #expect(try trial.play("put", ["row": 1, "rwo": 2]).contains("rwo"))
    try trial.play("fill")
    #expect(try trial.state("rows") == [["n": 1]])
    #expect(try trial.play("write", ["row": ["n": 1]]).contains("flow.lua:4: "))
  }

  @Test(
    """
    A faulty one makes the dispatch fail with every fault at once, sorted by field: \
    `action coin: amount must be an integer of at least 1, got "five"`.
    """)
  func faulty() throws {
    let trial = try Trial(
      "state {} action.coin { amount = integer { min = 1 }, b = string, a = string }")
    #expect(
      try trial.play("coin", ["amount": "five", "a": "a", "b": "b"])
        == "action coin: amount must be an integer of at least 1, got \"five\"")
    let all = try trial.play("coin", ["amount": 0, "a": 1, "b": 2])
    let fields = all.dropFirst("action coin: ".count).split(separator: "; ").map { $0.prefix(2) }
    #expect(fields == ["a ", "am", "b "])
  }

  @Test("A missing payload is `{}`.")
  func nothing() throws {
    let trial = try Trial(
      "state { n = none } action.a { x = optional(integer) } function reduce.a(s, a) s.n = next(a) == nil end"
    )
    try trial.play("a")
    #expect(try trial.state("n") == true)
  }

  @Test("An undeclared action fails and suggests the nearest name.")
  func undeclared() throws {
    let trial = try Trial("state {} action.coin {}")
    guard case .failed(let failure) = try trial.host.dispatch("coyn") else {
      Issue.record("coyn did not fail")
      return
    }
    #expect(failure.kind == .undeclared)
    #expect(failure.description == "there is no action coyn; did you mean coin?")
  }
}
