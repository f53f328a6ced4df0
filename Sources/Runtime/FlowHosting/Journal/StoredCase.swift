/// A case as a journal returns it to its new writer.
package struct StoredCase: Sendable {
  /// The fence of this activation, which is higher than that of each earlier one.
  package let fence: Int
  /// The birth of the case.
  package let birth: JournalEntry.Birth
  /// The newest snapshot that can be read; nil if the case has to be read from entry 1 on.
  package let snapshot: StoredSnapshot?
  /// The entries behind the snapshot, in order, or all entries if there is none; empty if the case was
  /// erased, or ended so long ago that its entries were dropped.
  package let entries: [JournalEntry]
  /// The time at which the case ended, in microseconds since 1970; nil if it has not ended.
  package let ended: Int?
  /// The open tasks of the case, as their rows say; nil if the journal has no table of tasks.
  package let tasks: StoredTasks?

  /// Makes a stored case.
  package init(
    fence: Int, birth: JournalEntry.Birth, snapshot: StoredSnapshot?, entries: [JournalEntry],
    ended: Int? = nil, tasks: StoredTasks? = nil
  ) {
    (self.fence, self.birth, self.snapshot) = (fence, birth, snapshot)
    (self.entries, self.ended, self.tasks) = (entries, ended, tasks)
  }
}
