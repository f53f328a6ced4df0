import LuaRuntime
import Scenarios

/// What an exploration has found as plain values, for the stream that programs read.
extension ExplorationReport {
  /// The line with which a stream begins.
  package static func begin(tool: String) -> Value {
    var fields = EventFields()
    fields.set("event", "explore")
    fields.set("version", 1)
    fields.set("tool", tool)
    return fields.value
  }

  /// The line with which it ends.
  package static func end(exitCode: Int) -> Value {
    ["event": "end", "exit_code": .integer(exitCode)]
  }

  /// The first line of streams, by which they are known.
  package static func isStream(_ text: String) -> Bool {
    text.hasPrefix("{") && text.prefix { $0 != "\n" }.contains("\"event\":\"explore\"")
  }

  /// A line for the exploration, and one for each thing that there is to say of it.
  ///
  /// - Parameters:
  ///   - flow: how messages name the flow.
  ///   - exploration: what the file calls the exploration; nil where there is no file.
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
    case .whole: "whole"
    case .bounded: isOutOfTime ? "out-of-time" : "bounded"
    case .stopped: "stopped"
    }
  }
}

extension ExplorationReport.Finding {
  /// The same as the line of a stream.
  var event: Value {
    var fields = EventFields()
    fields.set("event", "finding")
    fields.set("name", name)
    fields.set("message", sentence)
    fields.set("steps", steps)
    return fields.value
  }
}

extension Verdict {
  /// The same as the line of a stream.
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

extension CoveredBehaviours {
  /// The same as the line of a stream.
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

extension FlowComparison {
  /// The same as the line of a stream.
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

extension LogAlignment {
  /// The same as the line of a stream.
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
  /// The same within the line of a stream.
  fileprivate var value: Value {
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
