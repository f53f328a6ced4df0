import FlowHosting
import FlowKernel
import LuaRuntime
import Testing

@Suite struct PayloadCheckTests {
  /// Returns the value that the flow sees in a field of the type, or the fault.
  private func check(_ type: String, _ value: Value?) throws -> String {
    let host = try FlowHost(
      source: """
        state { seen = none }
        action.go { f = \(type) }
        function reduce.go(s, a) s.seen = a.f end
        """)
    switch try host.dispatch("go", value.map { ["f": $0] } ?? [:]) {
    case .passed: return try host.state()["seen"]?.description ?? "nil"
    case .failed(let failure):
      #expect(failure.kind == .payload)
      return failure.message
    case .refused: return "refused"
    }
  }

  @Test(
    "each type accepts its values",
    arguments: [
      ("boolean", true, "true"), ("integer", 7, "7"), ("integer", 5.0, "5"), ("number", 7, "7"),
      ("number", 1.5, "1.5"), ("string", "é", "\"é\""), ("string {}", "", "\"\""),
      ("any", ["x": [1, true]], "{ x = { 1, true } }"), ("one_of { 'a', 'b' }", "b", "\"b\""),
      ("one_of { 1, 2 }", 1.0, "1"), ("list_of(integer)", [1, 2.0], "{ 1, 2 }"),
      ("list_of(integer)", [:], "{}"),
      ("list_of { string, max_length = 2 }", ["a", "b"], "{ \"a\", \"b\" }"),
      ("list_of { x = integer }", [["x": 1]], "{ { x = 1 } }"),
      ("map_of(integer)", ["x": 1], "{ x = 1 }"), ("map_of(integer)", [], "{}"),
      ("map_of { string, key = integer }", ["a", "b"], "map { [1] = \"a\", [2] = \"b\" }"),
      ("map_of { string, key = integer }", .map([7: "x"]), "map { [7] = \"x\" }"),
      ("{ x = integer, y = optional(string) }", ["x": 1], "{ x = 1 }"),
      ("integer { min = 1, max = 3 }", 3, "3"), ("number { min = 0.5 }", 0.5, "0.5"),
      ("string { pattern = '^%a+$' }", "abc", "\"abc\""),
      ("string { min_length = 2, max_length = 2 }", "éé", "\"éé\""),
    ] as [(String, Value, String)])
  func accepts(type: String, value: Value, seen: String) throws {
    #expect(try check(type, value) == seen)
  }

  @Test(
    "each type rejects other values, and says what it expects",
    arguments: [
      ("boolean", 1, "a boolean, got 1"),
      ("integer", 1.5, "an integer, got 1.5; x // y gives a whole number"),
      ("integer", "5", "an integer, got \"5\""), ("integer", 1e300, "an integer, got 1e+300"),
      ("number", .number(.nan), "a number, got nan"),
      ("number", .number(.infinity), "a number, got math.huge"),
      ("string", 1, "a string, got 1"),
      ("integer { min = 1 }", 0, "an integer of at least 1, got 0"),
      ("integer { max = 3 }", 4, "an integer of at most 3, got 4"),
      ("number { min = 1, max = 2 }", 2.5, "a number from 1 to 2, got 2.5"),
      ("string { pattern = '^%a+$' }", "a1", "a string that matches \"^%a+$\", got \"a1\""),
      ("string { max_length = 2 }", "abc", "a string of at most 2 characters, got \"abc\""),
      ("string { min_length = 1 }", "", "a string of at least 1 character, got \"\""),
      ("one_of { 'a', 2 }", "c", "one of \"a\", 2, got \"c\""),
      ("list_of(integer)", 1, "a list of integers, got 1"),
      ("list_of(integer)", ["x": 1], "a list of integers, got { x = 1 }"),
      (
        "list_of { integer, max_length = 1 }", [1, 2],
        "a list of at most 1 integer, got { 1, 2 }"
      ),
      ("map_of(integer)", [1], "a map to integers, got { 1 }"),
      (
        "map_of { integer, max_length = 1 }", ["a": 1, "b": 2],
        "a map to integers of at most 1 entry, got { a = 1, b = 2 }"
      ),
      ("{ x = integer }", 1, "a record of x, got 1"),
      ("any", .number(.nan), "plain data, got NaN"),
      ("any", [1, .nil, 3], "plain data, got a list with holes"),
      ("any", ["a": [["b": .map([4: .number(.nan)])]]], "plain data, got NaN"),
      ("any", ["b": .number(.nan), "a": ["x": [.nil]]], "plain data, got a list with holes"),
    ] as [(String, Value, String)])
  func refuses(type: String, value: Value, wanted: String) throws {
    #expect(try check(type, value) == "action go: f must be \(wanted)")
  }

