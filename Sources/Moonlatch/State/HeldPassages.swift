/// Who holds what: the passages of all gatekeepers of a flow, by the gatekeeper's name and option.
struct HeldPassages: Sendable, Hashable, Codable {
  /// A passage that is held.
  struct Passage: Sendable, Hashable, Codable {
    /// Its identity, counted from 1; no two passages of a run share one, whatever was taken back or
    /// reloaded meanwhile.
    let number: Int
    /// The action that took it, and in which transition, and when (microseconds).
    let action: String
    let revision: Int
    let time: Int
  }

  private(set) var held: [KeeperOption: Passage] = [:]

  var isEmpty: Bool { held.isEmpty }
  var count: Int { held.count }

  subscript(option: KeeperOption) -> Passage? {
    get { held[option] }
    set { held[option] = newValue }
  }

  func options(of keeper: String) -> [String] {
    held.keys.filter { $0.keeper == keeper }.map(\.option).sorted()
  }
}

/// An option of one gatekeeper.
struct KeeperOption: Sendable, Hashable, Codable {
  let keeper: String
  let option: String
}
