import FlowHosting
import FlowKernel
import LuaRuntime
import Testing

@Suite struct PatchTests {
  @Test("a patch is described by one change per line, in the order of application")
  func description() throws {
    let host = try FlowHost(
      source: going(
        """
        s.n = 2
        s.note = "new"
        table.insert(s.rows, 1, { id = 0 })
        s.rows[2].id = 10
        table.remove(s.numbers, 2)
        table.sort(s.numbers, function(a, b) return a > b end)
        s.open.a = nil
        """))
    #expect(
      try host.passing()?.writes.description == """
        n: 1 -> 2
        note: nil -> "new"
        rows[1]: inserted { id = 0 }
        rows[2].id: 1 -> 10
        numbers[2]: removed 20
        numbers: { 10, 30 } -> { 30, 10 }
        open.a: { b = 1 } -> nil
        """)
  }

  @Test("several writes to one path are one change", arguments: [2, 21, 2000])
  func coalesced(writes: Int) throws {
    let host = try FlowHost(
      source: going("for i = 1, \(writes) do s.n = s.n + 1 s.numbers[2] = i end"))
    #expect(
      try host.passing()?.writes.description == "n: 1 -> \(writes + 1)\nnumbers[2]: 20 -> \(writes)"
    )
  }

  @Test("a path is valid at the time of its change")
  func movingPaths() throws {
    let host = try FlowHost(
      source: going("s.rows[1].id = 10 table.insert(s.rows, 1, { id = 0 }) s.rows[2].id = 100"))
    #expect(
      try host.passing()?.writes.description
        == "rows[1].id: 1 -> 10\nrows[1]: inserted { id = 0 }\nrows[2].id: 10 -> 100")
  }

  @Test("a change has an operation, a path, an old and a new value")
  func changes() throws {
    let host = try FlowHost(source: going("table.insert(s.numbers, 40) s.user.address.number = 7"))
    let changes = try #require(try host.passing()).writes.changes
    #expect(changes.map(\.operation) == [.insert, .set])
    #expect(changes.map(\.path.description) == ["numbers[4]", "user.address.number"])
    #expect(changes.map(\.old) == [.nil, .nil])
    #expect(changes.map(\.new) == [40, 7])
    #expect(changes[1].description == "user.address.number: nil -> 7")
  }

  @Test("a change to a part that was removed is not in the patch")
  func detached() throws {
    let host = try FlowHost(
      source: going("local row = s.rows[1] table.remove(s.rows, 1) row.id = 99 row.more = { 1 }"))
    #expect(try host.passing()?.writes.description == "rows[1]: removed { id = 1 }")
  }

  @Test("a commit without changes has an empty patch")
  func empty() throws {
    let host = try FlowHost(source: going("local x = s.n"))
    #expect(try host.passing()?.writes.isEmpty == true)
    #expect(try host.revision == 1)
  }

  @Test("a patch larger than the memory limit fails the dispatch with that limit")
  func tooLarge() throws {
    let limits = Limits(memory: 8 << 20)
    let host = try FlowHost(
      source: going(
        "local big = s.open.big for i = 1, 20000 do s.open.big = nil s.open.big = big end",
        state: "local big = {} for i = 1, 5000 do big[i] = i end state { open = map { big = big } }"
      ),
      options: HostOptions(limits: limits))
    let failure = try host.failure()
    #expect(failure?.kind == .limit)
    #expect(failure?.message == "not enough memory (the memory limit is 8388608 bytes)")
    #expect(try host.state()["open"]?["big"]?.listValue?.count == 5000)
  }
}
