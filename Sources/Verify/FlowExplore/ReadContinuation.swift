import CExplore

/// The keys of the reads of one run: of equal keys the runs go on equally, as far as they find the same.
///
/// A read has the hash of its continuation as its key, where a trace tells it. Any other has that of the read before it,
/// with what was found there: it is shared by the runs that came the same way since then.
struct ReadContinuation {
  private var key = explore_key(first: 0, second: 0)
  /// The cost of what was done since the read before.
  private var cost: UInt32 = 0
  /// The slots that were read since a continuation was told: they are known.
  private var known: Set<UInt32> = []

  /// Notes the next event, and its continuation if that is known.
  mutating func resume(after cost: UInt32, key: explore_key?) {
    self.cost = self.cost.addingReportingOverflow(cost).partialValue
    guard let key else { return }
    self.key = key
    known.removeAll(keepingCapacity: true)
  }

  /// - Returns: nil if the slot has been read on the way from the last continuation.
  mutating func read(_ slot: UInt32, _ value: UInt32) -> explore_keyed_read? {
    guard known.insert(slot).inserted else { return nil }
    let read = explore_keyed_read(
      read: explore_read(slot: slot, value: value), key: key, cost: cost)
    cost = 0
    key = explore_key(
      first: ReadContinuation.mixed(key.first, key.second, slot, value),
      second: ReadContinuation.mixed(key.second, ~key.first, value, slot))
    return read
  }

  private static func mixed(_ a: UInt64, _ b: UInt64, _ slot: UInt32, _ value: UInt32) -> UInt64 {
    var hash = a ^ (UInt64(slot) << 32 | UInt64(value)) &* 0x9e37_79b9_7f4a_7c15
    hash = (hash ^ hash >> 32) &* 0xd6e8_feb8_6659_fd93 &+ b
    hash = (hash ^ hash >> 29) &* 0xff51_afd7_ed55_8ccd
    return hash ^ hash >> 32
  }
}
