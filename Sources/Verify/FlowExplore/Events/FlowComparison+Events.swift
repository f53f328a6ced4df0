import LuaRuntime
import Scenarios

extension FlowComparison {
  /// Returns the comparison as the line of a stream.
  package func event(flow: String, old: String) -> Value {
    var fields = EventFields()
    fields.set("event", "compared")
    fields.set("flow", flow)
    fields.set("old", old)
    fields.set("pairs", Optional(pairs))
    fields.set("only_old", onlyOld)
    fields.set("only_new", onlyNew)
    fields.set(
      "differences",
      differences.map { difference -> Value in
        [
          "message": .string(difference.sentence),
          "steps": .list(difference.steps.map(Value.string)),
        ]
      })
    return fields.value
  }
}