  @Test(
    "an error inside a value has its path",
    arguments: [
      ("list_of(integer)", [1, "x", 3], "f[2] must be an integer, got \"x\""),
      ("list_of(integer)", [1, .nil, 3], "f[2] must be an integer, but is missing"),
      ("list_of(integer)", [1, .nil], "f[2] must be an integer, but is missing"),
      ("map_of(integer)", ["a b": true], "f[\"a b\"] must be an integer, got true"),
      (
        "map_of { integer, key = integer { min = 1 } }", .map([0: 1]),
        "the key of f[0] must be an integer of at least 1, got 0"
      ),
      (
        "{ x = { y = integer } }", ["x": ["z": 1]],
        "f.x.y must be an integer, but is missing; f.x.z is not a field of this payload; did you mean y?"
      ),
    ] as [(String, Value, String)])
  func inside(type: String, value: Value, fault: String) throws {
    #expect(
      try check(type, value).hasPrefix(
        "action go: " + fault.replacing("; did you mean y?", with: "")))
  }

  @Test("a missing field is an error, unless it is optional or has a default")
  func missing() throws {
    #expect(try check("integer", nil) == "action go: f must be an integer, but is missing")
    #expect(try check("any", nil) == "action go: f is missing")
    #expect(try check("optional(integer)", nil) == "nil")
    #expect(try check("integer { default = 3 }", nil) == "3")
    #expect(try check("integer { default = 3 }", .nil) == "3")
    #expect(try check("one_of { 'a', 'b', default = 'a' }", nil) == "\"a\"")
    #expect(try check("list_of { integer, default = { 1 } }", nil) == "{ 1 }")
    #expect(try check("boolean { default = false }", nil) == "false")
    #expect(try check("{ x = integer { default = 1 } }", [:]) == "{ x = 1 }")
    #expect(try check("optional(integer { default = 4 })", nil) == "4")
  }

  @Test("all errors are reported together, sorted by field, with undeclared fields")
  func everyFault() throws {
    let host = try FlowHost(
      source: "state {}\naction.go { b = integer, d = string, e = optional(boolean) }")
    let failure = try host.failure(of: "go", ["d": 1, "e": 2, "c": 3, "a": 4, "f": 5, "g": .nil])
    #expect(failure?.kind == .payload)
    #expect(
      failure?.message
        == "action go: a is not a field of this payload; b must be an integer, but is missing; "
        + "c is not a field of this payload; d must be a string, got 1; e must be a boolean, got 2; "
        + "f is not a field of this payload"
        || failure?.message.split(separator: "; ").filter { !$0.hasPrefix("did you mean") }.count
          == 6
    )
    let subjects = (failure?.message.dropFirst("action go: ".count) ?? "").split(separator: "; ")
      .compactMap { $0.hasPrefix("did you mean") ? nil : $0.first }
    #expect(String(subjects) == "abcdef")
  }

  @Test("an undeclared field is an error with the nearest name")
  func suggestion() throws {
    let host = try FlowHost(source: "state {}\naction.go { amount = optional(integer) }")
    #expect(
      try host.failure(of: "go", ["amuont": 1])?.message
        == "action go: amuont is not a field of this payload; did you mean amount?")
  }

  @Test("a payload is a record, and no payload is an empty one")
  func records() throws {
    let host = try FlowHost(source: "state {}\naction.go {}")
    #expect(try host.dispatch("go", .nil).isPassed)
    #expect(try host.dispatch("go", []).isPassed)
    #expect(
      try host.failure(of: "go", 7)?.message
        == "action go: the payload must be a record without fields, got 7")
    #expect(
      try host.failure(of: "go", ["x": 1])?.message == "action go: x is not a field of this payload"
    )
  }

  @Test("an undeclared action fails with the nearest name")
  func undeclared() throws {
    let failure = try FlowHost(source: turnstile).failure(of: "pusch")
    #expect(failure?.kind == .undeclared)
    #expect(failure?.message == "there is no action pusch; did you mean push?")
    #expect(try FlowHost(source: turnstile).failure(of: "")?.kind == .undeclared)
  }

  @Test("a payload is read-only, in rules and in reducers")
  func readOnly() throws {
    let host = try FlowHost(
      source: """
        state {}
        action.go { r = { l = list_of(integer) } }
        action.rule {}
        function reduce.go(s, a) table.insert(a.r.l, 1) end
        action.other { x = optional(integer) }
        function gate.other(s, a) a.x = 1 return true end
        """)
    #expect(try host.failure(of: "go", ["r": ["l": [1]]])?.message.contains("read-only") == true)
    #expect(
      try host.failure(of: "other")?.message == "this table is read-only: \"x\" cannot be set")
  }

  @Test("a payload that is nested too deeply, or is too large, fails the dispatch")
  func limits() throws {
    var deep: Value = 1
    for _ in 0..<150 { deep = [deep] }
    let host = try FlowHost(
      source: "state {}\naction.go { f = any }",
      options: HostOptions(limits: Limits(payload: 10_000)))
    #expect(
      try host.failure(of: "go", ["f": deep])?.message.contains("nested more than 100 deep") == true
    )
    let failure = try host.failure(of: "go", ["f": .string(String(repeating: "x", count: 20_000))])
    #expect(failure?.kind == .limit)
    #expect(failure?.message.contains("the limit is 10000") == true)
    #expect(try host.dispatch("go", ["f": 1]).isPassed)
  }

  @Test("an endless pattern match ends at the limit, not as a mismatch")
  func slowPattern() throws {
    let text = String(repeating: "a", count: 200)
    let host = try FlowHost(
      source:
        "state {}\naction.go { f = string { pattern = ('a?'):rep(40) .. ('a'):rep(300) .. 'b' } }",
      options: HostOptions(limits: Limits(instructionsPerDispatch: 20_000)))
    #expect(try host.failure(of: "go", ["f": .string(text)])?.kind == .limit)
  }
}
