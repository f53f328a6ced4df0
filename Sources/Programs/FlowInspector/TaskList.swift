import FlowCases
import FlowHosting
import FlowKernel
import FlowLanguage
import LuaRuntime

/// The list of the tasks that an operator has to see to: dead ones, and answers that nothing waited for.
struct TaskList {
  private let tasks: CaseTasks
  private let shown: ShownValues

  init(_ tasks: CaseTasks, _ shown: ShownValues) { (self.tasks, self.shown) = (tasks, shown) }

  /// Returns the number of these tasks; nil if there is none, and the host provides no capability that opens tasks.
  func count() async throws -> Int? {
    let count = try await queues().reduce(0) { $0 + $1.count }
    return count == 0 && tasks.capabilities.isEmpty ? nil : count
  }

  /// Returns a page of the list, and the number of these tasks by queue.
  ///
  /// - Parameter showsValues: true to include arguments and results.
  func data(_ query: TaskQuery, showsValues: Bool) async throws -> Value {
    let rows = try await tasks.list(query)
    var fields: [String: Value] = [
      "tasks": .list(rows.map { data(of: $0, showsValues: showsValues) }),
      "queues": .list(try await queues().map { .list([.string($0.name), .integer($0.count)]) }),
    ]
    if rows.count == query.limit, let last = rows.last { fields["next"] = .integer(last.id) }
    return .record(fields)
  }

  /// Returns the queues with such tasks, in order of name.
  private func queues() async throws -> [(name: String, count: Int)] {
    let counts = try await tasks.counts().filter { $0.state == .dead || $0.state == .cancelled }
    return Dictionary(grouping: counts, by: \.queue).map { name, counts in
      (name: name, count: counts.reduce(0) { $0 + $1.count })
    }.sorted { $0.name < $1.name }
  }

  private func data(of row: StoredTask, showsValues: Bool) -> Value {
    let task = row.task
    var fields: [String: Value] = [
      "id": .string(String(row.id)), "case": .string(row.caseID), "call": .string(task.call),
      "capability": .string(task.capability), "queue": .string(task.queue),
      "state": .string(row.isUnheard ? "unheard" : row.state.name),
      "try": .integer(task.tryNumber), "attempt": .integer(row.attempt),
      "opened": .integer(task.opened),
    ]
    if task.kind == .missing { fields["missing"] = true }
    if task.kind == .notification { fields["notification"] = true }
    fields["answered"] = row.answered.map { .integer($0) }
    fields["worker"] = row.worker.map { .string($0) }
    fields["error"] = row.error.map { shown.sentence($0) }
    // The secrets of a task that nobody provides any more are unknown, so that all of it is dots.
    let capability = tasks.capability(of: task)
    if showsValues {
      let arguments = capability.map { $0.hiding($0.named(task.arguments)) }
      fields["args"] = ShownValues.tree(arguments ?? Secrets.dots)
    }
    switch row.outcome {
    case .answer(let value):
      let result = capability?.hidingResult(value) ?? Secrets.dots
      if showsValues { fields["result"] = ShownValues.tree(result) }
    case .failure(let failure):
      fields["error"] = shown.sentence(failure.message)
      fields["final"] = .boolean(failure.isFinal)
    case nil: break
    }
    return .record(fields)
  }
}
