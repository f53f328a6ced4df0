/// The numbers of rows that a compaction has deleted.
public struct JournalCompaction: Sendable, Hashable {
  /// Entries whose changes are also in a snapshot.
  public package(set) var entries = 0
  /// Answers to keys: a dispatch with such a key would run again.
  public package(set) var answers = 0
  /// Ended cases of which only the id is left, so that it is never used again.
  public package(set) var cases = 0

  package init(entries: Int = 0, answers: Int = 0, cases: Int = 0) {
    (self.entries, self.answers, self.cases) = (entries, answers, cases)
  }
}
