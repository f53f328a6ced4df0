import Synchronization

/// The thread-safe box that holds state: `fetch`, `update`, `fetchAndUpdate`.
///
/// Closures run on the caller's thread, one at a time, each exactly once. A synchronous call first
/// runs the casts that wait, so it sees every earlier `cast` of the same caller. Casts are run
/// first in, first out; of several threads that wait for the agent at the same moment, any may be
/// next.
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
/// - **All or nothing.** When a closure throws, or the validator rejects what it came to, value and
///   revision stay, and nobody is told. A closure that cannot throw changes the state in place,
///   without a copy, unless there is a validator or an observer. A class instance in the state is
///   put back as a reference: what a failed closure did inside it stays.
/// - **Re-entry.** A call from inside one of the agent's own closures, directly or through other
///   agents, throws `AgentError.reentrant` with the chain (`counter → store → counter`), and the
///   agent works afterwards. Only `cast`, `subscribe`, `changes` and `description` may be used
///   there. Where threads take several agents in opposite orders, the one whose wait would close
///   the circle gets `AgentError.deadlock` instead of waiting, and the others go on.
/// - **Blocking.** These calls block their thread while another thread's closure runs. `suspending`
///   has the same operations as `async` functions, for where that is not wanted.
///
/// After Elixir's `Agent`, and the `SimpleAgent` of *Tricks of the Trade*.
public final class Agent<State>: Sendable {
  @usableFromInline let turn: Turn

  /// `nonisolated(unsafe)`: the pointer never changes; what it points to is read and written only
  /// by the thread that has `turn`, is moved out once by `stop`, and is otherwise freed when nobody
  /// can call.
  @usableFromInline nonisolated(unsafe) let storage: UnsafeMutablePointer<State>

  /// The revision.
  ///
  /// Written only by the thread that has `turn`, readable by all.
  @usableFromInline let commits = Atomic<Int>(0)

  let validate: @Sendable (State) -> String?
  let report: @Sendable (AgentFailure) -> Void
  let mailbox: Mailbox
  let outbox: Outbox
  let observers: Observers<State>
  let line = SuspendedLine()

  /// Makes an agent around a state.
  ///
  /// This cannot fail.
  ///
  /// - `name` is what errors and descriptions call it; without one it is the type and the place
  ///   where the agent was made.
  /// - `mailboxLimit` is how many casts may wait, and by how many changes observers may lag before
  ///   those who make changes wait for them.
  /// - `report` receives what casts and observers throw; it is called outside the agent, like an
  ///   observer. Without one, failures are printed on standard error.
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
  /// `validate` returns nil for a state that may be, and otherwise the reason why it may not. It
  /// runs before every commit. Throws `AgentError.rejected` when it does not accept the first
  /// state.
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

  /// Whether `stop` was called.
  public var isStopped: Bool { turn.has(Turn.stoppedMark) }
}

extension Agent: CustomStringConvertible {
  /// The agent's name and revision.
  ///
  /// It never waits and never fails, so a cast may still be missing.
  public var description: String {
    let revision = commits.load(ordering: .relaxed)
    return "agent \"\(name)\" \(isStopped ? "stopped " : "")at revision \(revision)"
  }
}
