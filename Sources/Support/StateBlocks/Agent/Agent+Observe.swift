extension Agent where State: Sendable {
  /// Calls a closure for every later change.
  ///
  /// Observers are called after the commit and outside the agent, so they may use it. They are called in the order in
  /// which they subscribed, change by change in the order of revisions, and exactly once for each change, no matter
  /// which threads make the changes. A thread that makes a change returns after its observers were called, unless
  /// another thread is just calling them; then that thread delivers this change too. A change made by an observer is
  /// delivered when the present one has been delivered to all. A change made inside another agent's closure is
  /// delivered when that closure has ended.
  ///
  /// An observer that subscribes during a delivery starts with the next change to begin. Errors of an observer go to
  /// the agent's `report` closure, and the other observers are called all the same. While there are observers, each
  /// commit keeps the previous state, so that changing a large array copies it once.
  ///
  /// Throws `AgentError.stopped` if the agent was stopped.
  ///
  /// ```swift
  /// try counter.subscribe { change in print(change.old, "→", change.new) }
  /// ```
  @discardableResult
  public func subscribe(
    _ observer: @escaping @Sendable (AgentChange<State>) throws -> Void
  ) throws(AgentError) -> AgentSubscription {
    guard let subscription = add(observer, finish: nil) else { throw stoppedError }
    return subscription
  }

  /// All later changes as an asynchronous sequence, which keeps the newest 256 unread ones.
  ///
  /// Equivalent to `changes(keeping: 256)`.
  ///
  /// ```swift
  /// for await change in counter.changes { print(change.new) }
  /// ```
  public var changes: Changes<State> { changes(keeping: 256) }

  /// Returns all later changes as an asynchronous sequence, which keeps the newest `limit` unread ones.
  ///
  /// The sequence starts with the first change to begin after this call, not with the loop. A reader that is slower
  /// than the changes loses the oldest ones, and sees that by a gap in the revisions; changes never wait for a reader.
  /// The sequence ends when the agent is stopped, and at once if it was stopped before. Ending the loop, cancelling its
  /// task or dropping the sequence ends the subscription. The sequence never throws.
  ///
  /// ```swift
  /// let latest = counter.changes(keeping: 1)
  /// for await change in latest { show(change.new) }
  /// ```
  public func changes(keeping limit: Int) -> Changes<State> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: AgentChange<State>.self, bufferingPolicy: .bufferingNewest(max(1, limit)))
    let subscription = add({ continuation.yield($0) }, finish: { continuation.finish() })
    if let subscription {
      continuation.onTermination = { _ in subscription.cancel() }
    } else {
      continuation.finish()
    }
    return Changes(stream: stream)
  }

  /// Adds an observer; nil if the agent was stopped.
  ///
  /// - Parameter finish: called when the agent is stopped.
  func add(
    _ tell: @escaping @Sendable (AgentChange<State>) throws -> Void, finish: (@Sendable () -> Void)?
  ) -> AgentSubscription? {
    let observer = Observers<State>.Observer(tell: tell, finish: finish)
    guard observers.add(observer) else { return nil }
    return AgentSubscription { [weak observers] in
      observers?.remove(observer) ?? observer.isActive.exchange(false, ordering: .relaxed)
    }
  }
}
