import LuaRuntime
import Testing

@testable import FlowHosting

@Suite struct ValuePatchTests {
  private func leaves(_ old: Value, _ new: Value) -> [String] {
    old.leaves(changedTo: new).map { "\($0.path): \($0.old) -> \($0.new)" }
  }

  @Test("differing leaves are listed in the order of their paths")
  func leaves() {
    #expect(
      leaves(["b": 1, "a": ["x": 1, "y": [1, 2]]], ["b": 2, "a": ["x": 1, "y": [1, 3, 4]]])
        == ["a.y[2]: 2 -> 3", "a.y[3]: nil -> 4", "b: 1 -> 2"])
    #expect(leaves(["a": 1], ["a": 1]).isEmpty)
    #expect(leaves(["a": 1], ["a": 1.0]) == ["a: 1 -> 1.0"])
  }

  @Test("a record on one side only is listed leaf by leaf, and an empty one is a leaf")
  func wholeRecords() {
    #expect(leaves([:], ["u": ["a": 1, "b": [2]]]) == ["u.a: nil -> 1", "u.b[1]: nil -> 2"])
    #expect(leaves(["u": ["a": 1]], [:]) == ["u.a: 1 -> nil"])
    #expect(leaves([:], ["u": []]) == ["u: nil -> {}"])
    #expect(leaves(["u": 5], ["u": ["a": 1]]) == ["u: 5 -> nil", "u.a: nil -> 1"])
    #expect(leaves(["u": ["a": 1]], ["u": 5]) == ["u.a: 1 -> nil", "u: nil -> 5"])
  }

  @Test("an empty list and an empty record are equal")
  func empties() { #expect(leaves(["u": []], ["u": [:]]).isEmpty) }

  @Test(
    "a reversed patch restores the value",
    arguments: [
      "s.n = 2", "s.note = 'x'", "s.user.address.number = 1", "s.rows[2].id = 9",
      "s.rows[3] = nil s.rows[2] = nil s.rows[2] = { id = 7 }",
      "table.insert(s.rows, 2, { id = 7 }) table.remove(s.rows, 1) s.rows[1].id = 8",
      "table.sort(s.numbers, function(a, b) return a > b end) s.numbers[1] = 1",
      "s.open.b = s.open.a s.open.a.b = 5 s.open.b.c = s.rows[1]",
      "s.open.a = nil s.open.c = { x = { y = 1 } } s.open.c.x.y = 2",
      "s.byNumber[5] = nil s.byNumber[1] = 'one' s.byNumber[2] = 'two'",
      "s.empty[1] = 1 s.empty[2] = 2 table.remove(s.empty, 1) table.insert(s.empty, 1, 0)",
      "s.user = { name = 'v', address = { street = 't', number = 3 }, tags = { 'x' } }",
      "for i = 1, 50 do table.insert(s.rows, 1, { id = -i }) end",
      "local r = s.rows[1] s.rows[1] = s.rows[3] s.rows[3] = r table.insert(s.rows, r) r.id = 0",
    ])
  func reverting(code: String) throws {
    let host = try FlowHost(source: going(code))
    let before = try host.state()
    let patch = try #require(try host.passing()).writes
    #expect(!patch.isEmpty)
    let reverted = try host.state().reverting(patch)
    #expect(reverted.leaves(changedTo: before).isEmpty)
  }

  @Test(
    "a map with integer keys is patched forward and back, whatever its keys are",
    arguments: [
      "s.m[1] = 'a' s.m[5] = 'b'", "s.m[1] = 'a' s.m[2] = 'b' s.m[3] = 'c'",
      "s.m[0] = 1 s.m[1] = 2",
      "s.m[math.mininteger] = 1 s.m[math.maxinteger] = 2", "s.m[1] = 1 s.m[-1] = { 1 }",
      "s.m[2] = 1 s.m[1] = 2 s.m[2] = nil", "s.n[1] = nil", "s.n[2] = nil s.n[9] = { x = 1 }",
      "s.n[1] = nil s.n[2] = nil s.n[3] = nil", "s.n[1] = nil s.n[2] = nil s.n[3] = nil s.n[4] = 1",
    ])
  func maps(code: String) throws {
    let host = try FlowHost(
      source: """
        state { m = map {}, n = map { [1] = 'a', [2] = 'b', [3] = 'c' } }
        action.go {}
        function reduce.go(s) \(code) end
        """)
    let before = try host.state()
    let patch = try #require(try host.passing()).writes
    let after = try host.state()
    #expect(before.applying(patch).leaves(changedTo: after).isEmpty)
    #expect(after.reverting(patch).leaves(changedTo: before).isEmpty)
  }

  @Test(
    "a patch of 30,000 changes in one list, map and record leads back, and copies stay as they are")
  func many() throws {
    let host = try FlowHost(
      source: """
        state { list = list {}, map = map {}, record = map {} }
        action.go { by = integer }
        function reduce.go(s, a)
          for i = 1, 10000 do
            s.list[i] = { n = i * a.by }
            s.map[i * 7] = { n = i * a.by }
            s.record["k" .. i] = { n = i * a.by }
          end
        end
        """)
    #expect(try host.dispatch("go", ["by": 1]).isPassed)
    let before = try host.state()
    guard case .passed(let commit) = try host.dispatch("go", ["by": 2]) else {
      Issue.record("the action does not pass")
      return
    }
    let after = try host.state()
    #expect(commit.writes.changes.count == 30_000)
    let kept = after
    var value = after
    value.revert(commit.writes.changes)
    #expect(value == before && after == kept)
    value.apply(commit.writes.changes)
    #expect(value == after)
  }

  @Test("a list has no element beyond its length", arguments: [Int.min, -1, 0, 3, .max])
  func beyond(index: Int) { #expect(([1, 2] as Value)[.index(index)] == nil) }

  @Test("a patch that does not fit leaves the value unchanged")
  func unfitting() throws {
    let patch = try #require(try FlowHost(source: going("s.user.name = 'v'")).passing()).writes
    #expect((["x": 1] as Value).reverting(patch) == ["x": 1])
    #expect((7 as Value).reverting(patch) == 7)
  }
}
