/// A journal whose snapshots are read by who does not become a case's writer.
package protocol SnapshotReading: Journal {
  /// The newest or the oldest snapshot of a case that can be read; nil where there is none.
  func snapshot(of id: String, isNewest: Bool) throws(JournalError) -> StoredSnapshot?
}

extension MemoryJournal: SnapshotReading {
  package func snapshot(of id: String, isNewest: Bool) throws(JournalError) -> StoredSnapshot? {
    let all = try snapshots(of: id)
    return isNewest ? all.last : all.first
  }
}
