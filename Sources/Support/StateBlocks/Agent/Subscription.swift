/// An observer's registration with an agent.
///
/// It lasts until it is cancelled or the agent is stopped, whether or not this value is kept.
///
/// ```swift
/// let subscription = try counter.subscribe { print($0.new) }
/// subscription.cancel()  // true
/// subscription.cancel()  // false: it was over already
/// ```
public struct Subscription: Sendable {
  let end: @Sendable () -> Bool

  /// Ends the subscription.
  ///
  /// No call to the observer begins afterwards, not even for a change that others are just being
  /// told of; one that is under way on another thread runs to its end.
  ///
  /// Returns false when it was cancelled before. It never fails.
  @discardableResult
  public func cancel() -> Bool {
    end()
  }
}
