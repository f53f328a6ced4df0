import FlowHosting
import FlowKernel
import LuaRuntime

extension EffectStatus {
  /// Returns the status as JSON shows it: times in seconds of the case's own time, and `..._wall` in
  /// microseconds since 1970.
  ///
  /// - Parameters:
  ///   - epoch: the epoch, as in `CaseEffects.wallAtZero`; nil leaves wall times out.
  ///   - tasks: the stored tasks for whose answers it waits.
  package func value(epoch: Int?, tasks: [OpenTask.Key: StoredTask] = [:]) -> Value {
    var fields: [String: Value] = [
      "number": .integer(number), "effect": .string(title), "action": .string(action),
      "cause": .integer(cause), "durable": .boolean(isDurable),
      "status": .string(activity.rawValue),
    ]
    fields.set("since", since, epoch)
    if !waits.isEmpty {
      fields["waits_for"] = .list(waits.map { $0.value(epoch: epoch, tasks: tasks) })
    }
    if !attempts.isEmpty { fields["attempts"] = .list(attempts.map { $0.value(epoch: epoch) }) }
    return .record(fields)
  }
}

extension EffectStatus.Wait {
  /// Returns the wait as JSON shows it, with the number, the queue and the state of a task that is stored.
  package func value(epoch: Int?, tasks: [OpenTask.Key: StoredTask] = [:]) -> Value {
    var fields: [String: Value] = [:]
    switch reason {
    case .capability(let name): fields["capability"] = .string(name)
    case .task(let task):
      fields["capability"] = .string(task.name)
      fields["call"] = .string(task.call)
      fields["task"] = tasks[task.key].map { row in
        [
          "id": .string(String(row.id)), "queue": .string(row.task.queue),
          "state": .string(row.state.name), "attempt": .integer(row.attempt),
        ]
      }
    case .sleep(let due): fields.set("until", EngineTime.microseconds(due), epoch)
    case .retry(let due):
      fields.set("until", EngineTime.microseconds(due), epoch)
      fields["retries"] = true
    }
    fields.set("since", since, epoch)
    if !function.isEmpty { fields["function"] = .string(function) }
    if attempt > 0 { fields["attempt"] = .integer(attempt) }
    return .record(fields)
  }
}
