import FlowLanguage
import LuaRuntime

/// A message from a worker process.
///
/// Most messages say that a scenario begins and that it has passed, so these two are short.
enum WorkerMessage {
  /// A scenario begins; the record is reported if the process does not survive it.
  case begins(job: Int, scenario: ScenarioRecord, index: Int)
  /// The scenario that began last has passed, and there is nothing more to report of it.
  case passed(job: Int, microseconds: Int)
  case event(job: Int, RunEvent)
  case done(job: Int)

  /// Makes the message of an event of the scenario that began last.
  init(_ event: RunEvent, job: Int) {
    if case .ended(let record) = event, record.isPlain {
      self = .passed(job: job, microseconds: record.microseconds)
    } else {
      self = .event(job: job, event)
    }
  }

  var value: Value {
    switch self {
    case .begins(let job, let scenario, let index):
      [
        0, .integer(job), .integer(index), .string(scenario.file), .integer(scenario.line),
        .string(scenario.name), .integer(scenario.attempt),
        .list(scenario.tags.map { .string($0) }),
      ]
    case .event(let job, let event): [1, .integer(job), event.value]
    case .done(let job): [2, .integer(job)]
    case .passed(let job, let microseconds): [3, .integer(job), .integer(microseconds)]
    }
  }

  init?(_ value: Value) {
    guard let parts = value.listValue, parts.count > 1, let job = parts[1].integerValue else {
      return nil
    }
    switch parts[0] {
    case 0:
      guard parts.count > 7, let index = parts[2].integerValue, let file = parts[3].stringValue,
        let line = parts[4].integerValue, let name = parts[5].stringValue,
        let attempt = parts[6].integerValue, let tags = parts[7].listValue
      else { return nil }
      var scenario = ScenarioRecord(file: file, line: line, name: name, status: .crashed)
      scenario.attempt = attempt
      scenario.tags = tags.compactMap(\.stringValue)
      self = .begins(job: job, scenario: scenario, index: index)
    case 1:
      guard parts.count > 2, let event = try? RunEvent(OutsideFields(parts[2])) else { return nil }
      self = .event(job: job, event)
    case 3:
      guard parts.count > 2, let microseconds = parts[2].integerValue else { return nil }
      self = .passed(job: job, microseconds: microseconds)
    default: self = .done(job: job)
    }
  }
}

extension ScenarioRecord {
  /// True if the record only says that the scenario has passed and how long it took.
  fileprivate var isPlain: Bool {
    status == .passed && printed.isEmpty && steps.isEmpty && earlierSteps == 0 && problem == nil
      && reason == nil
  }
}

/// A piece of work for one worker: scenarios of one file.
package struct RunJob: Sendable {
  /// The position of the job in the report.
  package var number: Int
  package var item: Selection.Item
  /// The numbers of the scenarios; nil for those that the item's lines select.
  package var entries: [Int]?
  /// The number of the repetition, counted from 1.
  package var attempt = 1
  /// The number of the scenario after which to continue, because those up to it have run.
  var after = 0

  package init(number: Int, item: Selection.Item, entries: [Int]? = nil, attempt: Int = 1) {
    self.number = number
    self.item = item
    self.entries = entries
    self.attempt = attempt
  }

  var value: Value {
    let lines: Value = .list(item.lines.sorted().map(Value.integer))
    let entries: Value = self.entries.map { .list($0.map(Value.integer)) } ?? .nil
    let problem: Value = item.problem.map(Value.string) ?? .nil
    let folders: Value = .list(item.reach.folders.map(Value.string))
    return .list([
      .integer(number), .string(item.path), .string(item.name), lines, entries, .integer(attempt),
      .integer(after), problem, folders,
    ])
  }

  /// Reads a job from a value; returns nil if `value` does not produce such values.
  init?(_ value: Value) {
    guard let parts = value.listValue, parts.count == 9, let number = parts[0].integerValue,
      let path = parts[1].stringValue, let name = parts[2].stringValue,
      let lines = parts[3].listValue, let attempt = parts[5].integerValue,
      let after = parts[6].integerValue, let folders = parts[8].listValue
    else { return nil }
    self.init(
      number: number,
      item: Selection.Item(
        path: path, name: name, lines: Set(lines.compactMap(\.integerValue)),
        problem: parts[7].stringValue,
        reach: PathSandbox(resolved: folders.compactMap(\.stringValue))),
      entries: parts[4].listValue?.compactMap(\.integerValue), attempt: attempt)
    self.after = after
  }
}
