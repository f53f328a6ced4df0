import FlowHosting
import FlowKernel
import LuaRuntime

extension EffectFailure {
  package func value(epoch: Int?) -> Value {
    var fields: [String: Value] = [
      "number": .integer(number), "effect": .string(title), "action": .string(action),
      "cause": .integer(cause), "reason": .string(reason), "fault": .boolean(isFault),
    ]
    fields["handler"] = handler.map { .string($0) }
    if !attempts.isEmpty { fields["attempts"] = .list(attempts.map { $0.value(epoch: epoch) }) }
    fields.set("time", time, epoch)
    return .record(fields)
  }
}
