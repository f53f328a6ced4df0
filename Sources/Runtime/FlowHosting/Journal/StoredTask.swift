import FlowKernel

/// A task as the journal stores it: a row of the table of tasks.
package struct StoredTask: Sendable, Hashable {
  /// The states of a task; a number is never reused.
  package enum State: Int, Sendable, Hashable, CaseIterable {
    /// Workers can claim it.
    case ready = 0
    /// Somebody performs it.
    case leased = 1
    /// The request was accepted, and its answer comes later.
    case called = 2
    /// It has its answer, which the effect has not got yet.
    case answered = 3
    /// Nobody can perform it until an operator has seen to it.
    case dead = 4
    /// Nothing waits for its answer any more.
    case cancelled = 5
    /// The effect has got the answer.
    case closed = 6

    /// The name in lists, such as `ready`.
    package var name: String { "\(self)" }

    /// Returns the state of that name; nil if there is none.
    package init?(name: String) {
      guard let state = State.allCases.first(where: { $0.name == name }) else { return nil }
      self = state
    }
  }

  /// The number of the task in the journal, which is never used again.
  package internal(set) var id: Int
  /// The id of the case.
  package let caseID: String
  /// The task as its case has opened it, with its present performer and queue.
  package var task: OpenTask
  /// The state.
  package var state: State
  /// The time from which it can be claimed, in microseconds since 1970: its opening, or the end of its lease; nil if it
  /// cannot be claimed.
  package var free: Int?
  /// The time of its answer, or of its end, in microseconds since 1970.
  package var answered: Int?
  /// The number of times that it was given to somebody.
  package var attempt: Int
  /// The number of leases that ended without an answer.
  package var lost: Int
  /// The token of the latest lease, which gives the right to answer.
  package var token: String?
  /// The name of the worker that had the latest lease.
  package var worker: String?
  /// The latest error.
  package var error: String?
  /// The answer, once there is one.
  package var outcome: TaskOutcome?

  /// Makes the row of a task that was just opened.
  package init(_ task: OpenTask, of caseID: String) {
    (id, self.caseID, self.task) = (0, caseID, task)
    (state, free, answered) = (.ready, task.opened, nil)
    (attempt, lost) = (0, 0)
  }

  /// Makes a row from its columns.
  package init(
    id: Int, caseID: String, task: OpenTask, state: State, free: Int?, answered: Int?,
    attempt: Int, lost: Int, token: String?, worker: String?, error: String?,
    outcome: TaskOutcome?
  ) {
    (self.id, self.caseID, self.task, self.state) = (id, caseID, task, state)
    (self.free, self.answered, self.attempt, self.lost) = (free, answered, attempt, lost)
    (self.token, self.worker, self.error, self.outcome) = (token, worker, error, outcome)
  }

  /// The capability, with its present performer.
  var performer: TaskPerformer {
    TaskPerformer(scope: task.scope, name: task.name, kind: task.kind, queue: task.queue)
  }

  /// True if nothing waits for its answer any more.
  package var isOver: Bool { state == .cancelled || state == .closed }

  /// True if nothing waits for it any more, and its answer came all the same.
  package var isUnheard: Bool { state == .cancelled && outcome != nil }

  /// Returns the reply to an answer that the task does not take; nil if it takes one.
  ///
  /// A notification takes none.
  ///
  /// - Parameter token: the token of the sender; nil for an operator, who answers dead tasks alone.
  package func refusal(of token: String?) -> TaskReply? {
    if task.kind == .notification { return .leaseLost(self) }
    let isHolder = token != nil && self.token == token
    switch state {
    case .answered, .closed: return isHolder ? .answered(self) : .leaseLost(self)
    case .cancelled: return isHolder ? .closed(self) : .leaseLost(self)
    case .dead where token == nil: return nil
    case .ready, .leased, .called, .dead: return isHolder ? nil : .leaseLost(self)
    }
  }

  /// Returns the row under the number that its table has given it.
  package func numbered(_ id: Int) -> StoredTask {
    var row = self
    row.id = id
    return row
  }
}
