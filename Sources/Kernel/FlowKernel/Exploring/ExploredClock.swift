/// What time does while a flow is explored.
///
/// Without bounds a state says how long timers have still to run, and nothing else of time.
package struct ExploredClock: Sendable, Hashable {
  /// So many microseconds pass at most; what time it is belongs to each state then, and may be asked.
  package var upTo: Int?
  /// After so many microseconds there is a stop at the latest, whether anything is due or not.
  package var step: Int?

  package init() {}

  /// How long time passes up to the next stop; nil where there is none.
  ///
  /// - Parameter due: in how many microseconds something is due.
  package func delay(at time: Int, due: Int?) -> Int? {
    guard due != nil || upTo != nil else { return nil }
    var delay = due ?? .max
    if let step { delay = min(delay, step) }
    if let upTo { delay = min(delay, upTo - time) }
    return upTo != nil && delay <= 0 ? nil : delay
  }
}
