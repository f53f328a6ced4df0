import FlowHosting
import FlowKernel

/// A reader of a journal's rows, which writes none.
package protocol RowReader: Sendable {
  /// Runs `body` with a connection.
  func read<T>(_ body: (CaseReads) throws(JournalError) -> T) throws(JournalError) -> T

  /// Returns a sentence for each fault outside the journal's tables.
  func faultsBeside() throws(JournalError) -> [String]
}

extension RowReader {
  package func faultsBeside() throws(JournalError) -> [String] { [] }
}

/// A journal that is read and never written, to try out a case.
///
/// Activating a case does not fence its writer, and appended entries are discarded.
///
/// It is not a node of a shared journal.
package final class ReadOnlyJournal: SnapshotReading {
  let reader: any RowReader

  package init(_ reader: any RowReader) { self.reader = reader }

  package func identify(
    as flow: String, adopting: Bool
  ) throws(JournalError) -> JournalIdentity {
    try reader.read { (reads) throws(JournalError) in
      try JournalRow.read(on: reads.connection).claimed(
        by: flow, adopting: adopting, in: reads.connection.path)
    }
  }

  package func livingCases() throws(JournalError) -> [LivingCases] {
    try reader.read { (reads) throws(JournalError) in try reads.livingCases() }
  }

  package func keep(_ flow: JournaledFlow) throws(JournalError) -> Int { 0 }

  package func flow(_ number: Int) throws(JournalError) -> JournaledFlow? {
    try reader.read { (reads) throws(JournalError) in
      try FlowRow.read(number, on: reads.connection)
    }
  }

  package func activate(_ id: String) throws(JournalError) -> StoredCase? {
    try reader.read { (reads) throws(JournalError) in try reads.find(id)?.stored(fence: 0) }
  }

  package func append(
    _ entries: [JournalEntry], to id: String, fence: Int,
    _ done: @escaping @Sendable (JournalError?) -> Void
  ) { done(nil) }

  package func keep(_ snapshot: StoredSnapshot, of id: String, fence: Int) {}

  package func snapshot(of id: String, isNewest: Bool) throws(JournalError) -> StoredSnapshot? {
    try reader.read { (reads) throws(JournalError) in
      try reads.snapshot(of: id, isNewest: isNewest)
    }
  }

  package func answer(to key: String, of id: String) throws(JournalError) -> KeyedAnswer? {
    try reader.read { (reads) throws(JournalError) in try reads.answer(to: key, of: id) }
  }

  package func entries(
    of id: String, from seq: Int, limit: Int
  ) throws(JournalError) -> [JournalEntry] {
    try reader.read { (reads) throws(JournalError) in
      try reads.entries(of: id, from: seq, limit: limit)
    }
  }

  package func cases(
    whose machine: (name: String, state: String)?, after id: String?, limit: Int
  ) throws(JournalError) -> [CaseSummary] {
    try reader.read { (reads) throws(JournalError) in
      try reads.cases(whose: machine, after: id, limit: limit)
    }
  }

  package func summary(of id: String) throws(JournalError) -> CaseSummary? {
    try reader.read { (reads) throws(JournalError) in try reads.summary(of: id) }
  }

  package func due(until time: Int, limit: Int) throws(JournalError) -> [String] { [] }

  package func nextDue(after time: Int) throws(JournalError) -> Int? { nil }

  /// Verifies the whole journal.
  package func verify() throws(JournalError) -> JournalFindings {
    try Verification.run(reader)
  }

  package func close() throws(JournalError) {}
}
