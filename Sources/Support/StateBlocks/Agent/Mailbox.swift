/// The waiting casts of one agent: first in, first out, and never more than the limit.
///
/// Casts are accepted under a small lock of their own, so that a caster never waits for a running closure. Only the
/// thread that has the agent's turn takes them out, so that they run in order. Their number is in the turn's
/// `attention`, where a synchronous call finds it without the lock.
final class Mailbox: Sendable {
  typealias Job = () -> Void

  private let turn: Turn
  private let background: Background
  private let limit: Int
  private let lock = Lock()

  /// `nonisolated(unsafe)`, these four: read and written only under `lock`.
  ///
  /// A job arrives as a `sending` closure and is called by one thread that has the turn, so nothing in it is ever
  /// shared.
  nonisolated(unsafe) private var jobs: [Job] = []
  nonisolated(unsafe) private var held: [Job] = []
  nonisolated(unsafe) private var hasWorker = false
  nonisolated(unsafe) private var isClosed = false

  init(turn: Turn, limit: Int) {
    self.turn = turn
    background = Background(name: turn.name)
    self.limit = max(1, limit)
  }

  /// The number of jobs that wait.
  var depth: Int { turn.depth }

  /// Accepts a job, and starts `worker` in the background unless it is running.
  ///
  /// A job posted from inside a closure of the agent itself is held until that closure succeeds (`release`), unless it
  /// is `certain` to run.
  func post(
    certain: Bool = false, refusal: () -> AgentError, worker run: @escaping @Sendable () -> Void,
    _ job: sending @escaping Job
  ) throws(AgentError) {
    let isHeld = !certain && turn.isMine
    nonisolated(unsafe) let job = job
    let (refused, start): (AgentError?, Bool) = lock.withLock {
      if isClosed { return (refusal(), false) }
      let depth = turn.depth
      if depth >= limit { return (.mailboxFull(agent: turn.name, depth: depth), false) }
      turn.attention.wrappingAdd(1, ordering: .relaxed)
      if isHeld {
        held.append(job)
        return (nil, false)
      }
      jobs.append(job)
      return (nil, claim())
    }
    if let refused { throw refused }
    if start { background.run(run) }
  }

  /// Removes and returns all waiting jobs.
  ///
  /// Only the thread that has the turn may call this.
  func take() -> sending [Job] {
    nonisolated(unsafe) var taken: [Job] = []
    lock.withLock { swap(&taken, &jobs) }
    return taken
  }

  /// Counts one job as run.
  func ran() {
    turn.attention.wrappingSubtract(1, ordering: .relaxed)
  }

  /// Queues the jobs that the closure posted behind the others, or drops them if the closure failed.
  func release(_ isDone: Bool, worker run: @escaping @Sendable () -> Void) {
    nonisolated(unsafe) var dropped: [Job] = []
    let start = lock.withLock {
      if held.isEmpty { return false }
      if isDone && !isClosed {
        jobs += held
        held = []
        return claim()
      }
      swap(&dropped, &held)
      turn.attention.wrappingSubtract(dropped.count, ordering: .relaxed)
      return false
    }
    if start { background.run(run) }
  }

  /// Ends one pass of the worker, and returns true if more jobs came, so that it must continue.
  func mustGoOn() -> Bool {
    lock.withLock {
      if jobs.isEmpty { hasWorker = false }
      return hasWorker
    }
  }

  /// Closes the mailbox, which refuses all later jobs.
  func close() {
    lock.withLock { isClosed = true }
  }

  private func claim() -> Bool {
    if hasWorker { return false }
    hasWorker = true
    return true
  }
}
