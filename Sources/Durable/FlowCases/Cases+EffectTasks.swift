import FlowHosting
import FlowKernel

extension Cases {
  /// The number of tasks that are read from the journal at once.
  private static let tasksRead = 1_000

  /// The tasks as the journal stores them; nil if it has no table of tasks.
  package var storedTasks: CaseTasks? { journal is any TaskReading ? tasks : nil }

  /// Returns the stored tasks for whose answers effects of a case wait.
  ///
  /// It is a query by case, and none if no effect waits for a task or the journal has no table of tasks.
  package func openTasks(
    of effects: [EffectStatus], in caseID: String
  ) async throws(JournalError) -> [OpenTask.Key: StoredTask] {
    guard let storedTasks else { return [:] }
    var wanted = Set(effects.flatMap(\.waits).compactMap { $0.openTask?.key })
    var found: [OpenTask.Key: StoredTask] = [:]
    var query = TaskQuery(caseID: caseID, limit: Cases.tasksRead)
    while !wanted.isEmpty {
      let rows = try await storedTasks.list(query)
      // An answer that nothing waited for may be of the same call as the task that is open now.
      for row in rows where !row.isUnheard && wanted.remove(row.task.key) != nil {
        found[row.task.key] = row
      }
      guard rows.count == query.limit, let last = rows.last else { break }
      query.after = last.id
    }
    return found
  }
}
