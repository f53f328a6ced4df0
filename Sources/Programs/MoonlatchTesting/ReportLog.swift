import FlowKernel
import Platform

/// The reports of a host that is tested.
final class ReportLog: Sendable {
  private let reports = Mutex<[HostReport]>([])

  /// The kinds that a test does not overlook: something in the flow or its capabilities went wrong.
  private static let serious: Set<HostReport.Kind> = [
    .effectFailed, .actionFailed, .cleanUpFailed, .errorUnhandled, .capabilityMissing,
  ]

  func add(_ report: HostReport) { reports.withLock { $0.append(report) } }

  /// All reports, oldest first.
  var all: [HostReport] { reports.withLock { $0 } }

  /// The reports of which a test must know.
  var unexpected: [HostReport] { all.filter { ReportLog.serious.contains($0.kind) } }
}
