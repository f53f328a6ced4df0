import FlowHosting
import FlowKernel
import FlowLanguage
import LuaRuntime
import Testing

/// The net changes of commits.
@Suite struct NetChangesTests {
  private func changes(_ code: String) throws -> String {
    try FlowHost(source: going(code)).passing()?.changes.description ?? "it did not pass"
  }

  @Test(
    "a write that another one takes back is no change",
    arguments: [
      "s.open.c = { 1 } s.open.c = nil", "s.open.a = { b = 2 } s.open.a = { b = 1 }",
      "table.insert(s.rows, { id = 9 }) table.remove(s.rows)",
      "local r = table.remove(s.rows, 2) table.insert(s.rows, 2, r)",
      "s.rows[2].id = 5 table.insert(s.rows, 1, { id = 0 }) s.rows[3].id = 2 table.remove(s.rows, 1)",
      "s.rows[4] = { id = 4 } s.rows[4] = nil",
    ])
  func takenBack(code: String) throws { #expect(try changes(code) == "") }

  @Test("writes inside a value that was put there are part of its change")
  func inside() throws {
    #expect(
      try changes("s.open.c = { x = 1 } s.n = 2 s.open.c.x = 2 s.open.c.y = 3")
        == "open.c: nil -> { x = 2, y = 3 }\nn: 1 -> 2")
    #expect(
      try changes("s.open.a.b = 2 s.open.d = { 1 } s.open.a = { b = 3 }")
        == "open.a: { b = 1 } -> { b = 3 }\nopen.d: nil -> { 1 }")
    #expect(
      try changes("table.insert(s.rows, { id = 4 }) s.n = 2 s.rows[4].id = 5 s.open.d = { 1 }")
        == "rows[4]: inserted { id = 5 }\nn: 1 -> 2\nopen.d: nil -> { 1 }")
  }

  @Test("a changed element that then moves has its change at its last position")
  func moved() throws {
    #expect(
      try changes("s.rows[1].id = 10 table.insert(s.rows, 1, { id = 0 }) s.rows[2].id = 100")
        == "rows[1]: inserted { id = 0 }\nrows[2].id: 1 -> 100")
    #expect(
      try changes("s.rows[1].id = 10 table.remove(s.rows, 1)") == "rows[1]: removed { id = 1 }")
  }

  @Test("an element that is removed and one that takes its place are one change")
  func replaced() throws {
    #expect(
      try changes("table.remove(s.numbers, 2) table.insert(s.numbers, 2, 21)")
        == "numbers[2]: 20 -> 21")
    #expect(
      try changes("table.insert(s.numbers, 1, table.remove(s.numbers))")
        == "numbers[3]: removed 30\nnumbers[1]: inserted 30")
  }

  @Test(
    "net changes of thousands of added, changed and removed elements lead from one state to the other"
  )
  func many() throws {
    let host = try FlowHost(
      source: going(
        """
        for i = 1, 2000 do
          table.insert(s.list, random(#s.list + 1), i)
          s.list[random(#s.list)] = -i
          if i % 3 == 0 then table.remove(s.list, random(#s.list)) end
        end
        for i = 1, 1000 do table.insert(s.list, { i }) end
        """, state: "state { list = { \((1...600).map(String.init).joined(separator: ", ")) } }"))
    let before = try host.state()
    let commit = try #require(try host.dispatch("go").commit)
    let after = try host.state()
    #expect(after["list"]?.listValue?.count == 600 + 2000 - 666 + 1000)
    #expect(before.applying(commit.changes) == after)
    #expect(after.reverting(commit.changes) == before)
    #expect(commit.changes.changes.count < commit.writes.changes.count)
  }

  @Test("writes of many keys before and after a table is replaced are one change")
  func manyKeys() throws {
    let host = try FlowHost(
      source: going(
        """
        for i = 1, 1000 do s.map["k" .. i] = i end
        s.map = map {}
        s.n = 2
        for i = 1, 1000 do s.map["k" .. i] = -i end
        """, state: "state { map = map {}, n = 1 }"))
    let before = try host.state()
    let commit = try #require(try host.dispatch("go").commit)
    #expect(commit.changes.changes.map(\.path.description) == ["map", "n"])
    #expect(before.applying(commit.changes) == (try host.state()))
  }

  @Test("a shuffle of 12 cards is at most 12 changes")
  func shuffled() throws {
    let host = try FlowHost(
      source: """
        state { deck = list {} }
        action.fill {}
        action.shuffle {}
        function reduce.fill(s)
          for i = 1, 12 do s.deck[i] = { suit = "hearts", rank = i } end
        end
        function reduce.shuffle(s)
          for i = 12, 2, -1 do
            local j = random(i)
            s.deck[i], s.deck[j] = s.deck[j], s.deck[i]
          end
        end
        """)
    try host.dispatch("fill")
    let commit = try #require(try host.dispatch("shuffle").commit)
    let paths = Set(commit.changes.changes.map(\.path))
    #expect(paths.count == commit.changes.changes.count && paths.count <= 12)
  }

  @Test("a violated invariant reports the net changes that were rolled back")
  func rolledBack() throws {
    let failure = try FlowHost(
      source: going(
        "s.rows[4] = { id = 4 } s.rows[4] = nil s.n = -1",
        more: "function invariant.positive(s) return s.n > 0 end")
    ).dispatch("go").failure
    #expect(failure?.changes?.description == "n: 1 -> -1")
    #expect((failure?.writes?.changes.count ?? 0) > 1)
  }

  // MARK: Random writes

  @Test("net changes lead from the old state to the new one, and no two have the same path")
  func equivalent() throws {
    var random = SplitMix(7)
    for _ in 1...300 {
      let code = (1...Int.random(in: 2...14, using: &random)).map { _ in
        NetChangesTests.write(&random)
      }.joined(separator: "\n")
      let host = try FlowHost(
        source: going(
          code,
          state:
            "state { list = { 1, 2, { 3 }, 4 }, rows = { { id = 1, l = { 1 } }, { id = 2, l = { 2 } } }, map = map {} }"
        ))
      let before = try host.state()
      let commit = try #require(try host.dispatch("go").commit, "\(code)")
      let (after, net) = (try host.state(), commit.changes)
      #expect(before.applying(net).leaves(changedTo: after).isEmpty, "\(code)\n\(net)")
      #expect(after.reverting(net).leaves(changedTo: before).isEmpty, "\(code)\n\(net)")
      #expect(net.changes.count <= commit.writes.changes.count)
    }
  }

  /// A write that is possible in any state that the others lead to.
  private static func write(_ random: inout SplitMix) -> String {
    let number = Int.random(in: 1...9, using: &random)
    let value =
      ["\(number)", "{ \(number) }", "{ id = \(number), l = { \(number) } }"].randomElement(
        using: &random) ?? ""
    let list =
      ["s.list", "s.rows", "(s.rows[1] and s.rows[1].l or s.list)"].randomElement(using: &random)
      ?? ""
    let item = list == "s.rows" ? "{ id = \(number), l = { \(number) } }" : value
    switch Int.random(in: 0...8, using: &random) {
    case 0: return "table.insert(\(list), \(item))"
    case 1: return "table.insert(\(list), 1, \(item))"
    case 2: return "do local l = \(list) table.insert(l, #l // 2 + 1, \(item)) end"
    case 3: return "table.remove(\(list))"
    case 4: return "do local l = \(list) if #l > 0 then table.remove(l, #l // 2 + 1) end end"
    case 5: return "do local l = \(list) if #l > 0 then l[#l] = \(item) end end"
    case 6: return "if s.rows[1] then s.rows[1].id = \(number) end"
    case 7: return "s.map.k\(number % 3) = \(value)"
    default: return "s.map.k\(number % 3) = nil"
    }
  }
}

/// A random number generator with a fixed sequence for each seed.
private struct SplitMix: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
