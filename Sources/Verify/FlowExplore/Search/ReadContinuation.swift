import CExplore

/// The keys of the reads of one move or question: runs with equal keys continue equally, as long as they read equal
/// values.
///
/// A read at which the trace has a continuation gets the hash of that continuation as its key. The hash is mixed with
/// the key at which the flow's running function began, because the code before and after that function depends on it.
/// Any other read gets the key of the previous read, mixed with the value that was read.
struct ReadContinuation {
  private var key = explore_key(first: 0, second: 0)
  /// The cost of the work since the previous read.
  private var cost: UInt32 = 0
  /// The slots that were read since the last continuation, whose values are known.
  private var known: Set<UInt32> = []
  /// The number of the running function, and the key at which it began.
  private var run: (number: UInt32, key: explore_key)?

  /// Adds the next event, and its continuation if that is known.
  ///
  /// - Parameter number: the number of the call from the host to which the event belongs.
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

  /// Returns the keyed read of a slot.
  ///
  /// - Returns: nil if the slot has been read since the last continuation.
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
