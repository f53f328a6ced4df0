import FlowHosting
import FlowKernel

extension Verification {
  /// Checks that a case has a row for each open task, and no other open one but those of notifications.
  static func lookAtTasks(of row: CaseRow, _ reads: CaseReads) throws(JournalError) {
    let path = reads.connection.path
    // Each row is checked as it is read.
    let rows = try SQLTaskRows(connection: reads.connection).all(of: row.id)
    let found = Set(
      rows.filter {
        $0.state.rawValue < StoredTask.State.cancelled.rawValue && $0.task.kind != .notification
      }.map(\.task.key))
    guard let open = try openTasks(of: row, reads) else { return }
    if let key = open.subtracting(found).min(by: { $0.call < $1.call }) {
      throw Damage.error(
        path, "case \"\(row.id)\" waits for task \(key.call.text), which has no row")
    }
    if let key = found.subtracting(open).min(by: { $0.call < $1.call }) {
      throw Damage.error(
        path, "task \(key.call.text) is open, and case \"\(row.id)\" does not wait for it")
    }
  }

  /// Returns the tasks for which a case waits; nil if its contents cannot be read, which is no fault of its tasks.
  private static func openTasks(
    of row: CaseRow, _ reads: CaseReads
  ) throws(JournalError) -> Set<OpenTask.Key>? {
    if row.summary.ended != nil { return [] }
    let found = try reads.find(row)
    if found.snapshot == nil, found.entries.isEmpty { return nil }
    guard let image = try? CaseImage(found.stored(fence: row.fence), of: row.id) else { return nil }
    return Set(image.caseState.effects.values.flatMap(\.waits).compactMap { $0.openTask?.key })
  }
}
