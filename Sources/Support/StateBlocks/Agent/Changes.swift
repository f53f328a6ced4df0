/// The changes of an agent as an asynchronous sequence, for one reader.
///
/// It keeps the newest unread changes, up to the limit given to `Agent.changes(keeping:)`; older ones are lost, which
/// shows as a gap in the revisions. It ends when the agent is stopped, and never throws.
///
/// ```swift
/// let changes = counter.changes
/// try counter.update { $0 += 1 }
/// for await change in changes { print(change.revision) }  // 1, then waits for the next
/// ```
public struct Changes<State: Sendable>: AsyncSequence, Sendable {
  /// The element type: a change of the agent.
  public typealias Element = AgentChange<State>
  /// The error type: the sequence never throws.
  public typealias Failure = Never

  let stream: AsyncStream<AgentChange<State>>

  /// Makes an iterator.
  ///
  /// Several iterators would share the changes among them: make one sequence for each reader.
  public func makeAsyncIterator() -> AsyncStream<AgentChange<State>>.Iterator {
    stream.makeAsyncIterator()
  }
}
