/// An observer's registration with an agent.
///
/// It lasts until it is cancelled or the agent is stopped, even if this value is discarded.
///
/// ```swift
/// let subscription = try counter.subscribe { print($0.new) }
/// subscription.cancel()  // true
/// subscription.cancel()  // false: it was over already
/// ```
public struct AgentSubscription: Sendable {
  let end: @Sendable () -> Bool

  /// Ends the subscription.
  ///
  /// No call to the observer begins afterwards, not even for a change that is just being delivered to others; a call
  /// that is running on another thread is completed.
  ///
  /// Returns false if the subscription was cancelled before. It never fails.
  @discardableResult
  public func cancel() -> Bool {
    end()
  }
}
