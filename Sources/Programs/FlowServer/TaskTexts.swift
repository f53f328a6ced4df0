#if Server
  import FlowCases
  import FlowHosting
  import FlowKernel
  import FlowLanguage
  import LuaRuntime

  /// The JSON of tasks.
  struct TaskTexts: Sendable {
    let tasks: CaseTasks

    /// Returns a task as the worker gets it that has claimed it, with all of its arguments.
    func claimed(_ row: StoredTask) -> Value {
      var fields = common(row)
      fields["args"] =
        tasks.capability(of: row.task)?.named(row.task.arguments) ?? row.task.arguments
      fields["token"] = row.token.map(Value.string)
      fields["until"] = TaskTexts.time(row.free)
      return .record(fields)
    }

    /// Returns a task as lists show it, with dots in place of secrets.
    ///
    /// The secrets of a task that nobody provides any more are unknown, so that all of it is dots.
    func listed(_ row: StoredTask) -> Value {
      var fields = common(row)
      let capability = tasks.capability(of: row.task)
      fields["args"] = capability.map { $0.hiding($0.named(row.task.arguments)) } ?? Secrets.dots
      fields["state"] = .string(row.isUnheard ? "unheard" : row.state.name)
      fields["lost"] = .integer(row.lost)
      if row.state == .leased { fields["until"] = TaskTexts.time(row.free) }
      if let worker = row.worker { fields["worker"] = .string(worker) }
      if let error = row.error { fields["error"] = .string(error) }
      switch row.outcome {
      case .answer(let value):
        fields["result"] = capability?.hidingResult(value) ?? Secrets.dots
      case .failure(let failure):
        fields["error"] = .string(failure.message)
        fields["final"] = .boolean(failure.isFinal)
      case nil: break
      }
      return .record(fields)
    }

    private func common(_ row: StoredTask) -> [String: Value] {
      let task = row.task
      var fields: [String: Value] = [
        "id": .string(String(row.id)), "call": .string(task.call), "case": .string(row.caseID),
        "capability": .string(task.capability), "queue": .string(task.queue),
        "try": .integer(task.tryNumber), "attempt": .integer(row.attempt),
        "opened": TaskTexts.time(task.opened) ?? .nil,
      ]
      if let deadline = TaskTexts.time(task.deadline) { fields["deadline"] = deadline }
      return fields
    }

    /// Returns a time in the format of RFC 3339.
    static func time(_ microseconds: Int?) -> Value? {
      microseconds.map { .string(WallTime.exact($0)) }
    }
  }
#endif
