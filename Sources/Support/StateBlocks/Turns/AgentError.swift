/// A reason why an agent refused an operation.
///
/// The agent is unchanged when one of these is thrown.
///
/// ```swift
/// do {
///   try counter.update { $0 += 1 }
/// } catch {
///   print(error)  // agent "counter" was stopped at revision 41
/// }
/// ```
public enum AgentError: Error, Sendable, Equatable {
  /// The call came from inside a closure that the agent itself was running on this thread, directly or through others.
  ///
  /// `chain` begins and ends with the agent.
  case reentrant(chain: [String])

  /// The wait would have closed a circle of threads that wait for each other for ever.
  ///
  /// `chain` begins and ends with an agent that this thread holds.
  case deadlock(chain: [String])

  /// The agent was stopped; `revision` is its last one.
  case stopped(agent: String, revision: Int)

  /// The validator rejected the new state.
  case rejected(agent: String, revision: Int, reason: String)

  /// The mailbox is full; `depth` casts wait in it.
  case mailboxFull(agent: String, depth: Int)

  /// The registry has another agent of that name.
  case nameTaken(name: String)

  /// The registry has no agent of that name; `nearest` is the most similar name.
  case unknownName(name: String, nearest: String?)

  /// The registry's agent of that name holds a state of another type.
  case wrongState(name: String, holds: String, asked: String)
}

extension AgentError: CustomStringConvertible {
  /// The error as a sentence.
  public var description: String {
    switch self {
    case .reentrant(let chain):
      return "agent \"\(chain.last ?? "")\" was called from inside its own closure: "
        + "\(Self.path(chain)); use what the closure was given, or `cast`"
    case .deadlock(let chain):
      return "waiting for agent \"\(chain.dropFirst().first ?? "")\" would never end, because "
        + "threads wait for each other: \(Self.path(chain)); call agents in the same order everywhere"
    case .stopped(let agent, let revision):
      return "agent \"\(agent)\" was stopped at revision \(revision)"
    case .rejected(let agent, let revision, let reason):
      return "agent \"\(agent)\" stays at revision \(revision): the new state was rejected: "
        + reason
    case .mailboxFull(let agent, let depth):
      return "the mailbox of agent \"\(agent)\" is full: \(depth) casts wait in it; "
        + "`flush` runs them"
    case .nameTaken(let name):
      return "the name \"\(name)\" is taken by another agent"
    case .unknownName(let name, let nearest):
      return "no agent is named \"\(name)\"" + (nearest.map { "; did you mean \"\($0)\"?" } ?? "")
    case .wrongState(let name, let holds, let asked):
      return "agent \"\(name)\" holds \(holds), not \(asked)"
    }
  }

  private static func path(_ chain: [String]) -> String {
    chain.joined(separator: " → ")
  }
}
