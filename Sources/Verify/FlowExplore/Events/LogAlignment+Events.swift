import LuaRuntime
import Scenarios

extension LogAlignment {
  /// Returns the alignment as the line of a stream.
  package func event(flow: String, exploration: String?) -> Value {
    var fields = EventFields()
    fields.set("event", "aligned")
    fields.set("flow", flow)
    fields.set("name", exploration)
    fields.set("log", log)
    fields.set("cases", Optional(cases))
    fields.set("variants", Optional(variants))
    fields.set("fit", Optional(fitting))
    fields.set("deviate", Optional(deviating))
    fields.set("events", Optional(events))
    fields.set("cost", Optional(cost))
    fields.set("fitness", .number(Double(fitness) / 1_000))
    fields.set("malformed", malformed)
    fields.set("skipped", skipped)
    fields.set("given_up", givenUp?.cases ?? 0)
    fields.set("unseen", unseen?.cases ?? 0)
    fields.set("deviations", deviations.map(\.value))
    fields.set("others", others)
    return fields.value
  }
}

extension LogAlignment.Deviation {
  /// The deviation as a part of the line of a stream.
  var value: Value {
    var fields = EventFields()
    switch kind {
    case .tooMany(let action, let reason):
      fields.set("kind", "too-many")
      fields.set("action", action)
      fields.set("reason", reason)
    case .missing(let action, let before):
      fields.set("kind", "missing")
      fields.set("action", action)
      fields.set("before", before)
    }
    fields.set("times", times)
    fields.set("cases", cases)
    fields.set("case", firstCase)
    fields.set("line", firstLine)
    return fields.value
  }
}
