import FlowKernel
import LuaRuntime
import Platform
import Scenarios

/// The receivers of the events of a run: the terminal, the reports, the record of the last run.
final class RunOutput {
  private let text: TextReport
  private let paint: Paint
  private let reports: [ReportFile]
  private let status = StatusLine()
  private let writesToErrors: Bool
  private let start = ContinuousClock.now
  private(set) var summary = RunSummary()
  /// The ids of the scenarios that ran; `failed` has those that failed.
  private(set) var ran: [String] = []
  private(set) var failed: Set<String> = []
  private var coverage = MergedCoverage()
  private let coverageMin: Double?
  /// True if a restart follows every turn.
  private let hasRestarts: Bool
  /// True if the coverage is below the required minimum.
  private(set) var lacksCoverage = false

  init(
    _ text: TextReport, coverageMin: Double?, hasRestarts: Bool = false, reports: [ReportFile]
  ) {
    self.coverageMin = coverageMin
    self.hasRestarts = hasRestarts
    self.text = text
    self.reports = reports
    // A report on standard output must have it to itself.
    writesToErrors = reports.contains(where: \.takesOutput)
    paint = Paint(descriptor: writesToErrors ? STDERR_FILENO : STDOUT_FILENO)
  }

  func show(_ progress: Batch.Progress) { status.show(progress) }

  /// Receives an event of a run; coverage is reported at the end, for all scenarios together.
  func take(_ event: RunEvent) throws {
    if case .covered(let record) = event { coverage.add(record) } else { try hear(event) }
  }

  func hear(_ event: RunEvent) throws {
    summary.count(event)
    remember(event)
    if case .finished(let end) = event, end.summary.isEmpty, end.stopped == nil {
      // Nothing was selected: that is reported on standard error.
    } else if case .nothing(let message) = event {
      status.clear()
      Terminal.writeError("moonlatch: \(message)\n")
    } else if let text = text.text(for: event) {
      write(paint.text(text) + time(of: event) + "\n")
    }
    for report in reports { try report.hear(event) }
  }

  /// Writes a line of the run itself.
  func write(_ text: String) {
    status.clear()
    if writesToErrors { Terminal.writeError(text) } else { Terminal.writeOutput(text) }
  }

  /// Ends the run.
  func finish(_ stopped: RunEnd.Stopped?) throws -> RunEnd {
    status.clear()
    for event in coverage.events {
      try hear(event)
      if case .covered(let record) = event { tellShortfall(of: record) }
    }
    var end = RunEnd(summary)
    end.microseconds = Int((ContinuousClock.now - start) / .microseconds(1))
    end.stopped = stopped
    end.hasRestarts = hasRestarts
    try hear(.finished(end))
    return end
  }

  /// Reports the kinds of coverage of a flow that are below the minimum.
  private func tellShortfall(of record: CoverageRecord) {
    guard let coverageMin else { return }
    let parts = record.parts(below: coverageMin)
    if parts.isEmpty { return }
    lacksCoverage = true
    let list = parts.map { "\($0.kind) \(Int($0.percent)) %" }.joined(separator: ", ")
    let least = Value.number(coverageMin).text(limit: 20).replacing(/\.0$/, with: "")
    write("coverage of \(record.flow.visibleLine) is below \(least) %: \(list)\n")
  }

  /// Returns the duration of the run on a terminal; nothing in a pipe, so that two runs print the same.
  private func time(of event: RunEvent) -> String {
    guard case .finished(let end) = event, paint.isOn else { return "" }
    let milliseconds = Double(end.microseconds) / 1000
    switch milliseconds {
    case ..<1_000: return " in \(Int(milliseconds.rounded())) ms"
    case ..<60_000: return " in " + DurationText.text((milliseconds / 10).rounded() / 100)
    default: return " in " + DurationText.text((milliseconds / 1_000).rounded())
    }
  }

  private func remember(_ event: RunEvent) {
    let id: String
    switch event {
    case .ended(let record): id = record.id
    case .unloadable(let file, _): id = file
    default: return
    }
    ran.append(id)
    if !event.isWell { failed.insert(id) }
  }
}
