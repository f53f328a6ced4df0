import FlowKernel
import FlowLanguage
import LuaRuntime

/// Records as the fields of an event, and back.
extension ScenarioRecord {
  func write(to fields: inout EventFields) {
    fields.set("file", file)
    fields.set("line", line)
    fields.set("name", name)
    fields.set("tags", tags)
    fields.set("attempt", attempt == 1 ? nil : attempt)
    fields.set("status", status.rawValue)
    fields.set("microseconds", microseconds)
    fields.set("reason", reason)
    fields.set("printed", printed)
    fields.set("problem", problem?.fields.value)
    fields.set("steps", steps.map(\.fields.value))
    fields.set("earlier_steps", earlierSteps)
    fields.set("pending_work", pendingWork)
  }

  init(_ fields: OutsideFields) throws(OutsideFields.Malformed) {
    guard let file = try fields.text("file"), let name = try fields.text("name"),
      let status: Status = try fields.word("status")
    else { throw fields.malformed("a scenario has a file, a name and a status") }
    self.init(file: file, line: try fields.integer("line") ?? 0, name: name, status: status)
    tags = try fields.texts("tags")
    attempt = try fields.integer("attempt") ?? 1
    microseconds = try fields.integer("microseconds", in: OutsideNumber.durations) ?? 0
    reason = try fields.text("reason")
    printed = try fields.texts("printed")
    if let read = try fields.object("problem") { problem = try ProblemRecord(read) }
    steps = try fields.objects("steps").map { (step) throws(OutsideFields.Malformed) in
      try StepRecord(step)
    }
    earlierSteps = try fields.integer("earlier_steps") ?? 0
    pendingWork = try fields.texts("pending_work")
  }
}

extension ProblemRecord {
  fileprivate var fields: EventFields {
    var fields = EventFields()
    fields.set("kind", kind)
    fields.set("message", message)
    fields.set("file", file)
    fields.set("line", line)
    fields.set(
      "source",
      source.map { line -> Value in
        var fields = EventFields()
        fields.set("line", line.number)
        fields.set("text", line.text)
        fields.set("marked", line.isMarked)
        return fields.value
      })
    fields.set("calls", calls)
    fields.set(
      "differences",
      mismatches.map {
        [
          "path": .string($0.path), "expected": .string($0.expected), "found": .string($0.found),
        ] as Value
      })
    fields.set(
      "decisions",
      decisions.map {
        [
          "by": .string($0.by), "agreed": .boolean($0.agreed), "file": .string($0.place.file),
          "line": .integer($0.place.line),
        ] as Value
      })
    return fields
  }

  fileprivate init(_ fields: OutsideFields) throws(OutsideFields.Malformed) {
    self.init(kind: try fields.text("kind") ?? "", message: try fields.text("message") ?? "")
    file = try fields.text("file")
    line = try fields.integer("line")
    source = try fields.objects("source").map { (line) throws(OutsideFields.Malformed) in
      SourceExcerpt.Line(
        number: try line.integer("line") ?? 0, text: try line.text("text") ?? "",
        isMarked: try line.flag("marked"))
    }
    calls = try fields.texts("calls")
    mismatches = try fields.objects("differences").map { (one) throws(OutsideFields.Malformed) in
      Mismatch(
        path: try one.text("path") ?? "", expected: try one.text("expected") ?? "",
        found: try one.text("found") ?? "")
    }
    decisions = try fields.objects("decisions").map { (one) throws(OutsideFields.Malformed) in
      Decision(
        by: try one.text("by") ?? "", agreed: try one.flag("agreed"),
        place: SourcePlace(
          file: try one.text("file") ?? "", line: try one.integer("line") ?? 0))
    }
  }
}

extension StepRecord {
  fileprivate var fields: EventFields {
    var fields = EventFields()
    fields.set("action", action)
    fields.set("payload", payload)
    fields.set("outcome", outcome.rawValue)
    fields.set("revision", revision)
    fields.set("cause", cause)
    fields.set("postponed", isPostponed)
    fields.set("time", microseconds)
    fields.set("transitions", transitions)
    fields.set("patch", changes.map(\.value))
    fields.set("more_changes", moreChanges)
    fields.set("by", by)
    fields.set("message", message)
    fields.set("place", place)
    fields.set("calls", calls)
    return fields
  }

  fileprivate init(_ fields: OutsideFields) throws(OutsideFields.Malformed) {
    self.init(
      action: try fields.text("action") ?? "", outcome: try fields.word("outcome") ?? .failed)
    payload = try fields.text("payload")
    revision = try fields.integer("revision")
    cause = try fields.integer("cause")
    isPostponed = try fields.flag("postponed")
    microseconds = try fields.integer("time", in: 0...EngineTime.last)
    transitions = try fields.texts("transitions")
    changes = try fields.objects("patch").map { (change) throws(OutsideFields.Malformed) in
      try Change(change)
    }
    moreChanges = try fields.integer("more_changes") ?? 0
    by = try fields.text("by")
    message = try fields.text("message")
    place = try fields.text("place")
    calls = try fields.texts("calls")
  }
}

extension StepRecord.Change {
  fileprivate var value: Value {
    var fields = EventFields()
    fields.set("op", "\(operation)")
    fields.set("path", path)
    fields.set("old", old)
    fields.set("new", new)
    fields.set("by", by)
    return fields.value
  }

  fileprivate init(_ fields: OutsideFields) throws(OutsideFields.Malformed) {
    let name = try fields.text("op") ?? "set"
    let operations: [Patch.Operation] = [.set, .insert, .remove]
    guard let operation = operations.first(where: { "\($0)" == name }) else {
      throw fields.mistake("op", "set, insert or remove")
    }
    self.init(
      operation: operation, path: try fields.text("path") ?? "",
      old: try fields.text("old") ?? "", new: try fields.text("new") ?? "",
      by: try fields.text("by"))
  }
}
