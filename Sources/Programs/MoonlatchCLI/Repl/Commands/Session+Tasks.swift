import FlowHosting
import FlowKernel
import LuaRuntime

/// The tasks of a case, which are answered by hand: those in a journal, and those of workers with `--live`.
extension Session {
  /// The greatest number of tasks that are read.
  private static let mostTasks = 10_000

  /// Returns the tasks of the case that have no answer, in order of number.
  ///
  /// - Throws: `CommandError` if the case has no tasks.
  func openTasks() throws -> [NumberedTask] {
    try mustBeOwn()
    guard let journal = options.journal, let kept else {
      guard options.capabilities.live != nil else {
        throw CommandError(
          "only a case in a journal, or with --live, has tasks: moonlatch repl FLOW --journal FILE; :stub "
            + "answers calls without one")
      }
      return engine.openTasks.map {
        NumberedTask(id: tasks.number(of: $0), task: $0, note: tasks[note: $0])
      }.sorted { $0.id < $1.id }
    }
    let query = TaskQuery(caseID: kept.id, limit: Session.mostTasks)
    let rows = try JournalCalls.of(journal).wait { journal -> [StoredTask] in
      guard let journal = journal as? any TaskReading else { return [] }
      return try await journal.readingTasks { (rows) throws(JournalError) in try rows.list(query) }
    }
    return rows.filter { !$0.isUnheard && $0.outcome == nil }.map {
      NumberedTask(id: $0.id, task: $0.task, note: tasks[note: $0.task] ?? $0.error)
    }
  }

  /// Returns a line for each open task, with its number, its capability and the arguments.
  func listTasks() throws -> String {
    letTimePass()
    let open = try openTasks()
    if open.isEmpty { return "no task is open" }
    return open.map { numbered in
      let task = numbered.task
      let capability = options.capabilities.tasks[task.capability]
      let given = capability.map { $0.hiding($0.named(task.arguments)) } ?? task.arguments
      return "\(numbered.id)  \(task.capability) \(given.text(limit: 200))"
        + style.quiet(numbered.note.map { "  \($0)" } ?? "")
    }.joined(separator: "\n")
  }

  /// Returns a value to the call that waits for a task.
  func complete(_ text: String) throws -> String {
    let (task, source) = try task(text, for: "complete ID VALUE")
    let value: Value =
      try source.isEmpty
      ? .nil : ask("session_value", [.string(source), .string(input)]).first ?? .nil
    let checked = TaskResult(value, of: options.capabilities.tasks[task.capability])
    guard case .fits(let filled) = checked else {
      throw CommandError("\(task.capability): \(checked.fault ?? "")")
    }
    try give(.answer(filled), to: task)
    return ""
  }

  /// Raises an error in the call that waits for a task.
  func fail(_ text: String) throws -> String {
    let (task, reason) = try task(text, for: "fail ID TEXT")
    guard !reason.isEmpty else {
      throw CommandError(":fail takes a task and a text: :fail 1 no credit")
    }
    let failure = CallFailure(message: "\(task.name): \(reason)", isFinal: false)
    try give(.failure(failure), to: task)
    return ""
  }

  /// Returns the task whose number a text begins with, and the rest of the text.
  private func task(_ text: String, for usage: String) throws -> (OpenTask, rest: String) {
    let word = String(text.prefix { !$0.isWhitespace })
    guard let id = Int(word) else {
      throw CommandError(
        ":\(usage) takes the number of a task, as :tasks shows it, not \"\(word)\"")
    }
    guard let row = try openTasks().first(where: { $0.id == id }) else {
      throw CommandError("there is no open task \(id); :tasks lists them")
    }
    return (row.task, text.dropFirst(word.count).trimmed)
  }

  /// Gives an outcome to the effect that waits for a task, and does what follows on it.
  func give(_ outcome: TaskOutcome, to task: OpenTask) throws {
    letTimePass()
    var isHeard = false
    pass { engine in
      isHeard = engine.answer(task.key, with: outcome)
      engine.settle()
      tellWhatIsToCome()
    }
    if let lost { throw CommandError(lost) }
    guard isHeard else { throw CommandError("nothing waits for this task any more") }
  }
}
