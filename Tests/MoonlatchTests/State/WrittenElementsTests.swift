import FlowHosting
import FlowKernel
import LuaRuntime
import Testing

/// Scalars written over scalars below the state's own fields: in records, in maps and in lists.
@Suite struct WrittenElementsTests {
  private static func host(_ body: String, more: String = "") throws -> FlowHost {
    let many = (1...12).map { "f\($0) = \($0)" }.joined(separator: ", ")
    return try FlowHost(
      source: """
        state {
          a = { x = 1, y = 0.5, word = "old", inner = { x = 1, deep = { x = 1 } } },
          b = { x = 1, open = none, spare = none },
          users = map { ann = { age = 30, name = "Ann" }, bob = { age = 40, name = "Bob" } },
          scores = map { [7] = 1, [-2] = 2 },
          rows = list { { id = 1, done = false }, { id = 2, done = false }, { id = 3, done = false } },
          grid = list { { 1, 2 }, { 3, 4 } },
          many = { \(many) },
          trunk = map { a = { a = { a = { a = { a = { a = { x = 1 }, x = 1 }, x = 1 } } } } },
        }
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

  @Test("each element written is one change from its first value to its last, in order of writing")
  func paths() throws {
    #expect(
      try Self.patch(
        of: """
          s.a.inner.x = 2 s.users.ann.age = 31 s.rows[2].done = true s.grid[2][1] = 9
          s.scores[-2] = 2.5 s.a.word = "new" s.a.inner.x = 3 s.users.bob.name = "Rob"
          """) == """
          a.inner.x: 1 -> 3
          users.ann.age: 30 -> 31
          rows[2].done: false -> true
          grid[2][1]: 3 -> 9
          scores[-2]: 2 -> 2.5
          a.word: "old" -> "new"
          users.bob.name: "Bob" -> "Rob"
          """)
  }

  @Test("fields and elements with the same name or index in different tables are separate changes")
  func sameKeys() throws {
    #expect(
      try Self.patch(
        of:
          "s.a.x = 2 s.b.x = 3 s.a.inner.x = 4 s.a.inner.deep.x = 5 s.grid[1][2] = 6 s.grid[2][2] = 7"
      ) == """
        a.x: 1 -> 2
        b.x: 1 -> 3
        a.inner.x: 1 -> 4
        a.inner.deep.x: 1 -> 5
        grid[1][2]: 2 -> 6
        grid[2][2]: 4 -> 7
        """)
  }

  /// Writes that a reducer can make, in many orders.
  static let bodies = [
    "s.a.x = 2",
    "s.a.x = 2 s.a.x = 1",
    "s.a.x = 1.0 s.a.y = -0.0 s.b.x = 1/0",
    "s.a.word = 'a' s.a.word = 'abcdef' s.a.word = ('long '):rep(20) s.a.x = 2",
    "s.a.x = 2 s.b.open = 3 s.a.x = 4 s.b.x = 5",
    "s.a.x = 2 s.b.open = 3 s.b.open = nil s.a.x = 1",
    "s.users.ann.age = 31 s.users.ann = { age = 1, name = 'Anna' } s.users.ann.age = 2",
    "s.users.ann.age = 31 s.users.ann = nil s.users.bob.age = 41",
    "s.users.ann.age = 31 s.users.ann.age = nil s.users.ann.age = 32",
    "s.users.ann.age = 31 s.users.ann.age = { years = 31 } s.users.ann.age.years = 32",
    "s.users.ann.age = 31 s.users.ann.extra = true s.users.ann.extra = false",
    "s.users.cid = s.users.ann s.users.cid.age = 5 s.users.ann.name = 'A'",
    "s.users.ann.age = 31 s.users.cid = s.users.ann s.users.ann = nil s.users.cid.age = 5",
    "local ann = s.users.ann ann.age = 31 s.users.ann = nil ann.age = 32 s.users.dora = ann ann.age = 33",
    "s.rows[2].done = true table.remove(s.rows, 1) s.rows[1].done = false s.rows[2].done = true",
    "s.rows[3].done = true table.insert(s.rows, 1, { id = 0, done = false }) s.rows[4].id = 9",
    "s.rows[1].id = 9 table.sort(s.rows, function(p, q) return p.id < q.id end) s.rows[3].id = 10",
    "table.sort(s.rows, function(p, q) p.done = not p.done return p.id > q.id end)",
    "s.rows[1], s.rows[3] = s.rows[3], s.rows[1] s.rows[1].done = true",
    "s.grid[1][1], s.grid[1][2] = s.grid[1][2], s.grid[1][1] s.grid[1][3] = 5 s.grid[1][1] = 7",
    "s.a = { x = 5, y = 1, word = 'w', inner = { x = 2, deep = { x = 3 } } } s.a.inner.deep.x = 4",
    "s.a.inner.deep.x = 2 s.a.inner = { x = 2, deep = { x = 3 } } s.a.inner.deep.x = 4 s.a.x = 6",
    "s.trunk.a.a.a.a.x = 2 s.trunk.a.a.a.a.a.x = 3 s.trunk.a.a.a.a.a.a.x = 4 s.trunk.a.a.a.a.x = 5",
    (1...12).map { "s.many.f\($0) = -\($0)" }.joined(separator: " "),
    (1...12).map { "s.many.f\($0) = -\($0) s.many.f\($0) = \($0)" }.joined(separator: " "),
    "for k, user in pairs(s.users) do user.age = user.age + 1 end for i, r in ipairs(s.rows) do r.id = -i end",
    "s.a.word = 'new' for i = 1, 20000 do local garbage = { 'text ' .. i } end s.users.ann.name = 'x'",
  ]

  @Test(
    "the patch is the same as of a transition that starts with another kind of write",
    arguments: bodies)
  func recomputed(body: String) throws {
    let journalled = try Self.patch(of: "s.b.spare = 1 s.b.spare = nil " + body)
    // If tables move, the patch lists every write separately, including the first two.
    let first = "b.spare: nil -> 1\nb.spare: 1 -> nil\n"
    #expect(try Self.patch(of: body) == journalled.replacing(first, with: ""))
  }

  @Test("the patch leads from the state before to the one after, and back", arguments: bodies)
  func leads(body: String) throws {
    let host = try Self.host(body)
    let before = try host.state()
    guard case .passed(let commit) = try host.dispatch("go") else {
      Issue.record("it did not pass")
      return
    }
    let after = try host.state()
    #expect(after.reverting(commit.writes) == before)
    try host.undo()
    #expect(try host.state() == before)
    try host.redo()
    #expect(try host.state() == after)
    try host.undo()
    try host.dispatch("go")
    #expect(try host.state() == after)
  }

  @Test("a later error rolls all written elements back", arguments: bodies)
  func takenBack(body: String) throws {
    let host = try Self.host(body + " error('no')")
    let before = try host.state()
    guard case .failed = try host.dispatch("go") else { Issue.record("it passed"); return }
    #expect(try host.state() == before)
    #expect(try host.revision == 0)
  }

  @Test("a limit that ends the reducer rolls all written elements back", arguments: bodies)
  func stopped(body: String) throws {
    let host = try Self.host(body + " while true do end")
    let before = try host.state()
    guard case .failed(let failure) = try host.dispatch("go") else {
      Issue.record("it passed")
      return
    }
    #expect(failure.kind == .limit)
    #expect(try host.state() == before)
  }

  @Test(
    "an invalid write is rejected with its path, and earlier writes are rolled back",
    arguments: [
      ("s.rows[2].id = 0/0", "state.rows[2].id: NaN is not plain data"),
      ("s.users.ann.name = '\\xff'", "state.users.ann.name: strings are UTF-8"),
      ("s.users.ann.name = print", "state.users.ann.name: a function is not plain data"),
      ("s.a.inner.x = nil", "state.a.inner.x: this field always has a value"),
      ("s.a.inner.z = 1", "state.a.inner has no field z"),
      ("s.grid[1][4] = 1", "a list has no holes; the next free place is [3]"),
      ("s.scores[0.5] = 1", "keys are strings or integers"),
    ])
  func refused(body: String, message: String) throws {
    let host = try Self.host("s.a.inner.x = 5 s.rows[2].id = 6 " + body)
    let before = try host.state()
    guard case .failed(let failure) = try host.dispatch("go") else {
      Issue.record("it passed")
      return
    }
    #expect(failure.message.contains(message))
    #expect(try host.state() == before)
  }

  @Test("a gate rule that writes fails, and nothing changes")
  func gate() throws {
    let host = try Self.host(
      "s.a.x = 2", more: "function gate.go(s) s.users.ann.age = 31 return true end")
    let before = try host.state()
    guard case .failed(let failure) = try host.dispatch("go") else {
      Issue.record("it passed")
      return
    }
    #expect(
      failure.message.contains(
        "state.users.ann.age: a gate rule cannot change the state; only a reducer can"))
    #expect(try host.state() == before)
  }

  @Test("a whole float index refers to the element of that integer")
  func floatKey() throws {
    #expect(try Self.patch(of: "s.grid[2.0][1.0] = 9 s.grid[2][1] = 10") == "grid[2][1]: 3 -> 10")
  }

  @Test("elements that an earlier transition has moved have their new paths")
  func moved() throws {
    let host = try Self.host(
      "table.remove(s.rows, 1)",
      more: """
        action.mark {}
        function reduce.mark(s) s.rows[2].done = true s.rows[1].id = 20 end
        """)
    try host.dispatch("go")
    for _ in 1...2 {
      guard case .passed(let commit) = try host.dispatch("mark") else {
        Issue.record("it did not pass")
        return
      }
      #expect(
        commit.writes.description == "rows[2].done: false -> true\nrows[1].id: 2 -> 20")
      try host.undo()
    }
  }

  @Test("writing to a table that was removed from the state does not change the state")
  func left() throws {
    let host = try Self.host(
      "",
      more: """
        local kept, inner
        action.take {}
        action.write {}
        action.put {}
        function reduce.take(s) kept, inner = s.users.ann, s.rows[1] s.users.ann = nil table.remove(s.rows, 1) end
        function reduce.write(s) kept.age = kept.age + 1 inner.done = true s.a.x = s.a.x + 1 end
        function reduce.put(s) kept.age = 99 s.users.new = kept kept.age = 100 end
        """)
    try host.dispatch("take")
    guard case .passed(let commit) = try host.dispatch("write") else {
      Issue.record("it did not pass")
      return
    }
    #expect(commit.writes.description == "a.x: 1 -> 2")
    guard case .passed(let second) = try host.dispatch("put") else {
      Issue.record("it did not pass")
      return
    }
    #expect(second.writes.changes.map(\.path.description) == ["users.new", "users.new.age"])
    #expect(try host.state()["users"]?["new"]?["age"] == 100)
  }

  @Test("a nested field may be named like a machine, which protects its own field only")
  func machine() throws {
    let host = try Self.host(
      "s.a.x = 2 s.users.side = 'anywhere'",
      more: """
        state { mine = { side = "none" } }
        machine.side { initial = "left", left = { go = "right", turn = "left" }, right = { go = "left" } }
        action.turn {}
        function reduce.turn(s) s.mine.side = "x" s.side = "right" end
        function effect.go(self) end
        """)
    guard case .passed(let commit) = try host.dispatch("go") else {
      Issue.record("it did not pass")
      return
    }
    #expect(
      commit.writes.description == """
        side: "left" -> "right"
        a.x: 1 -> 2
        users.side: nil -> "anywhere"
        """)
    try host.undo()
    guard case .failed(let failure) = try host.dispatch("turn") else {
      Issue.record("it passed")
      return
    }
    #expect(failure.message.contains("state.side: only its machine can change this field"))
    #expect(try host.state()["mine"] == ["side": "none"])
  }

  @Test("an invariant sees the written values, and a violation reports them and rolls them back")
  func invariant() throws {
    let host = try Self.host(
      "s.users.ann.age = -1 s.users.ann.name = 'new'",
      more: "function invariant.born(s) return s.users.ann.age >= 0 end")
    let before = try host.state()
    guard case .failed(let failure) = try host.dispatch("go") else {
      Issue.record("it passed")
      return
    }
    #expect(
      failure.writes?.description == "users.ann.age: 30 -> -1\nusers.ann.name: \"Ann\" -> \"new\"")
    #expect(try host.state() == before)
  }

  @Test("views that read a written record or its whole list are recomputed, and others are not")
  func views() throws {
    let host = try Self.host(
      "s.rows[2].done = not s.rows[2].done",
      more: """
        function view.second(s) return s.rows[2].done end
        function view.first(s) return s.rows[1].done end
        function view.id(s) return s.rows[2].id end
        function view.whole(s) local n = 0 for _, r in ipairs(s.rows) do n = n + (r.done and 1 or 0) end return n end
        function view.row(s) return s.rows[2] end
        function view.length(s) return #s.rows end
        """)
    let names = ["second", "first", "id", "whole", "row", "length"]
    for name in names { _ = try host.view(name) }
    try host.dispatch("go")
    #expect(try host.view("second") == true)
    #expect(try host.view("whole") == 1)
    #expect(try host.view("row") == ["id": 2, "done": true])
    for name in names { _ = try host.view(name) }
    #expect(try names.map { try host.recomputations(of: $0) } == [2, 1, 2, 2, 2, 1])
  }

  @Test("a subscriber is notified of a written element, and an effect reads it")
  func effect() throws {
    let host = try Self.host(
      "s.users.ann.age = s.users.ann.age + 1",
      more: """
        state { seen = 0 }
        function view.age(s) return s.users.ann.age end
        action.note { age = integer }
        function reduce.note(s, a) s.seen = a.age end
        function effect.go() dispatch.note { age = view.age() } end
        """)
    try host.dispatch("go")
    try host.dispatch("go")
    #expect(try host.state()["seen"] == 32)
  }

  @Test("a write that makes the state exceed its size limit is rolled back")
  func full() throws {
    let text = "a word of thirty-nine letters and blanks"
    let host = try FlowHost(
      source: """
        state { inner = { a = '', b = '' } }
        action.go {}
        function reduce.go(s) s.inner.a = '\(text)' end
        """,
      options: HostOptions(limits: Limits(state: 50)))
    guard case .failed(let failure) = try host.dispatch("go") else {
      Issue.record("it passed")
      return
    }
    #expect(failure.message.contains("the limit is 50"))
    #expect(try host.state() == ["inner": ["a": "", "b": ""]])
  }
}
