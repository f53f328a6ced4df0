extension Agent where State: Sendable {
  /// Calls a closure on the main actor for every later change.
  ///
  /// Changes come one by one in the order of revisions, each exactly once, soon after its commit; the thread that makes
  /// a change does not wait. All changes that were not delivered yet are kept. Once the main actor has cancelled the
  /// subscription, the closure is not called again.
  ///
  /// Throws `AgentError.stopped` if the agent was stopped.
  ///
  /// ```swift
  /// subscription = try store.subscribe(on: MainActor.self) { [weak self] change in
  ///   self?.show(change.new)
  /// }
  /// ```
  @discardableResult
  public func subscribe(
    on actor: MainActor.Type,
    _ observer: @escaping @MainActor @Sendable (AgentChange<State>) -> Void
  ) throws(AgentError) -> AgentSubscription {
    let (stream, continuation) = AsyncStream.makeStream(of: AgentChange<State>.self)
    let end = StreamEnd(continuation)
    guard
      let subscription = add({ end.continuation.yield($0) }, finish: { continuation.finish() })
    else { throw stoppedError }
    let task = Task { @MainActor in
      for await change in stream {
        if Task.isCancelled { return }
        observer(change)
      }
    }
    return AgentSubscription {
      task.cancel()
      return subscription.cancel()
    }
  }
}

/// The end of a stream of changes, which is reached when the agent releases its observer.
private final class StreamEnd<Element: Sendable>: Sendable {
  let continuation: AsyncStream<Element>.Continuation

  init(_ continuation: AsyncStream<Element>.Continuation) { self.continuation = continuation }

  deinit { continuation.finish() }
}
