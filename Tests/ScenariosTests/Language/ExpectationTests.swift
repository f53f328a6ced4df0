import LuaRuntime
import Testing

@testable import Scenarios

@Suite struct ExpectationTests {
  private func part(_ expected: Value, _ found: Value) -> [String] {
    describeMismatches(
      Expectation.part(expected, of: found, matching: { _, _ in false }, hiding: nil))
  }

  private func whole(_ expected: Value, _ found: Value) -> [String] {
    describeMismatches(
      Expectation.whole(expected, of: found, matching: { _, _ in false }, hiding: nil))
  }

  private func change(_ expected: Value, _ old: Value, _ new: Value) -> [String] {
    describeMismatches(
      Expectation.change(expected, from: old, to: new, matching: { _, _ in false }, hiding: nil))
  }

  private func describeMismatches(_ mismatches: [Mismatch]) -> [String] {
    mismatches.map { "\($0.path): \($0.expected), \($0.found)" }
  }

  // MARK: A part

  @Test("a record is compared partially, at every depth")
  func records() {
    let found: Value = ["a": 1, "b": ["c": 2, "d": ["e": 3, "f": 4]]]
    #expect(part(["b": ["d": ["e": 3]]], found).isEmpty)
    #expect(part(["b": ["d": ["e": 4, "f": 4]]], found) == ["b.d.e: 4, 3"])
  }

