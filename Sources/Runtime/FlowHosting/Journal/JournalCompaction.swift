/// What a compaction has taken away.
public struct JournalCompaction: Sendable, Hashable {
  /// Entries that a snapshot says, too.
  public package(set) var entries = 0
  /// Answers to keys: such a key would be done once more.
  public package(set) var answers = 0
  /// Ended cases of which nothing is left but the id, so that it is never born again.
  public package(set) var cases = 0

  package init(entries: Int = 0, answers: Int = 0, cases: Int = 0) {
    (self.entries, self.answers, self.cases) = (entries, answers, cases)
  }
}
