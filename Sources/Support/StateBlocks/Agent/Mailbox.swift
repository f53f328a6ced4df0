/// The casts of one agent that wait to be run: first in, first out, and never more than the limit.
///
/// Casts are accepted under a small lock of their own, so that a caster never waits for a closure
/// that runs. They are taken out only by the thread that has the agent's turn, so that they run in
/// order. Their number is kept in the turn's `attention`, where a synchronous call finds it without
/// taking the lock.
final class Mailbox: Sendable {
  typealias Job = () -> Void

  private let turn: Turn
  private let background: Background
  private let limit: Int
  private let lock = Lock()

  /// `nonisolated(unsafe)`, these four: read and written only under `lock`.
  ///
  /// A job reaches the mailbox as a `sending` closure and is called by one thread, under the turn,
  /// so nothing in it is ever shared.
  nonisolated(unsafe) private var jobs: [Job] = []
  nonisolated(unsafe) private var held: [Job] = []
  nonisolated(unsafe) private var hasWorker = false
  nonisolated(unsafe) private var isClosed = false

  init(turn: Turn, limit: Int) {
    self.turn = turn
    background = Background(name: turn.name)
    self.limit = max(1, limit)
  }

  /// How many jobs wait.
  var depth: Int { turn.depth }

  /// Accepts a job, and has `worker` run in the background if nobody is going to come for it.
  ///
  /// A job that comes from inside a closure of the agent itself is held until that closure has done
  /// well (`release`), unless it is `certain` to run.
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

  /// Takes out all the jobs that wait.
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

  /// Lets the jobs that the closure posted follow the others, or drops them if it failed.
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

  /// Ends one pass of the worker: true if more jobs came, and it must go on.
  func mustGoOn() -> Bool {
    lock.withLock {
      if jobs.isEmpty { hasWorker = false }
      return hasWorker
    }
  }

  /// Refuses all later jobs.
  func close() {
    lock.withLock { isClosed = true }
  }

  private func claim() -> Bool {
    if hasWorker { return false }
    hasWorker = true
    return true
  }
}
