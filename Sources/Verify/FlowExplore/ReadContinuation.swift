import CExplore

/// The keys of the reads of one move or question: with equal keys it goes on equally, as far as it finds the same.
///
/// A read has the hash of its continuation as its key, where the trace has one, mixed with the key with which the
/// function of the flow began that reads: what ran before it, and what follows on it, depends on that. Any other
/// read has the key of the read before it, mixed with the value that was found there.
struct ReadContinuation {
  private var key = explore_key(first: 0, second: 0)
  /// The cost of what was done since the read before.
  private var cost: UInt32 = 0
  /// The slots that were read since the last continuation: they are known.
  private var known: Set<UInt32> = []
  /// The number of the function that runs, and the key with which it began.
  private var run: (number: UInt32, key: explore_key)?

  /// Adds the next event, and its continuation if that is known.
  ///
  /// - Parameter number: of the call from the host that it is a part of.
  mutating func resume(after cost: UInt32, in number: UInt32, key: explore_key?) {
    self.cost = self.cost.addingReportingOverflow(cost).partialValue
    let began = run?.number == number ? run?.key ?? self.key : self.key
    run = (number, began)
    guard let key else { return }
    self.key = explore_key(
      first: ReadContinuation.mixed(key.first, began.first, 1, 0),
      second: ReadContinuation.mixed(key.second, began.second, 2, 0))
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
