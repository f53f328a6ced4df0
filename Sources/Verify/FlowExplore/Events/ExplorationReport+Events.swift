import LuaRuntime
import Scenarios

/// The findings of an exploration as plain values, for the stream that programs read.
extension ExplorationReport {
  /// Returns the first line of a stream.
  package static func begin(tool: String) -> Value {
    var fields = EventFields()
    fields.set("event", "explore")
    fields.set("version", 1)
    fields.set("tool", tool)
    return fields.value
  }

  /// Returns the last line of a stream.
  package static func end(exitCode: Int) -> Value {
    ["event": "end", "exit_code": .integer(exitCode)]
  }

  /// Returns true if the text begins as such a stream does.
  package static func isStream(_ text: String) -> Bool {
    text.hasPrefix("{") && text.prefix { $0 != "\n" }.contains("\"event\":\"explore\"")
  }

  /// Returns one line for the exploration, and one for each finding, verdict, invariant and dead part.
  ///
  /// - Parameters:
  ///   - flow: the name of the flow in messages.
  ///   - exploration: the name of the exploration in its file; nil without a file.
  package func events(flow: String, exploration: String?) -> [Value] {
    var first = EventFields()
    first.set("event", "exploration")
    first.set("flow", flow)
    first.set("name", exploration)
    first.set("states", Optional(states))
    first.set("transitions", Optional(transitions))
    first.set("depth", Optional(depth))
    first.set("ending", endingWord)
    first.set("outside", outsides)
    first.set("omissions", omissions)
    first.set("warnings", warnings)
    first.set("alike", alike)
    first.set("verified", verified)
    var events = [first.value]
    events += findings.map(\.event) + verdicts.map(\.event)
    events += invariants.map { name, holds in
      ["event": "invariant", "name": .string(name), "status": holds ? "holds" : "fails"]
    }
    for (kind, sentences) in [("action", deadActions), ("state", unreachedStates)] {
      events += sentences.map { ["event": "dead", "kind": .string(kind), "message": .string($0)] }
    }
    return events
  }

  private var endingWord: String {
    switch ending {
    case .whole: "complete"
    case .bounded: isOutOfTime ? "out-of-time" : "bounded"
    case .stopped: "stopped"
    }
  }
}

extension ExplorationReport.Finding {
  /// The finding as a line of the stream.
  var event: Value {
    var fields = EventFields()
    fields.set("event", "finding")
    fields.set("name", name)
    fields.set("message", sentence)
    fields.set("steps", steps)
    return fields.value
  }
}
