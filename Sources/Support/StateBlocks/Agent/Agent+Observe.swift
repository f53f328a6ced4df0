extension Agent where State: Sendable {
  /// Has every later change told to a closure.
  ///
  /// Observers are called after the commit and outside the agent, so that they may use it; in the
  /// order in which they subscribed; change by change in the order of revisions; exactly once for
  /// each, whichever threads make the changes. A thread that makes a change returns after its
  /// observers were told, unless another thread is just telling them: then that one tells this
  /// change too. A change that an observer makes is told when the present one has been told to all.
  /// One that is made inside another agent's closure is told when that closure has ended.
  ///
  /// An observer that subscribes while others are being told starts with the next change to begin.
  /// What an observer throws goes to the agent's `report` closure, and the others are told all the
  /// same. While anybody observes, each commit keeps the state before it, so that changing a large
  /// array copies it once.
  ///
  /// Throws `AgentError.stopped` when there will be no changes any more.
  ///
  /// ```swift
  /// try counter.subscribe { change in print(change.old, "→", change.new) }
  /// ```
  @discardableResult
  public func subscribe(
    _ observer: @escaping @Sendable (AgentChange<State>) throws -> Void
  ) throws(AgentError) -> Subscription {
    guard let subscription = add(observer, finish: nil) else { throw stoppedError }
    return subscription
  }

  /// Every later change, as an asynchronous sequence that keeps the newest 256 unread ones.
  ///
  /// The same as `changes(keeping: 256)`.
  ///
  /// ```swift
  /// for await change in counter.changes { print(change.new) }
  /// ```
  public var changes: Changes<State> { changes(keeping: 256) }

  /// Every later change, as an asynchronous sequence that keeps the newest unread ones, `limit` of
  /// them.
  ///
  /// It starts with the first change to begin after this call, not with the loop. A reader who is
  /// slower than the changes loses the oldest, and sees that by a gap in their revisions; who makes
  /// changes never waits for a reader. It ends when the agent is stopped, at once if it was stopped
  /// before; ending the loop, cancelling its task or dropping the sequence ends the subscription.
  /// It never throws.
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

  private func add(
    _ tell: @escaping @Sendable (AgentChange<State>) throws -> Void, finish: (@Sendable () -> Void)?
  ) -> Subscription? {
    let observer = Observers<State>.Observer(tell: tell, finish: finish)
    guard observers.add(observer) else { return nil }
    return Subscription { [weak observers] in
      observers?.remove(observer) ?? observer.isActive.exchange(false, ordering: .relaxed)
    }
  }
}
