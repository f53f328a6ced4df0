import LuaRuntime
import Scenarios

extension CoveredBehaviours {
  /// Returns the coverage as the line of a stream.
  package func event(flow: String) -> Value {
    var fields = EventFields()
    fields.set("event", "covered")
    fields.set("flow", flow)
    fields.set("covered", Optional(covered))
    fields.set("total", Optional(total))
    fields.set("scenarios", Optional(scenarios))
    fields.set("problems", problems)
    fields.set(
      "missing",
      missing.map { missing -> Value in
        ["behaviour": .string(missing.behaviour), "steps": .list(missing.steps.map(Value.string))]
      })
    return fields.value
  }
}
