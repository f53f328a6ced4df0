import JournalRows
import Moonlatch

/// A journal that is read and never written, for whoever tries what a case would do: activating a case puts nobody
/// out, and what is appended is forgotten.
package final class ReadOnlyJournal: SnapshotReading {
  private let reader: JournalReader

  package init(_ reader: JournalReader) { self.reader = reader }

  package func keep(_ flow: JournaledFlow) throws(JournalError) -> Int { 0 }

  package func flow(_ number: Int) throws(JournalError) -> JournaledFlow? {
    try reader.flow(number)
  }

  package func activate(_ id: String) throws(JournalError) -> StoredCase? { try reader.find(id) }

  package func append(
    _ entries: [JournalEntry], to id: String, fence: Int,
    _ done: @escaping @Sendable (JournalError?) -> Void
  ) { done(nil) }

  package func keep(_ snapshot: StoredSnapshot, of id: String, fence: Int) {}

  package func snapshot(of id: String, isNewest: Bool) throws(JournalError) -> StoredSnapshot? {
    try reader.snapshot(of: id, isNewest: isNewest)
  }

  package func answer(to key: String, of id: String) throws(JournalError) -> KeyedAnswer? {
    try reader.answer(to: key, of: id)
  }

  package func entries(
    of id: String, from seq: Int, limit: Int
  ) throws(JournalError) -> [JournalEntry] {
    try reader.entries(of: id, from: seq, limit: limit)
  }

  package func cases(
    whose machine: (name: String, state: String)?, after id: String?, limit: Int
  ) throws(JournalError) -> [CaseSummary] {
    try reader.cases(whose: machine, after: id, limit: limit)
  }

  package func summary(of id: String) throws(JournalError) -> CaseSummary? {
    try reader.summary(of: id)
  }

  package func due(until time: Int, limit: Int) throws(JournalError) -> [String] { [] }

  package func nextDue(after time: Int) throws(JournalError) -> Int? { nil }

  package func close() throws(JournalError) {}
}
