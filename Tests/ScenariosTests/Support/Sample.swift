import FlowKernel
import FlowLanguage

@testable import Scenarios

/// Events in which every field has a value.
enum Sample {
  static var record: ScenarioRecord {
    var record = ScenarioRecord(file: "a/b.scenario.lua", line: 7, name: "it", status: .failed)
    record.tags = ["slow", "smoke"]
    record.attempt = 2
    record.microseconds = 1_234_567
    record.printed = ["one", "two"]
    record.earlierSteps = 3
    var problem = ProblemRecord(kind: "expectation", message: "no good")
    problem.file = "a/b.scenario.lua"
    problem.line = 9
    problem.source = [
      SourceExcerpt.Line(number: 8, text: "before", isMarked: false),
      SourceExcerpt.Line(number: 9, text: "here", isMarked: true),
    ]
    problem.calls = ["called from x:1"]
    problem.mismatches = [Mismatch(path: "n", expected: "2", found: "1")]
    problem.decisions = [
      Decision(by: "gate push", agreed: true, place: SourcePlace(file: "f.lua", line: 3))
    ]
    record.problem = problem
    record.steps = [step, refused]
    return record
  }

  static var step: StepRecord {
    var step = StepRecord(action: "coin", outcome: .passed)
    step.payload = "{ amount = 1 }"
    step.revision = 4
    step.cause = 3
    step.microseconds = 1_500_000
    step.transitions = ["arm: locked -coin-> unlocked"]
    step.changes = [
      StepRecord.Change(operation: .set, path: "n", old: "0", new: "1"),
      StepRecord.Change(operation: .set, path: "arm", old: "0", new: "1", by: "always"),
      StepRecord.Change(operation: .insert, path: "l[1]", old: "nil", new: "2"),
      StepRecord.Change(operation: .remove, path: "l[2]", old: "3", new: "nil"),
    ]
    step.moreChanges = 5
    return step
  }

  static var refused: StepRecord {
    var step = StepRecord(action: "push", outcome: .refused)
    step.by = "gate push"
    step.message = "refused by gate push: no"
    step.place = "f.lua:3"
    step.calls = ["called from y:2"]
    return step
  }

  static var header: RunHeader {
    var header = RunHeader()
    header.tool = "moonlatch 1"
    header.seed = .max
    header.isShuffled = true
    header.repeats = 3
    header.shard = shard(1, of: 2, planned: ["a", "b"], selected: 3)
    return header
  }

  static func shard(_ index: Int, of total: Int, planned: [String], selected: Int) -> ShardReceipt {
    ShardReceipt(
      index: index, total: total, selected: selected, selection: "abc", planned: planned)
  }

  static func end(_ change: (inout RunEnd) -> Void = { _ in }) -> RunEvent {
    var end = RunEnd(RunSummary())
    change(&end)
    return .finished(end)
  }

  /// The report of the events in this format.
  static func report(_ format: ReportFormat, _ events: [RunEvent]) -> String {
    var report = format.report
    return events.map { report.text(for: $0) }.joined()
  }
}
