import CExplore

/// Questions and moves whose runs share learned decisions from equal continuations on.
///
/// An invariant that iterates over a list has as many paths as there are states, but few continuations: the position in
/// the list and the values that it holds there. A reducer's continuation includes its writes as well.
extension StateSearch {
  /// Returns true for a move, or a question that reads one state, until it is played or learned by its path.
  func sharesContinuations(_ trie: UInt32) -> Bool {
    lock.locked { sharesContinuationsWithinLock(trie) }
  }

  /// Returns the result of `sharesContinuations` for a caller that holds the lock.
  func sharesContinuationsWithinLock(_ trie: UInt32) -> Bool {
    guard setup.changedLocals.isEmpty else { return false }
    switch asked[Int(trie)] {
    case .move, .end, .invariant, .when, .said: break
    case .property(let number):
      if setup.said.properties[number].kind == .step { return false }
    default: return false
    }
    return played[trie] == nil && !unshared.contains(trie)
  }

  /// Learns the answer to a question or the result of a move by continuations; the caller must hold the lock.
  ///
  /// - Returns: false if it must be learned by its path instead.
  func learn(
    _ trie: UInt32, _ run: ObservedRun, _ instructions: Int, _ kind: explore_leaf_kind,
    _ reason: UInt32, _ writes: [explore_write] = []
  ) throws(ExplorationError) -> Bool {
    guard run.reportsContinuations, !unshared.contains(trie), played[trie] == nil else {
      return false
    }
    if run.continuation == nil {
      stopSharing(trie)
      return true
    }
    if run.keyed.isEmpty { return false }
    // The VM counts instructions in units of a thousand.
    let rest = max(0, instructions - run.keyed.reduce(0) { $0 + Int($1.cost) }) + 1_000
    let status = run.keyed.withUnsafeBufferPointer { reads in
      var keyedRun = explore_keyed_run(
        reads: reads.baseAddress, read_count: UInt32(reads.count),
        rest: UInt32(clamping: rest),
        most_cost: UInt64(setup.limits.instructionsPerDispatch / 2))
      return writes.withUnsafeBufferPointer {
        explore_learn_keyed(
          search, trie, &keyedRun,
          explore_leaf(
            kind: kind, reason: reason, writes: $0.baseAddress, write_count: UInt32($0.count)))
      }
    }
    switch status {
    case EXPLORE_TOO_MANY, EXPLORE_INCONSISTENT:
      stopSharing(trie)
      return true
    default:
      try ExplorationError.check(status)
      return true
    }
  }

  /// Forgets a trie and learns it by its paths from now on; the search asks again at once.
  func stopSharing(_ trie: UInt32) {
    explore_forget(search, trie)
    unshared.insert(trie)
  }
}
