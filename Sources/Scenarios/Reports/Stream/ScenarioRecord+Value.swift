import Moonlatch

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
  }

  init?(_ fields: EventFields) {
    guard let file = fields.text("file"), let name = fields.text("name"),
      let status = fields.text("status").flatMap(Status.init)
    else { return nil }
    self.init(file: file, line: fields.number("line") ?? 0, name: name, status: status)
    tags = fields.texts("tags")
    attempt = fields.number("attempt") ?? 1
    microseconds = fields.number("microseconds") ?? 0
    reason = fields.text("reason")
    printed = fields.texts("printed")
    problem = fields.fields["problem"].map { ProblemRecord(EventFields($0)) }
    steps = fields.list("steps").map { StepRecord(EventFields($0)) }
    earlierSteps = fields.number("earlier_steps") ?? 0
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

  fileprivate init(_ fields: EventFields) {
    self.init(kind: fields.text("kind") ?? "", message: fields.text("message") ?? "")
    file = fields.text("file")
    line = fields.number("line")
    source = fields.list("source").map(EventFields.init).map {
      SourceExcerpt.Line(
        number: $0.number("line") ?? 0, text: $0.text("text") ?? "", isMarked: $0.flag("marked"))
    }
    calls = fields.texts("calls")
    mismatches = fields.list("differences").map(EventFields.init).map {
      Mismatch(
        path: $0.text("path") ?? "", expected: $0.text("expected") ?? "",
        found: $0.text("found") ?? "")
    }
    decisions = fields.list("decisions").map(EventFields.init).map {
      Decision(
        by: $0.text("by") ?? "", agreed: $0.flag("agreed"),
        place: SourcePlace(file: $0.text("file") ?? "", line: $0.number("line") ?? 0))
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
    fields.set("time", microseconds)
    fields.set("patch", changes.map(\.value))
    fields.set("more_changes", moreChanges)
    fields.set("by", by)
    fields.set("message", message)
    fields.set("place", place)
    fields.set("calls", calls)
    return fields
  }

  fileprivate init(_ fields: EventFields) {
    self.init(
      action: fields.text("action") ?? "",
      outcome: fields.text("outcome").flatMap(Outcome.init) ?? .failed)
    payload = fields.text("payload")
    revision = fields.number("revision")
    cause = fields.number("cause")
    microseconds = fields.number("time")
    changes = fields.list("patch").map { Change(EventFields($0)) }
    moreChanges = fields.number("more_changes") ?? 0
    by = fields.text("by")
    message = fields.text("message")
    place = fields.text("place")
    calls = fields.texts("calls")
  }
}

extension StepRecord.Change {
  fileprivate static let operations: [(Patch.Operation, String)] = [
    (.set, "set"), (.insert, "insert"), (.remove, "remove"),
  ]

  fileprivate var value: Value {
    let name = Self.operations.first { $0.0 == operation }?.1 ?? "set"
    return ["op": .string(name), "path": .string(path), "old": .string(old), "new": .string(new)]
  }

  fileprivate init(_ fields: EventFields) {
    self.init(
      operation: Self.operations.first { $0.1 == fields.text("op") }?.0 ?? .set,
      path: fields.text("path") ?? "", old: fields.text("old") ?? "",
      new: fields.text("new") ?? "")
  }
}
