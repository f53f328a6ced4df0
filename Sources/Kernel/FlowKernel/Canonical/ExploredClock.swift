/// The rules by which time passes in an exploration.
///
/// Without a bound, a state contains only the remaining times of timers.
package struct ExploredClock: Sendable, Hashable {
  /// The greatest time that passes, in microseconds; if it is set, the time is part of each state, and may be read.
  package var upTo: Int?
  /// The longest time between two stops, in microseconds, even if no timer is due.
  package var step: Int?

  package init() {}

  /// Returns the number of microseconds up to the next stop; nil if there is none.
  ///
  /// - Parameter due: the number of microseconds until the next timer is due; nil if none is pending.
  package func delay(at time: Int, due: Int?) -> Int? {
    guard due != nil || upTo != nil else { return nil }
    var delay = due ?? .max
    if let step { delay = min(delay, step) }
    if let upTo { delay = min(delay, upTo - time) }
    return upTo != nil && delay <= 0 ? nil : delay
  }
}