  @Test("a list is compared completely, and its records partially")
  func lists() {
    let found: Value = ["rows": [["id": 1, "note": "a"], ["id": 2, "note": "b"]]]
    #expect(part(["rows": [["id": 1], ["note": "b"]]], found).isEmpty)
    #expect(part(["rows": [["id": 1]]], found) == ["rows[2]: no value, { id = 2, note = \"b\" }"])
    #expect(
      part(["rows": [["id": 1], ["id": 2], ["id": 3]]], found)
        == ["rows[3]: { id = 3 }, no value"])
    #expect(part(["rows": [1, 2]], ["rows": [2, 1]]) == ["rows[1]: 1, 2", "rows[2]: 2, 1"])
  }

  @Test("an empty table expects an empty list, record or map, which must exist")
  func empty() {
    let found: Value = ["l": [], "r": [:], "m": .map([:]), "full": [1]]
    #expect(part(["l": [:], "r": [:], "m": [:]], found).isEmpty)
    #expect(part(["l": [], "r": [], "m": []], found).isEmpty)
    #expect(part(["full": []], found) == ["full: {}, { 1 }"])
    #expect(part(["gone": []], found) == ["gone: {}, no value"])
  }

  @Test("none expects a missing value, also at the end of a path that does not exist")
  func none() {
    #expect(part(["a": .nil, "b": ["c": .nil]], [:]).isEmpty)
    #expect(part(["a": .nil], ["a": 1]) == ["a: no value, 1"])
    #expect(part(["b": ["c": 1]], [:]) == ["b: { c = 1 }, no value"])
  }

  @Test(
    "numbers compare as Lua's ==",
    arguments: [
      (Value.integer(1), Value.number(1), true), (.number(1), .integer(1), true),
      (.integer(1), .number(1.5), false), (.number(.nan), .number(.nan), false),
      (.integer(9_007_199_254_740_993), .number(9_007_199_254_740_992), false),
      (.integer(.max), .number(9_223_372_036_854_775_808), false),
      (.integer(1), .string("1"), false), (.integer(0), .boolean(false), false),
      (.number(.infinity), .number(.infinity), true),
    ])
  func numbers(expected: Value, found: Value, isEqual: Bool) {
    #expect(part(["n": expected], ["n": found]).isEmpty == isEqual)
  }

  @Test("a value of another kind is reported unchanged")
  func kinds() {
    #expect(part(["a": ["b": 1]], ["a": 5]) == ["a: { b = 1 }, 5"])
    #expect(part(["a": ["b": 1]], ["a": [5]]) == ["a: { b = 1 }, { 5 }"])
    #expect(part(["a": [1]], ["a": ["b": 1]]) == ["a: { 1 }, { b = 1 }"])
    #expect(part(["a": 5], ["a": ["b": 1]]) == ["a: 5, { b = 1 }"])
    #expect(part(["a": [1]], [:]) == ["a: { 1 }, no value"])
  }

  @Test("integer keys other than 1 to n refer to elements of a list or a map")
  func maps() {
    let found: Value = ["m": .map([7: "a", 9: "b"]), "l": ["x", "y"]]
    #expect(part(["m": .map([9: "b"]), "l": .map([2: "y"])], found).isEmpty)
    #expect(part(["m": .map([8: "c"])], found) == ["m[8]: \"c\", no value"])
  }

  @Test("keys from 1 on match a map partially too, since it is no list")
  func listOfMap() {
    #expect(part(["m": ["a"]], ["m": .map([1: "a"])]).isEmpty)
    #expect(part(["m": ["a"]], ["m": .map([1: "a", 7: "b"])]).isEmpty)
    #expect(part(["m": ["a", "b"]], ["m": .map([1: "a", 7: "b"])]) == ["m[2]: \"b\", no value"])
    #expect(whole(["m": ["a"]], ["m": .map([1: "a", 7: "b"])]) == ["m[7]: no value, \"b\""])
  }

  @Test("a key may be a path as in reports")
  func paths() {
    let found: Value = ["rows": [["id": 1], ["id": 2]], "user": ["name": "ann"]]
    #expect(part(["rows[2].id": 2, "user.name": "ann"], found).isEmpty)
    #expect(part(["rows[2].id": 1], found) == ["rows[2].id: 1, 2"])
    #expect(part(["rows[3].id": .nil, "nowhere.at.all": .nil], found).isEmpty)
  }

  @Test("overlapping paths and fields are all compared")
  func meetingPaths() {
    let found: Value = ["rows": [["id": 1, "note": "a"], ["id": 2, "note": "b"]]]
    #expect(
      part(["rows": [["id": 1], ["id": 5]], "rows[1].note": "z"], found)
        == ["rows[2].id: 5, 2", "rows[1].note: \"z\", \"a\""])
  }

  @Test("a field whose name looks like a path is found as a field")
  func ownNames() {
    let found: Value = ["files": ["main.lua": 3, "a[1]": 4], "main": ["lua": 5]]
    #expect(part(["files": ["main.lua": 3, "a[1]": 4], "main.lua": 5], found).isEmpty)
    #expect(part(["files": ["main.lua": 4]], found) == ["files[\"main.lua\"]: 4, 3"])
  }

  @Test("an empty expectation always holds")
  func nothing() {
    #expect(part([:], ["a": 1]).isEmpty)
    #expect(part([], ["a": 1]).isEmpty)
  }

  @Test("a long value is truncated")
  func long() {
    let found: Value = ["text": .string(String(repeating: "x", count: 5000))]
    #expect(part(["text": "y"], found).allSatisfy { $0.count < 400 })
  }

  // MARK: The whole

  @Test("an expectation of the whole state must name every field, in lists of records too")
  func wholes() {
    let found: Value = ["a": 1, "user": ["name": "ann", "age": 7], "rows": [["id": 1, "n": 2]]]
    #expect(
      whole(["a": 1, "user": ["name": "ann", "age": 7], "rows": [["id": 1, "n": 2]]], found).isEmpty
    )
    #expect(
      whole(["user": ["name": "bob"], "rows": [["id": 1]]], found) == [
        "rows[1].n: no value, 2", "user.name: \"bob\", \"ann\"", "a: no value, 1",
        "user.age: no value, 7",
      ])
    #expect(
      whole([:], found) == [
        "a: no value, 1", "rows: no value, { { id = 1, n = 2 } }",
        "user: no value, { age = 7, name = \"ann\" }",
      ])
  }

  @Test("the whole state may be named by paths, and none expects a missing value")
  func wholePaths() {
    let found: Value = ["user": ["name": "ann"], "rows": [["id": 1], ["id": 2]]]
    #expect(
      whole(["user.name": "ann", "rows[1].id": 1, "rows[2].id": 2, "mail": .nil], found).isEmpty)
    #expect(
      whole(["user.name": "ann", "rows[1].id": 1], found) == ["rows[2]: no value, { id = 2 }"])
  }

  @Test("elements of a map that the whole state does not name are mismatches")
  func wholeMaps() {
    let found: Value = ["m": .map([7: "a", 9: "b"])]
    #expect(whole(["m": .map([7: "a"])], found) == ["m[9]: no value, \"b\""])
  }

  // MARK: A change

  @Test("an expected change names exactly the leaves that differ")
  func changes() {
    let old: Value = ["a": 1, "user": ["name": "ann", "age": 7], "rows": [1, 2]]
    let new: Value = ["a": 2, "user": ["name": "bob", "age": 7], "rows": [1, 2, 3]]
    #expect(change(["a": 2, "user": ["name": "bob"], "rows": [1, 2, 3]], old, new).isEmpty)
    #expect(change(["a": 2, "user.name": "bob", "rows[3]": 3], old, new).isEmpty)
    #expect(
      change(["a": 3, "user": ["age": 7]], old, new) == [
        "a: 3, 2", "user.age: to change to 7, unchanged, 7", "rows[3]: no change, no value -> 3",
        "user.name: no change, \"ann\" -> \"bob\"",
      ])
  }

  @Test("a removed value is expected as none")
  func gone() {
    let old: Value = ["user": ["name": "ann"], "files": ["a.x": 1]]
    #expect(change(["user": .nil], old, ["files": ["a.x": 1]]).isEmpty)
    #expect(change(["user.name": .nil], old, ["files": ["a.x": 1]]).isEmpty)
    #expect(
      change(["files": ["a.x": .nil]], old, ["user": ["name": "ann"], "files": [:]]).isEmpty)
  }

  @Test("a leaf replaced by a table, and a table by a leaf, are one change")
  func replaced() {
    #expect(change(["a": ["b": 1]], ["a": 5], ["a": ["b": 1]]).isEmpty)
    #expect(change(["a": 5], ["a": ["b": 1]], ["a": 5]).isEmpty)
    #expect(change(["a": ["b": 1]], [:], ["a": ["b": 1]]).isEmpty)
  }
}
