import FlowHosting
import FlowKernel
import Synchronization

/// Figures of cases, for a server's metrics.
extension Cases {
  /// How many shards this node holds; nil where the journal is not shared.
  package var leasesHeld: Int? { node?.held.count }

  /// How many effects have not finished since the cases were opened.
  package var failedEffects: Int { watch.failedEffects.load(ordering: .relaxed) }

  /// The effects under way in the cases that are awake.
  package var effectCounts: EffectCounts {
    let hosts = awake.withLock(\.hosts)
    return hosts.reduce(into: EffectCounts()) { $0.add($1.caseWriter?.effects ?? EffectCounts()) }
  }

  /// How many cases have not ended, awake or asleep; nil where the journal does not count.
  ///
  /// - Throws: `JournalError`.
  package func countLiving() async throws(JournalError) -> Int? {
    try await calls.call { journal in
      try (journal as? any SnapshotReading)?.livingCases().reduce(0) { $0 + $1.count }
    }
  }

  /// Has each append to the journal reported once it is kept or has failed, with the time that it took.
  package func onAppend(_ report: @escaping @Sendable (Duration) -> Void) {
    watch.appendReport.withLock { $0 = EntryNotifier.AppendReport(report: report) }
  }
}
