import FlowKernel

/// A journal whose snapshots can be read without becoming a case's writer.
package protocol SnapshotReading: JournalStorage {
  /// Returns the newest or the oldest snapshot of a case that can be read, or nil if there is none.
  func snapshot(of id: String, isNewest: Bool) throws(JournalError) -> StoredSnapshot?

  /// Returns the numbers of cases that have not ended, by the flow of their last entry.
  func livingCases() throws(JournalError) -> [LivingCases]
}

/// The number of cases that have not ended and whose last entry is of one flow.
package struct LivingCases: Sendable, Hashable {
  /// The number of the flow in the journal.
  package let flow: Int
  package let count: Int
  /// The id of the first of these cases.
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
