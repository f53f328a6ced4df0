import LuaRuntime
import Scenarios

extension Verdict {
  /// The verdict as the line of a stream.
  var event: Value {
    var fields = EventFields()
    fields.set("event", "property")
    fields.set("name", title)
    fields.set("status", outcome.rawValue)
    fields.set("message", reason.isEmpty ? nil : reason)
    fields.set("file", place.file)
    fields.set("line", place.line)
    fields.set("steps", steps ?? [])
    return fields.value
  }
}
