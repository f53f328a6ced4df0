import FlowHosting
import FlowKernel
import LuaRuntime

extension EffectAttempt {
  package func value(epoch: Int?) -> Value {
    var fields: [String: Value] = [
      "attempt": .integer(attempt), "times": .integer(times), "error": .string(error),
    ]
    fields.set("time", time, epoch)
    return .record(fields)
  }
}
