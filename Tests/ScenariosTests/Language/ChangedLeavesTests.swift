import LuaRuntime
import Testing

@testable import Scenarios

@Suite struct ChangedLeavesTests {
  @Test("the cost of finding changes is the sum of paths and changes, not their product")
  func growth() {
    for count in [10, 100, 1_000] {
      let names = (0..<count).map { "field\($0)" }
      func state(_ number: Value) -> Value {
        .record(Dictionary(uniqueKeysWithValues: names.map { ($0, .record(["n": number])) }))
      }
      let (old, new) = (state(0), state(1))
      var changes = ChangedLeaves(from: old, to: new)
      for name in names {
        let place = NamedPlace(path: [.field(name), "n"], value: 1)
        let isChanged = changes.remove(at: place, of: new)
        #expect(isChanged)
      }
      #expect(changes.rest.isEmpty)
      #expect(changes.visits <= 5 * count)
    }
  }

  @Test("a change belongs to the first path that matches it")
  func once() {
    let new: Value = ["a": ["b": 2]]
    var changes = ChangedLeaves(from: ["a": ["b": 1]], to: new)
    let (inner, outer): (StatePath, StatePath) = (["a", "b"], ["a"])
    let isInner = changes.remove(at: NamedPlace(path: inner, value: 2), of: new)
    let isOuter = changes.remove(at: NamedPlace(path: outer, value: ["b": 2]), of: new)
    #expect(isInner)
    #expect(!isOuter)
  }

  @Test("each path gets the same result as a search through all changes", arguments: 0..<300)
  func same(seed: Int) {
    var dice = Dice(seed)
    let old = ChangedLeavesTests.value(&dice, depth: 3)
    let new = ChangedLeavesTests.value(&dice, depth: 3)
    var changes = ChangedLeaves(from: old, to: new)
    var rest = old.leaves(changedTo: new)
    for _ in 0..<8 {
      let keys = (0...dice.roll(3)).map { _ in ChangedLeavesTests.key(&dice) }
      let place = NamedPlace(path: StatePath(keys), value: .nil)
      let count = rest.count
      rest.removeAll { $0.path.starts(with: place.path) || place.isInside($0, of: new) }
      let isChanged = changes.remove(at: place, of: new)
      #expect(isChanged == (rest.count < count))
      #expect(changes.rest == rest)
    }
  }

  private static func key(_ dice: inout Dice) -> StatePath.Key {
    dice.roll(4) == 0 ? .index(1 + dice.roll(3)) : .field(dice.pick(["a", "b", "c"]))
  }

  /// A table in which leaves and tables stand in the same places as in others.
  private static func value(_ dice: inout Dice, depth: Int) -> Value {
    switch depth == 3 ? 0 : dice.roll(depth == 0 ? 2 : 5) + 1 {
    case 1: return .integer(dice.roll(3))
    case 2: return .nil
    case 3: return .list((0..<dice.roll(4)).map { _ in value(&dice, depth: depth - 1) })
    default:
      var fields: [String: Value] = [:]
      for name in ["a", "b", "c"] where dice.roll(3) > 0 {
        fields[name] = value(&dice, depth: depth - 1)
      }
      return .record(fields)
    }
  }
}
