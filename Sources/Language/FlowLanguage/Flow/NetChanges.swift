import LuaRuntime

/// The net effect of a sequence of changes: a tree of the places that they have written.
///
/// Only the changes are known, not the state. A list in which elements were inserted or removed is followed as a
/// sequence of the elements that it had before (by their old indices) and of new ones.
struct NetChanges {
  private let root = WrittenPlace()

  init(of changes: [Patch.Change]) {
    for change in changes { root.apply(change, change.path.keys[...]) }
  }

  /// The net changes, in the order in which their places were first written.
  var changes: [Patch.Change] { root.changes(at: []) }

  /// The largest number of changes that are compared with each other.
  private static let few = 8

  /// Returns true if changes are few, and obviously none of them takes another one back.
  static func areNet(_ changes: [Patch.Change]) -> Bool {
    if changes.count < 2 { return true }
    guard changes.count <= few, changes.allSatisfy({ $0.operation == .set }) else { return false }
    for (index, change) in changes.enumerated() {
      for other in changes[(index + 1)...]
      where zip(change.path.keys, other.path.keys).allSatisfy({ $0 == $1 }) { return false }
    }
    return true
  }
}
