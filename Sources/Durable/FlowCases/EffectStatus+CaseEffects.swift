import FlowHosting
import FlowKernel
import LuaRuntime

extension EffectStatus {
  /// Returns the status as JSON shows it: times in seconds of the case's own time, and `..._wall` in
  /// microseconds since 1970.
  ///
  /// - Parameter epoch: the epoch, as in `CaseEffects.wallAtZero`; nil leaves wall times out.
  package func value(epoch: Int?) -> Value {
    var fields: [String: Value] = [
      "number": .integer(number), "effect": .string(title), "action": .string(action),
      "cause": .integer(cause), "durable": .boolean(isDurable),
      "status": .string(activity.rawValue),
    ]
    fields.set("since", since, epoch)
    if !waits.isEmpty { fields["waits_for"] = .list(waits.map { $0.value(epoch: epoch) }) }
    if !attempts.isEmpty { fields["attempts"] = .list(attempts.map { $0.value(epoch: epoch) }) }
    return .record(fields)
  }
}

extension EffectStatus.Wait {
  package func value(epoch: Int?) -> Value {
    var fields: [String: Value] = [:]
    switch reason {
    case .capability(let name): fields["capability"] = .string(name)
    case .task(let task):
      fields["capability"] = .string(task.name)
      fields["call"] = .string(task.call)
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
