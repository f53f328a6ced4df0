import Synchronization

/// A thread-safe container of mutable state, which closures read (`fetch`) and change (`update`, `fetchAndUpdate`).
///
/// Closures run on the caller's thread, one at a time, each exactly once. A synchronous call first runs the waiting
/// casts, so it sees every earlier `cast` of the same caller. Casts run first in, first out; if several threads wait
/// for the agent at the same moment, any of them may be next.
///
/// ```swift
/// let counter = Agent(0, name: "counter")
/// try counter.update { $0 += 1 }
/// let before = try counter.fetchAndUpdate { count in
///   defer { count = 0 }
///   return count
/// }
/// ```
///
/// - **All or nothing.** If a closure throws, or the validator rejects its new state, the value and the revision stay
///   as they were, and no observer is called. A closure that cannot throw changes the state in place, without a copy,
///   unless there is a validator or an observer. A class instance in the state is restored as a reference: changes that
///   a failed closure made inside the instance stay.
/// - **Re-entry.** A call from inside one of the agent's own closures, directly or through other agents, throws
///   `AgentError.reentrant` with the chain (`counter → store → counter`), and the agent works afterwards. Only `cast`,
///   `subscribe`, `changes` and `description` may be used there. If threads take several agents in opposite orders, the
///   thread whose wait would close the circle gets `AgentError.deadlock` instead of waiting, and the others go on.
/// - **Blocking.** These calls block their thread while another thread's closure runs. `suspending` has the same
///   operations as `async` functions.
///
/// After Elixir's `Agent`, and the `SimpleAgent` of *Tricks of the Trade*.
public final class Agent<State>: Sendable {
  @usableFromInline let turn: Turn

  /// `nonisolated(unsafe)`: the pointer never changes; its target is accessed only by the thread that has `turn`, is
  /// moved out once by `stop`, and is otherwise freed in `deinit`, when no call is possible.
  @usableFromInline nonisolated(unsafe) let storage: UnsafeMutablePointer<State>

  /// The revision.
  ///
  /// Written only by the thread that has `turn`, readable by all threads.
  @usableFromInline let commits = Atomic<Int>(0)

  let validate: @Sendable (State) -> String?
  let report: @Sendable (AgentFailure) -> Void
  let mailbox: Mailbox
  let outbox: Outbox
  let observers: Observers<State>
  let line = SuspendedLine()

  /// Makes an agent that holds a state.
  ///
  /// This cannot fail.
  ///
  /// - `name` is the name in errors and descriptions; by default the type and the source location of the call.
  /// - `mailboxLimit` is the number of casts that may wait, and the number of changes by which observers may lag
  ///   before changes wait for them.
  /// - `report` is called with the errors of casts and observers, outside the agent like an observer. By default they
  ///   are printed on standard error.
  ///
  /// ```swift
  /// let counter = Agent(0, name: "counter")
  /// ```
  public convenience init(
    _ state: sending State, name: String? = nil, mailboxLimit: Int = 10_000,
    report: (@Sendable (AgentFailure) -> Void)? = nil,
    fileID: String = #fileID, line: Int = #line
  ) {
    self.init(
      state, name ?? "Agent<\(State.self)> at \(fileID):\(line)", mailboxLimit, report, nil)
  }

  /// Makes an agent whose every state satisfies a validator.
  ///
  /// `validate` returns nil for a valid state, and otherwise the reason why it is invalid. It runs before every commit.
  /// Throws `AgentError.rejected` if the first state is invalid.
  ///
  /// ```swift
  /// let seats = try Agent(4, name: "seats", validate: { $0 < 0 ? "no seat is left" : nil })
  /// try seats.update { $0 -= 5 }  // throws: no seat is left; there are still 4
  /// ```
  public convenience init(
    _ state: sending State, name: String? = nil, mailboxLimit: Int = 10_000,
    report: (@Sendable (AgentFailure) -> Void)? = nil,
    fileID: String = #fileID, line: Int = #line,
    validate: @escaping @Sendable (State) -> String?
  ) throws(AgentError) {
    let name = name ?? "Agent<\(State.self)> at \(fileID):\(line)"
    if let reason = validate(state) {
      throw .rejected(agent: name, revision: 0, reason: reason)
    }
    self.init(state, name, mailboxLimit, report, validate)
  }

  private init(
    _ state: sending State, _ name: String, _ mailboxLimit: Int,
    _ report: (@Sendable (AgentFailure) -> Void)?, _ validate: (@Sendable (State) -> String?)?
  ) {
    turn = Turn(name: name, kind: .state)
    storage = .allocate(capacity: 1)
    storage.initialize(to: state)
    self.validate = validate ?? { _ in nil }
    self.report = report ?? { Terminal.writeError($0.description + "\n") }
    mailbox = Mailbox(turn: turn, limit: mailboxLimit)
    outbox = Outbox(agent: name, limit: mailboxLimit)
    observers = Observers(turn: turn)
    if validate != nil { turn.set(Turn.validatedMark) }
  }

  deinit {
    if !turn.has(Turn.stoppedMark) { storage.deinitialize(count: 1) }
    storage.deallocate()
  }

  /// The agent's name.
  public var name: String { turn.name }

  /// True once `stop` was called.
  public var isStopped: Bool { turn.has(Turn.stoppedMark) }
}

extension Agent: CustomStringConvertible {
  /// The agent's name and revision.
  ///
  /// It never waits and never fails, so waiting casts are not counted.
  public var description: String {
    let revision = commits.load(ordering: .relaxed)
    return "agent \"\(name)\" \(isStopped ? "stopped " : "")at revision \(revision)"
  }
}
