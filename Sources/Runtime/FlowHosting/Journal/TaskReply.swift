/// The result of a request for a task, with the task's row.
package enum TaskReply: Sendable {
  case done(StoredTask)
  /// There is no such task, or its row was deleted.
  case unknown
  /// Another worker was given the task, or it is not the sender's to answer.
  case leaseLost(StoredTask)
  /// The task has another answer, or is in another state than the request needs.
  case answered(StoredTask)
  /// Nothing waits for the task any more.
  case closed(StoredTask)
  /// Nothing waits for the task any more, and its answer was kept just now.
  case unheard(StoredTask)
}
