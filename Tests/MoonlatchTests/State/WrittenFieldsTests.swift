import FlowHosting
import FlowKernel
import LuaRuntime
import Testing

/// Scalars written over scalars in the state's own fields, and further writes in the same
/// transition.
@Suite struct WrittenFieldsTests {
  private static func host(_ body: String, more: String = "") throws -> FlowHost {
    let many = (1...12).map { "f\($0) = \($0)" }.joined(separator: ", ")
    return try FlowHost(
      source: """
        state { n = 1, x = 0.5, flag = false, word = "old", rows = list {}, open = none, \(many) }
        action.go {}
        function reduce.go(s)
        \(body)
        end
        \(more)
        """)
  }

  private static func patch(of body: String) throws -> String {
    let outcome = try host(body).dispatch("go")
    guard case .passed(let commit) = outcome else { return "\(outcome)" }
    return commit.writes.description
  }

  @Test("a written scalar is one change from its first value to its last, in order of writing")
  func kinds() throws {
    #expect(
      try Self.patch(of: "s.word = 'new' s.flag = true s.x = 2 s.n = 7 s.n = 8") == """
        word: "old" -> "new"
        flag: false -> true
        x: 0.5 -> 2
        n: 1 -> 8
        """)
  }

  @Test(
    "a field that ends with its original value is no change",
    arguments: ["s.n = 5 s.n = 1", "s.flag = true s.flag = false", "s.word = 'new' s.word = 'old'"])
  func back(body: String) throws {
    #expect(try Self.patch(of: body + " s.x = 1.5") == "x: 0.5 -> 1.5")
  }

  @Test("a value that is longer than the previous one is written")
  func longer() throws {
    let long = String(repeating: "long ", count: 20)
    #expect(
      try Self.patch(of: "s.word = 'a' s.word = 'abc' s.word = '\(long)' s.n = 2")
        == "word: \"old\" -> \"\(long)\"\nn: 1 -> 2")
  }

  @Test("a number that becomes an equal one of the other subtype is a change")
  func kindOfNumber() throws {
    #expect(try Self.patch(of: "s.n = 1.0") == "n: 1 -> 1.0")
    #expect(try Self.patch(of: "s.x = -0.0") == "x: 0.5 -> 0.0")
  }

  @Test("many written fields are all in the patch")
  func many() throws {
    let body = (1...12).map { "s.f\($0) = -\($0)" }.joined(separator: " ")
    #expect(
      try Self.patch(of: body) == (1...12).map { "f\($0): \($0) -> -\($0)" }.joined(separator: "\n")
    )
  }

  @Test("other kinds of writes may follow, and the patch has all of them in order")
  func othersFollow() throws {
    #expect(
      try Self.patch(of: "s.n = 2 s.word = 'new' s.rows[1] = { id = 1 } s.open = 3 s.n = 4") == """
        n: 1 -> 2
        word: "old" -> "new"
        rows[1]: nil -> { id = 1 }
        open: nil -> 3
        n: 2 -> 4
        """)
  }

  private static let writes = [
    "s.n = 2 s.word = 'new' s.flag = true",
    "s.n = 2 s.n = 3 s.word = 'new' s.rows[1] = { id = 1 } s.word = 'newer'",
    (1...12).map { "s.f\($0) = -\($0)" }.joined(separator: " ") + " s.open = 'now'",
    "s.word = 'new' for i = 1, 20000 do local garbage = { 'text ' .. i } end s.x = 9.5",
  ]

  @Test("a later error rolls all written fields back", arguments: writes)
  func takenBack(body: String) throws {
    let host = try Self.host(body + " error('no')")
    let before = try host.state()
    guard case .failed = try host.dispatch("go") else { Issue.record("it passed"); return }
    #expect(try host.state() == before)
  }

  @Test("an invariant that is violated rolls the written fields back and reports them")
  func invariant() throws {
    let host = try Self.host(
      "s.n = -1 s.word = 'new'",
      more: "function invariant.positive(s) return s.n > 0 end")
    let before = try host.state()
    guard case .failed(let failure) = try host.dispatch("go") else {
      Issue.record("it passed")
      return
    }
    #expect(failure.writes?.description == "n: 1 -> -1\nword: \"old\" -> \"new\"")
    #expect(try host.state() == before)
  }

  @Test("views that read a written field are recomputed, and others are not")
  func views() throws {
    let host = try Self.host(
      "s.n = s.n + 1",
      more: """
        function view.reads(s) return s.n end
        function view.other(s) return s.word end
        """)
    _ = (try host.view("reads"), try host.view("other"))
    try host.dispatch("go")
    #expect(try host.view("reads") == 2)
    #expect(try host.view("other") == "old")
    #expect(try host.recomputations(of: "reads") == 2)
    #expect(try host.recomputations(of: "other") == 1)
  }

  @Test("undo and redo restore written fields")
  func undo() throws {
    let host = try Self.host("s.n = s.n + 1 s.word = s.word .. '!' s.flag = not s.flag")
    let before = try host.state()
    try host.dispatch("go")
    try host.dispatch("go")
    let after = try host.state()
    try host.undo(2)
    #expect(try host.state() == before)
    try host.redo(2)
    #expect(try host.state() == after)
  }

  @Test("a write that makes the state exceed its size limit is rolled back")
  func full() throws {
    let text = "a word of thirty-nine letters and blanks"
    let host = try FlowHost(
      source: "state { a = '', b = '' } action.go {} function reduce.go(s) s.a = '\(text)' end",
      options: HostOptions(limits: Limits(state: 40)))
    guard case .failed(let failure) = try host.dispatch("go") else {
      Issue.record("it passed")
      return
    }
    #expect(failure.message.contains("the limit is 40"))
    #expect(try host.state() == ["a": "", "b": ""])
  }

  @Test(
    "a transition, its reducers and its entry and exit functions share one budget",
    arguments: [100_000, 200_000])
  func machine(instructions: Int) throws {
    let work = "for i = 1, 60000 do end"
    let host = try FlowHost(
      source: """
        state { log = "" }
        action.go {}
        machine.m {
          initial = "a",
          a = { go = "b", on_exit = function(s) s.log = s.log .. "exit " .. s.m \(work) end },
          b = { go = "a", on_enter = function(s) s.log = s.log .. " enter " .. s.m \(work) end },
        }
        function reduce.go(s) s.log = s.log .. " reduce " .. s.m \(work) end
        """,
      options: HostOptions(limits: Limits(instructionsPerDispatch: instructions)))
    guard case .passed(let commit) = try host.dispatch("go") else {
      #expect(instructions < 180_000, "it did not pass")
      return
    }
    #expect(instructions > 180_000)
    #expect(
      commit.writes.description.split(separator: "\n").sorted() == [
        "log: \"\" -> \"exit a reduce b enter b\"", "m: \"a\" -> \"b\"",
      ])
  }

  @Test(
    "a reducer of an action with a machine that returns a value is an error that says to return none"
  )
  func returns() throws {
    let host = try FlowHost(
      source: """
        state { n = 0 }
        action.go {}
        machine.m { initial = "a", a = { go = "b" }, b = {} }
        function reduce.go(s) s.n = 1 return { n = 2 } end
        """)
    guard case .failed(let failure) = try host.dispatch("go") else {
      Issue.record("it passed")
      return
    }
    #expect(failure.message.contains("returns nothing"))
    #expect(try host.state() == ["n": 0, "m": "a"])
  }

  @Test("20,000 long keys of one length are written, overwritten and undone in one dispatch each")
  func longKeys() throws {
    let host = try FlowHost(
      source: """
        state { map = map {} }
        action.go { by = integer }
        local prefix = ("k"):rep(60)
        function reduce.go(s, a)
          for round = 1, 2 do
            for i = 10001, 30000 do s.map[prefix .. i] = i * a.by + round end
          end
        end
        """,
      options: HostOptions(limits: Limits(instructionsPerDispatch: 100_000_000), clock: .virtual))
    for by in 1...2 {
      let outcome = try host.dispatch("go", ["by": .integer(by)])
      guard case .passed(let commit) = outcome else {
        Issue.record("\(outcome)")
        return
      }
      #expect(commit.writes.changes.count == 20_000)
      let map = try host.state()["map"]
      #expect(map?[String(repeating: "k", count: 60) + "12345"] == .integer(12_345 * by + 2))
    }
    try host.undo(2)
    #expect(try host.state()["map"]?.isEmptyTable == true)
  }
}
