import CExplore
import Moonlatch

/// Questions whose runs share what is learned of them from equal continuations on.
///
/// An invariant that goes through a list has as many paths as there are states, and few continuations: how far it has
/// come, and what it holds by then.
extension StateSearch {
  /// True if what is asked only reads the state, and says the same of it each time.
  func sharesContinuations(_ trie: UInt32) -> Bool {
    guard setup.changedLocals.isEmpty else { return false }
    switch asked[Int(trie)] {
    case .invariant, .when, .said: break
    case .property(let number):
      if setup.said.properties[number].kind == .step { return false }
    default: return false
    }
    return lock.locked { played[trie] == nil && !unshared.contains(trie) }
  }

  /// Learns what a question said, by continuations; for who holds the lock.
  ///
  /// - Returns: false if it is to be learned by its path alone.
  func learn(
    _ trie: UInt32, _ run: ObservedRun, _ instructions: Int, _ kind: explore_leaf_kind,
    _ reason: UInt32
  ) throws(ExplorationError) -> Bool {
    if run.keyed.isEmpty || unshared.contains(trie) || played[trie] != nil { return false }
    // The VM counts its instructions by the thousand.
    let rest = max(0, instructions - run.keyed.reduce(0) { $0 + Int($1.cost) }) + 1_000
    let status = run.keyed.withUnsafeBufferPointer { reads in
      var keyedRun = explore_keyed_run(
        reads: reads.baseAddress, read_count: UInt32(reads.count),
        rest: UInt32(clamping: rest),
        most_cost: UInt64(setup.limits.instructionsPerDispatch / 2))
      return explore_learn_keyed(
        search, trie, &keyedRun,
        explore_leaf(kind: kind, reason: reason, writes: nil, write_count: 0))
    }
    switch status {
    case EXPLORE_TOO_MANY, EXPLORE_INCONSISTENT:
      explore_forget(search, trie)
      unshared.insert(trie)
      return false
    default:
      try ExplorationError.check(status)
      return true
    }
  }
}
