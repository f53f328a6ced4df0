/// What led to a queued action: the transition whose effect or timer dispatched it, and for each
/// option of a gatekeeper the newest passage that the chain of causes took.
struct Cause: Sendable {
  /// The revision of the transition that caused the action directly.
  let revision: Int
  /// Passages by keeper and option.
  var passages: [KeeperOption: Int] = [:]
}

/// An option of one gatekeeper.
struct KeeperOption: Sendable, Hashable {
  let keeper: Int
  let option: String
}
