import LuaRuntime

/// Conversion of events to plain values, which the stream writes as JSON and worker processes as bytes.
extension RunEvent {
  /// The event as a record.
  package var value: Value {
    var fields = EventFields()
    switch self {
    case .began(let header):
      fields.set("event", "run")
      header.write(to: &fields)
    case .nothing(let message):
      fields.set("event", "note")
      fields.set("message", message)
    case .unloadable(let file, let message):
      fields.set("event", "unloadable")
      fields.set("file", file)
      fields.set("message", message)
    case .ended(let record):
      fields.set("event", "scenario")
      record.write(to: &fields)
    case .covered(let coverage):
      fields.set("event", "coverage")
      coverage.write(to: &fields)
    case .finished(let end):
      fields.set("event", "end")
      end.write(to: &fields)
    }
    return fields.value
  }

  /// Reads an event from fields that `value` has written.
  package init(_ fields: OutsideFields) throws(OutsideFields.Malformed) {
    switch try? fields.text("event") {
    case "run": self = .began(try RunHeader(fields))
    case "note": self = .nothing(try fields.text("message") ?? "")
    case "unloadable":
      self = .unloadable(
        file: try fields.text("file") ?? "", message: try fields.text("message") ?? "")
    case "scenario": self = .ended(try ScenarioRecord(fields))
    case "coverage": self = .covered(try CoverageRecord(fields))
    case "end": self = .finished(try RunEnd(fields))
    default:
      throw fields.malformed("this is not an event of a run (write one with --report jsonl=FILE)")
    }
  }
}

extension RunHeader {
  fileprivate func write(to fields: inout EventFields) {
    fields.set("version", version)
    fields.set("tool", tool)
    fields.set("seed", String(seed))
    fields.set("shuffled", isShuffled)
    fields.set("repeats", repeats == 1 ? nil : repeats)
    fields.set("restarts", hasRestarts)
    guard let shard else { return }
    var receipt = EventFields()
    receipt.set("index", shard.index)
    receipt.set("total", shard.total)
    receipt.set("selected", shard.selected)
    receipt.set("selection", shard.selection)
    receipt.set("planned", shard.planned)
    fields.set("shard", receipt.value)
  }

  fileprivate init(_ fields: OutsideFields) throws(OutsideFields.Malformed) {
    self.init()
    version = try fields.integer("version") ?? 0
    tool = try fields.text("tool") ?? ""
    seed = try fields.seed("seed") ?? 0
    isShuffled = try fields.flag("shuffled")
    repeats = try fields.integer("repeats") ?? 1
    hasRestarts = try fields.flag("restarts")
    guard let receipt = try fields.object("shard") else { return }
    shard = ShardReceipt(
      index: try receipt.integer("index") ?? 0, total: try receipt.integer("total") ?? 0,
      selected: try receipt.integer("selected") ?? 0,
      selection: try receipt.text("selection") ?? "", planned: try receipt.texts("planned"))
  }
}

extension RunEnd {
  fileprivate func write(to fields: inout EventFields) {
    for (name, count) in RunSummary.counts {
      fields.set(name, .integer(summary[keyPath: count]))
    }
    fields.set("microseconds", microseconds)
    fields.set("stopped", stopped?.rawValue)
    fields.set("restarts", hasRestarts)
  }

  fileprivate init(_ fields: OutsideFields) throws(OutsideFields.Malformed) {
    var summary = RunSummary()
    for (name, count) in RunSummary.counts {
      summary[keyPath: count] = try fields.integer(name) ?? 0
    }
    self.init(summary)
    microseconds = try fields.integer("microseconds", in: OutsideNumber.durations) ?? 0
    stopped = try fields.word("stopped")
    hasRestarts = try fields.flag("restarts")
  }
}

extension RunSummary {
  /// The counts by their names in a stream.
  fileprivate static var counts: [(String, WritableKeyPath<RunSummary, Int>)] {
    [
      ("passed", \.passed), ("failed", \.failed), ("skipped", \.skipped),
      ("unloadable", \.unloadable), ("broken", \.broken),
    ]
  }
}
