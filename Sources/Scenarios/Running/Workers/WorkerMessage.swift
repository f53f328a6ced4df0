import Moonlatch

/// What a worker process tells.
enum WorkerMessage {
  /// A scenario begins: what is to be told of it if the process does not survive it.
  case begins(job: Int, scenario: ScenarioRecord, index: Int)
  case event(job: Int, RunEvent)
  case done(job: Int)

  var value: Value {
    switch self {
    case .begins(let job, let scenario, let index):
      var fields = EventFields()
      scenario.write(to: &fields)
      return [0, .integer(job), .integer(index), fields.value]
    case .event(let job, let event): return [1, .integer(job), event.value]
    case .done(let job): return [2, .integer(job)]
    }
  }

  init?(_ value: Value) {
    guard let parts = value.listValue, parts.count > 1, let job = parts[1].integerValue else {
      return nil
    }
    switch parts[0] {
    case 0:
      guard parts.count > 3, let index = parts[2].integerValue,
        let scenario = ScenarioRecord(EventFields(parts[3]))
      else { return nil }
      self = .begins(job: job, scenario: scenario, index: index)
    case 1:
      guard parts.count > 2, let event = RunEvent(parts[2]) else { return nil }
      self = .event(job: job, event)
    default: self = .done(job: job)
    }
  }
}

/// A piece of work for one worker: scenarios of one file.
package struct RunJob: Sendable {
  /// Where the job stands in the report.
  package var number: Int
  package var item: Selection.Item
  /// The numbers of the scenarios; nil for those that the item's lines select.
  package var entries: [Int]?
  /// Which of several runs this is, counted from 1.
  package var attempt = 1
  /// The number of the scenario after which to go on: those before it have run.
  var after = 0

  package init(number: Int, item: Selection.Item, entries: [Int]? = nil, attempt: Int = 1) {
    self.number = number
    self.item = item
    self.entries = entries
    self.attempt = attempt
  }

  var value: Value {
    var fields = EventFields()
    fields.set("number", number)
    fields.set("path", item.path)
    fields.set("name", item.name)
    fields.set("lines", item.lines.sorted().map { Value.integer($0) })
    if let entries { fields.set("entries", Value.list(entries.map { .integer($0) })) }
    fields.set("attempt", attempt)
    fields.set("after", after)
    return fields.value
  }

  init(_ value: Value) {
    let fields = EventFields(value)
    number = fields.number("number") ?? 0
    item = Selection.Item(
      path: fields.text("path") ?? "", name: fields.text("name") ?? "",
      lines: Set(fields.list("lines").compactMap(\.integerValue)))
    entries = fields.fields["entries"]?.listValue?.compactMap(\.integerValue)
    attempt = fields.number("attempt") ?? 1
    after = fields.number("after") ?? 0
  }
}

extension PlaySettings {
  var value: Value {
    var fields = EventFields()
    fields.set("seed", String(seed))
    fields.set("every_step", tellsEveryStep)
    fields.set("coverage", notesCoverage)
    fields.set("snapshots", snapshots.rawValue)
    return fields.value
  }

  init(_ value: Value) {
    self.init()
    let fields = EventFields(value)
    seed = fields.text("seed").flatMap { UInt64($0) } ?? 0
    tellsEveryStep = fields.flag("every_step")
    notesCoverage = fields.flag("coverage")
    snapshots = fields.text("snapshots").flatMap(Snapshots.Policy.init) ?? .keep
  }
}
