import FlowHosting
import Testing

/// The tables of the state in scripts: their identity, and the library functions on them.
@Suite struct NodeTests {
  @Test("a subtree stored in a second place is shared in the reducer and copied afterwards")
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

  @Test("a table that is taken out and stored elsewhere moves with its contents")
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

  @Test("a plain table is shared until the transition ends, and a copy from then on")
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
    #expect(try host.passing("later")?.writes.isEmpty == true)
    #expect(try host.state()["open"]?["t"] == ["n": 2])
  }

  @Test("a payload's table that is stored becomes the state's own")
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

  @Test("the library functions work on the state as on plain tables")
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

  @Test("pairs visits the keys that existed at its start")
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

  @Test("changing a list while it is sorted is an error that leaves it unchanged")
  func sortAndChange() throws {
    let host = try FlowHost(
      source: going(
        "table.sort(s.numbers, function(a, b) table.remove(s.numbers) return a < b end)"))
    #expect(try host.failure()?.message == "the list was changed while it was sorted")
    #expect(try host.state()["numbers"] == [10, 20, 30])
  }

  @Test("a script cannot reach or set the metatables of the state")
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
}
