/// A performer of tasks within the process, such as an HTTP client.
package struct LocalPerformer: Sendable {
  /// The most tasks of one capability that a node performs at once.
  package let atOnce: Int
  /// The longest time that one task takes, in microseconds; its lease is a little longer.
  package let timeout: Int
  /// Performs a task, and returns early if it is cancelled.
  package let perform: @Sendable (PerformedTask) async -> PerformedOutcome

  package init(
    atOnce: Int, timeout: Int,
    perform: @escaping @Sendable (PerformedTask) async -> PerformedOutcome
  ) {
    (self.atOnce, self.timeout, self.perform) = (atOnce, timeout, perform)
  }

  /// The length of a lease, in microseconds: the time limit, and 5 s to store the outcome.
  package var lease: Int { EngineTime.later(timeout, by: 5_000_000) }
}

/// A task as its performer sees it.
package struct PerformedTask: Sendable {
  /// The task.
  package let task: OpenTask
  /// The id of its case.
  package let caseID: String
  /// The number of this attempt, from 1 on: each lease is one.
  package let attempt: Int

  package init(_ task: OpenTask, of caseID: String, attempt: Int) {
    (self.task, self.caseID, self.attempt) = (task, caseID, attempt)
  }
}

/// The end of an attempt to perform a task.
package enum PerformedOutcome: Sendable, Hashable {
  /// The effect gets this answer or failure.
  case answered(TaskOutcome)
  /// The request was accepted: the answer comes later, through a webhook.
  case accepted
  /// The task cannot be performed until an operator has removed this reason.
  case dead(String)
  /// The attempt was cancelled before it had an outcome: the task is given back.
  case interrupted
}
