import Moonlatch

/// Events as plain values: what the stream writes as JSON, and worker processes as bytes.
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

  /// Reads what `value` gives; nil for what is no event.
  package init?(_ value: Value) {
    let fields = EventFields(value)
    switch fields.text("event") {
    case "run": self = .began(RunHeader(fields))
    case "note": self = .nothing(fields.text("message") ?? "")
    case "unloadable":
      self = .unloadable(file: fields.text("file") ?? "", message: fields.text("message") ?? "")
    case "scenario":
      guard let record = ScenarioRecord(fields) else { return nil }
      self = .ended(record)
    case "coverage": self = .covered(CoverageRecord(fields))
    case "end": self = .finished(RunEnd(fields))
    default: return nil
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
    guard let shard else { return }
    var receipt = EventFields()
    receipt.set("index", shard.index)
    receipt.set("total", shard.total)
    receipt.set("selected", shard.selected)
    receipt.set("selection", shard.selection)
    receipt.set("planned", shard.planned)
    fields.set("shard", receipt.value)
  }

  fileprivate init(_ fields: EventFields) {
    self.init()
    version = fields.number("version") ?? 0
    tool = fields.text("tool") ?? ""
    seed = fields.text("seed").flatMap { UInt64($0) } ?? 0
    isShuffled = fields.flag("shuffled")
    repeats = fields.number("repeats") ?? 1
    guard let value = fields.fields["shard"] else { return }
    let receipt = EventFields(value)
    shard = ShardReceipt(
      index: receipt.number("index") ?? 0, total: receipt.number("total") ?? 0,
      selected: receipt.number("selected") ?? 0, selection: receipt.text("selection") ?? "",
      planned: receipt.texts("planned"))
  }
}

extension RunEnd {
  fileprivate func write(to fields: inout EventFields) {
    for (name, count) in summary.named { fields.set(name, .integer(count)) }
    fields.set("microseconds", microseconds)
    fields.set("stopped", stopped?.rawValue)
  }

  fileprivate init(_ fields: EventFields) {
    var summary = RunSummary()
    summary.passed = fields.number("passed") ?? 0
    summary.failed = fields.number("failed") ?? 0
    summary.skipped = fields.number("skipped") ?? 0
    summary.unloadable = fields.number("unloadable") ?? 0
    summary.broken = fields.number("broken") ?? 0
    self.init(summary)
    microseconds = fields.number("microseconds") ?? 0
    stopped = fields.text("stopped").flatMap(Stopped.init)
  }
}

extension RunSummary {
  fileprivate var named: [(String, Int)] {
    [
      ("passed", passed), ("failed", failed), ("skipped", skipped), ("unloadable", unloadable),
      ("broken", broken),
    ]
  }
}
