/// Who holds what: the passages of all gatekeepers of a flow.
///
/// A value: a rollback puts the old one back.
struct Keepers: Sendable, Hashable {
  /// A passage that is held.
  struct Passage: Sendable, Hashable {
    /// Its identity, counted from 1.
    let number: Int
    /// The action that took it, and in which transition, and when (microseconds).
    let action: String
    let revision: Int
    let time: Int
  }

  private(set) var held: [KeeperOption: Passage] = [:]
  private(set) var lastNumber = 0
  /// Counts the changes; unlike the passages it is not part of what is compared or restored.
  private(set) var version = 0

  subscript(option: KeeperOption) -> Passage? { held[option] }

  func options(of keeper: Int) -> [String] {
    held.keys.filter { $0.keeper == keeper }.map(\.option).sorted()
  }

  mutating func take(_ option: KeeperOption, action: String, revision: Int, time: Int) -> Int {
    lastNumber += 1
    version += 1
    held[option] = Passage(number: lastNumber, action: action, revision: revision, time: time)
    return lastNumber
  }

  /// Puts back a passage that was held before.
  mutating func restore(_ passage: Passage, to option: KeeperOption) {
    version += 1
    held[option] = passage
    lastNumber = max(lastNumber, passage.number)
  }

  mutating func free(_ option: KeeperOption) {
    version += 1
    held[option] = nil
  }
}
