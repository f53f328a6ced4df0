/// An agent's state together with its revision, read in one step.
///
/// ```swift
/// let seen = try document.snapshot
/// let saved = try document.compareAndSet(expecting: seen.revision, to: edited(seen.value))
/// ```
public struct AgentSnapshot<State> {
  /// The state.
  public let value: State
  /// The revision of the agent with this state.
  public let revision: Int

  /// Makes a snapshot, for instance in a test.
  public init(value: State, revision: Int) {
    self.value = value
    self.revision = revision
  }
}

extension AgentSnapshot: Sendable where State: Sendable {}
extension AgentSnapshot: Equatable where State: Equatable {}
