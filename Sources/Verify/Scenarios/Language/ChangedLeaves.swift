import FlowLanguage
import LuaRuntime

/// The leaves that an action has changed, as a tree of their paths.
///
/// The tree finds the changes that belong to a place without a look at all the others.
struct ChangedLeaves {
  private struct Node {
    var below: [StatePath.Key: Int] = [:]
    /// The changes at this place and below it, which are next to each other.
    var changes: Range<Int>
    /// The changes at exactly this place.
    var own: [Int] = []
  }

  private let changes: [LeafChange]
  private var nodes: [Node]
  /// True for each change that has not been removed yet.
  private var isLeft: [Bool]
  /// The number of changes and tree nodes that were visited.
  private(set) var visits = 0

  init(from old: Value, to new: Value) {
    changes = old.leaves(changedTo: new)
    isLeft = Array(repeating: true, count: changes.count)
    nodes = [Node(changes: changes.indices)]
    for number in changes.indices { insert(number) }
  }

  private mutating func insert(_ number: Int) {
    var at = 0
    for key in changes[number].path.keys {
      visits += 1
      if let next = nodes[at].below[key] {
        at = next
        nodes[at].changes = nodes[at].changes.lowerBound..<number + 1
      } else {
        nodes[at].below[key] = nodes.count
        at = nodes.count
        nodes.append(Node(changes: number..<number + 1))
      }
    }
    nodes[at].own.append(number)
  }

  /// Removes the changes that belong to a place; returns false if none is left.
  ///
  /// They are the changes at its path and below, and those of leaves that were replaced by a table around the place.
  mutating func remove(at place: NamedPlace, of new: Value) -> Bool {
    var isFound = false
    var at = 0
    for key in place.path.keys {
      for number in nodes[at].own where isLeft[number] && place.isInside(changes[number], of: new) {
        remove(number, &isFound)
      }
      visits += 1
      guard let next = nodes[at].below[key] else { return isFound }
      at = next
    }
    for number in nodes[at].changes where isLeft[number] { remove(number, &isFound) }
    return isFound
  }

  private mutating func remove(_ number: Int, _ isFound: inout Bool) {
    visits += 1
    isLeft[number] = false
    isFound = true
  }

  /// The changes that belong to none of the removed places.
  var rest: [LeafChange] { zip(changes, isLeft).filter(\.1).map(\.0) }
}
