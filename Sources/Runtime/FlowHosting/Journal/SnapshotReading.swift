import FlowKernel

/// A journal whose snapshots are read by who does not become a case's writer.
package protocol SnapshotReading: Journal {
  /// The newest or the oldest snapshot of a case that can be read; nil where there is none.
  func snapshot(of id: String, isNewest: Bool) throws(JournalError) -> StoredSnapshot?

  /// The cases that have not ended, counted by the flow that was last at work in them.
  func livingCases() throws(JournalError) -> [LivingCases]
}

/// How many cases that have not ended a flow was last at work in.
package struct LivingCases: Sendable, Hashable {
  /// The flow, as the journal numbers it.
  package let flow: Int
  package let count: Int
  /// The id of the first of them.
  package let first: String

  package init(flow: Int, count: Int, first: String) {
    (self.flow, self.count, self.first) = (flow, count, first)
  }
}

extension MemoryJournal: SnapshotReading {
  package func snapshot(of id: String, isNewest: Bool) throws(JournalError) -> StoredSnapshot? {
    let all = try snapshots(of: id)
    return isNewest ? all.last : all.first
  }
}
