/// A commit of an agent, as observers receive it.
///
/// ```swift
/// try counter.subscribe { change in
///   print(change.old, "→", change.new, "at revision", change.revision)
/// }
/// ```
public struct AgentChange<State> {
  /// The agent's revision after the commit.
  ///
  /// Revisions follow each other without gaps.
  public let revision: Int
  /// The state before the commit.
  public let old: State
  /// The state after the commit.
  ///
  /// The agent may have changed since.
  public let new: State

  /// Makes a change, for instance in a test.
  public init(revision: Int, old: State, new: State) {
    self.revision = revision
    self.old = old
    self.new = new
  }
}

extension AgentChange: Sendable where State: Sendable {}
extension AgentChange: Equatable where State: Equatable {}
