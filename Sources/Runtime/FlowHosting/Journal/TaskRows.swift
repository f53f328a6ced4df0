import FlowKernel

/// The rows of a table of tasks, within one transaction.
///
/// Each store has its own; `TaskTable` has the rules.
package protocol TaskRows {
  /// Returns a row, locked until the end of the transaction; nil if there is none.
  func row(_ id: Int) throws(JournalError) -> StoredTask?

  /// Returns the latest row of a call, locked until the end of the transaction; nil if there is none.
  func latest(ofCall call: String) throws(JournalError) -> StoredTask?

  /// Returns the rows of a case whose state is before `cancelled`, locked until the end of the transaction.
  func open(of caseID: String) throws(JournalError) -> [StoredTask]

  /// Returns the rows of a queue that can be claimed, in the order of `free` and number, without those that another
  /// transaction has locked; they are locked until the end of the transaction.
  func free(in queue: String, until time: Int, limit: Int) throws(JournalError) -> [StoredTask]

  /// Returns the number of rows of a queue that can be claimed, up to a limit.
  func freeCount(in queue: String, until time: Int, limit: Int) throws(JournalError) -> Int

  /// Returns the rows that a query matches, in the order of their numbers, without a lock.
  func list(_ query: TaskQuery) throws(JournalError) -> [StoredTask]

  /// Returns rows in state `answered`, in the order of their answers.
  ///
  /// - Parameter last: the row behind which the list begins; nil for the first one.
  func answered(after last: StoredTask?, limit: Int) throws(JournalError) -> [StoredTask]

  /// Returns the rows without an answer whose deadline has passed, and those performed at most once whose lease has
  /// ended; locked until the end of the transaction.
  func overdue(at time: Int, limit: Int) throws(JournalError) -> [StoredTask]

  /// Inserts a row, and returns its number.
  func insert(_ task: StoredTask) throws(JournalError) -> Int

  /// Stores the properties that change: performer, queue, state, times, counts, token, worker, error and answer.
  func update(_ task: StoredTask) throws(JournalError)

  /// Stores the arguments and the time of the opening, which change for notifications alone.
  func storeOpening(_ task: StoredTask) throws(JournalError)

  /// Ends the leases of some kinds of performers at a time, except for tasks that are performed at most once.
  func endLeases(of kinds: Set<TaskKind>, at time: Int) throws(JournalError)

  /// Deletes a row.
  func delete(_ id: Int) throws(JournalError)

  /// Deletes closed rows that ended before a time, and cancelled ones that ended before another.
  func deleteEnded(closedBefore: Int, cancelledBefore: Int) throws(JournalError)

  /// Returns the number of rows by queue and state, without closed and cancelled ones that have no answer.
  func counts() throws(JournalError) -> [TaskCount]

  /// Returns the performers of all rows that nobody holds at a time: rows that are ready or dead, and rows whose lease
  /// has ended and that may be claimed again.
  func performers(at time: Int) throws(JournalError) -> [TaskPerformer]

  /// Moves the rows of a performer that nobody holds at a time to another performer, with a new state and a new error.
  ///
  /// Rows that are dead although somebody provided them do not become ready: they keep their state and their error.
  func move(
    _ performer: TaskPerformer, to kind: TaskKind, queue: String, _ state: StoredTask.State,
    error: String?, at time: Int
  ) throws(JournalError)
}

/// The number of tasks of a queue in a state.
package struct TaskCount: Sendable, Hashable {
  package let queue: String
  package let state: StoredTask.State
  package let count: Int
  /// The opening of the oldest one, in microseconds since 1970.
  package let oldest: Int

  package init(queue: String, state: StoredTask.State, count: Int, oldest: Int) {
    (self.queue, self.state, self.count, self.oldest) = (queue, state, count, oldest)
  }
}

/// A capability with the performer of its rows.
package struct TaskPerformer: Sendable, Hashable {
  package let scope: String
  package let name: String
  package let kind: TaskKind
  package let queue: String

  package init(scope: String, name: String, kind: TaskKind, queue: String) {
    (self.scope, self.name, self.kind, self.queue) = (scope, name, kind, queue)
  }
}

/// A query for tasks.
package struct TaskQuery: Sendable, Hashable {
  /// The states; a dead task and an answer that nothing waited for are both listed as dead.
  package var state: StoredTask.State?
  package var queue: String?
  package var caseID: String?
  /// The list begins after the task with this number.
  package var after: Int
  package var limit: Int

  package init(
    state: StoredTask.State? = nil, queue: String? = nil, caseID: String? = nil, after: Int = 0,
    limit: Int = 100
  ) {
    (self.state, self.queue, self.caseID) = (state, queue, caseID)
    (self.after, self.limit) = (after, limit)
  }

  /// True if the query matches a row.
  package func matches(_ row: StoredTask) -> Bool {
    if row.id <= after { return false }
    if let queue, ExactText(queue) != ExactText(row.task.queue) { return false }
    if let caseID, ExactText(caseID) != ExactText(row.caseID) { return false }
    switch state {
    case nil: return row.state.rawValue < StoredTask.State.cancelled.rawValue || row.isUnheard
    case .dead?: return row.state == .dead || row.isUnheard
    case let state?: return row.state == state
    }
  }
}
