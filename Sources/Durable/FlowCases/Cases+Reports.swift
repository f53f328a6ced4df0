import FlowHosting
import FlowKernel
import Synchronization

/// Counts of cases and effects, for a server's metrics.
extension Cases {
  /// The number of shards that this node holds; nil if the journal is not shared.
  package var leasesHeld: Int? { node?.held.count }

  /// The number of effects that have failed since the cases were opened.
  package var failedEffects: Int { watch.failedEffects.load(ordering: .relaxed) }

  /// The numbers of running effects in the cases that are awake.
  package var effectCounts: EffectCounts {
    let hosts = awake.withLock(\.hosts)
    return hosts.reduce(into: EffectCounts()) { $0.add($1.caseWriter?.effects ?? EffectCounts()) }
  }

  /// Returns the number of cases that have not ended, awake or asleep; nil if the journal does not count them.
  ///
  /// - Throws: `JournalError`.
  package func countLiving() async throws(JournalError) -> Int? {
    try await calls.call { journal in
      try (journal as? any SnapshotReading)?.livingCases().reduce(0) { $0 + $1.count }
    }
  }

  /// Sets a function that is called with the time that each append took, once it is stored or has failed.
  package func onAppend(_ report: @escaping @Sendable (Duration) -> Void) {
    watch.appendReport.withLock { $0 = EntryNotifier.AppendReport(report: report) }
  }
}
