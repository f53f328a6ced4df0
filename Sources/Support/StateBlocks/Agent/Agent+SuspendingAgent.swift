extension Agent {
  /// The operations as `async` functions, which never block a thread of the caller's.
  ///
  /// ```swift
  /// try await counter.suspending.update { $0 += 1 }
  /// ```
  public var suspending: SuspendingAgent<State> { SuspendingAgent(agent: self) }
}
