import LuaRuntime
import Testing

/// Payloads as scripts see them, and the operations that scripts can apply to them.
@Suite struct PayloadsTests {
  private static let flow = """
    state { sum = 0, seen = list {}, last = none, pair = map {}, text = "" }
    action.add { n = integer, note = optional(string), tags = optional(list_of { string }) }
    action.keep { n = integer, note = optional(string), tags = optional(list_of { string }) }
    action.other { m = integer }
    action.walk { n = integer, note = optional(string) }
    action.write { n = integer } action.write_inside { tags = list_of { string } }
    function reduce.add(s, a)
      s.sum = s.sum + a.n
      s.text = (a.note or "-") .. (a.tags and a.tags[1] or "-")
    end
    function reduce.keep(s, a) s.last = a s.seen[#s.seen + 1] = a end
    function reduce.other(s, a) s.sum = s.sum + a.m end
    function reduce.walk(s, a)
      local names = {}
      for name in pairs(a) do names[#names + 1] = name end
      table.sort(names)
      s.text = table.concat(names, ",")
    end
    function reduce.write(s, a) a.n = 2 end
    function reduce.write_inside(s, a) a.tags[1] = "other" end
    """

  @Test("each dispatch has its own payload fields, whether or not the previous one had them")
  func own() throws {
    let trial = try Trial(PayloadsTests.flow)
    for (payload, text): (Value, String) in [
      (["n": 1, "note": "a"], "a-"), (["n": 2], "--"), (["n": 3, "tags": ["x"]], "-x"),
      (["n": 4, "note": "b"], "b-"), (["n": 5, "note": "c", "tags": ["y"]], "cy"),
      (["n": 6, "tags": ["z"]], "-z"),
    ] {
      try trial.play("add", payload)
      #expect(try trial.state("text") == .string(text))
    }
    #expect(try trial.state("sum") == 21)
    try trial.play("other", ["m": 1])
    try trial.play("add", ["n": 1])
    #expect(try trial.state("text") == "--")
    #expect(try trial.state("sum") == 23)
  }

  @Test("a payload that a reducer keeps is unchanged by later dispatches")
  func kept() throws {
    let trial = try Trial(PayloadsTests.flow)
    try trial.play("add", ["n": 1, "note": "a"])
    try trial.play("keep", ["n": 2, "note": "b"])
    try trial.play("add", ["n": 3, "note": "c"])
    try trial.play("keep", ["n": 4, "tags": ["x"]])
    try trial.play("add", ["n": 5, "tags": ["y"]])
    #expect(try trial.state("last") == ["n": 4, "tags": ["x"]])
    #expect(
      try trial.state("seen") == [["n": 2, "note": "b"], ["n": 4, "tags": ["x"]]])
  }

  @Test("pairs over a payload visits its own fields only")
  func walked() throws {
    let trial = try Trial(PayloadsTests.flow)
    try trial.play("add", ["n": 1, "note": "a"])
    try trial.play("walk", ["n": 2])
    #expect(try trial.state("text") == "n")
    try trial.play("walk", ["n": 2, "note": "b"])
    #expect(try trial.state("text") == "n,note")
  }

  @Test("a payload and the tables in it are read-only")
  func readOnly() throws {
    let trial = try Trial(PayloadsTests.flow)
    for action in ["write", "add", "write"] {
      let line = try trial.play(action, ["n": 1])
      #expect(action == "add" ? line.contains("passed") : line.contains("read-only"), "\(line)")
    }
    #expect(try trial.play("write_inside", ["tags": ["x"]]).contains("read-only"))
  }

  @Test("a waiting effect keeps its own payload during other dispatches of its action")
  func inEffects() throws {
    let trial = try Trial(
      """
      state { sum = 0 }
      action.go { n = integer }
      function reduce.go(s, a) s.sum = s.sum + a.n end
      function effect.go(self, a) sleep(5) print(a.n) end
      """)
    for number in 1...3 { try trial.play("go", ["n": .integer(number)]) }
    try trial.advance(10)
    #expect(trial.printed.take() == ["1", "2", "3"])
    #expect(try trial.state("sum") == 6)
  }

  @Test("an effect still has its own payload after it asked about another action")
  func asking() throws {
    let trial = try Trial(
      """
      state { sum = 0 }
      action.go { n = integer }
      function gate.go(s, a) return a.n < 5, "it is too much" end
      function reduce.go(s, a) s.sum = s.sum + a.n end
      function effect.go(self, a) print(may.go { n = 9 }, a.n, (may.go { n = 3 }), a.n) end
      """)
    for number in 1...2 { try trial.play("go", ["n": .integer(number)]) }
    #expect(trial.printed.take() == ["false\t1\ttrue\t1", "false\t2\ttrue\t2"])
  }
}
