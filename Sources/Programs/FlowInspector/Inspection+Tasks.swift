import FlowCases
import FlowHosting
import LuaRuntime

extension Inspection {
  /// The tasks of the cases; nil if their journal has no table of tasks.
  package var tasks: CaseTasks? { subject.tasks }

  /// Returns the dead tasks, and the answers that nothing waited for, in order of number.
  ///
  /// - Parameters:
  ///   - queue: the queue of the tasks; nil for those of all queues.
  ///   - id: the number behind which the list begins.
  ///   - mayOperate: true if whoever asks may look after tasks: only then arguments and results are shown.
  /// - Throws: `InspectorMistake` if there is no table of tasks.
  package func deadTasks(
    of queue: String?, after id: Int, limit: Int, mayOperate: Bool
  ) async throws -> Value {
    guard let tasks else {
      throw InspectorMistake(.conflict, "there are no tasks here: no journal stores them")
    }
    let query = TaskQuery(state: .dead, queue: queue, after: id, limit: limit)
    let list = try await TaskList(tasks, shown).data(query, showsValues: mayOperate)
    guard case .record(var fields) = list else { return list }
    fields["mayOperate"] = .boolean(mayOperate && !isReadOnly)
    return .record(fields)
  }
}
