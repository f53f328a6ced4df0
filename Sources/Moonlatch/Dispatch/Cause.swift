/// What led to a queued action: the transition whose effect or timer dispatched it, for each option
/// of a gatekeeper the newest passage that the chain of causes took, and for each scope the newest
/// opening in which the chain was at work or that it made.
struct Cause: Sendable {
  /// The revision of the transition that caused the action directly.
  let revision: Int
  /// Passages by keeper and option.
  var passages: [KeeperOption: Int] = [:]
  /// Numbers of instances by scope.
  var openings: [Int: Int] = [:]
}

/// An option of one gatekeeper.
struct KeeperOption: Sendable, Hashable {
  let keeper: Int
  let option: String
}
