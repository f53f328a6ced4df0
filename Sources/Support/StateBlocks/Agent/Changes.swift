/// The changes of an agent as an asynchronous sequence, for one reader.
///
/// It keeps the newest unread changes, as many as `Agent.changes(keeping:)` said; older ones are
/// lost, and missed revisions show it. It ends when the agent is stopped, and never throws.
///
/// ```swift
/// let changes = counter.changes
/// try counter.update { $0 += 1 }
/// for await change in changes { print(change.revision) }  // 1, then waits for the next
/// ```
public struct Changes<State: Sendable>: AsyncSequence, Sendable {
  /// What the sequence gives.
  public typealias Element = AgentChange<State>
  /// The sequence never throws.
  public typealias Failure = Never

  let stream: AsyncStream<AgentChange<State>>

  /// Begins to read.
  ///
  /// A second iterator would share the changes with the first: make one sequence a reader.
  public func makeAsyncIterator() -> AsyncStream<AgentChange<State>>.Iterator {
    stream.makeAsyncIterator()
  }
}
