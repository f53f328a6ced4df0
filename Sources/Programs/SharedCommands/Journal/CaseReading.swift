import ArgumentParser
import FlowHosting
import FlowKernel
import JournalRows

/// A reader of the cases of a journal, for commands.
struct CaseReading {
  /// The name of the journal in messages.
  let name: String
  let rows: ReadOnlyJournal

  /// The number of rows that are read at once.
  private static let page = 200

  init(_ journal: NamedJournal) throws {
    let place = try journal.open()
    (name, rows) = (place.name, ReadOnlyJournal(place))
  }

  /// Calls `body` with each case, in order of id.
  func eachCase(_ body: (CaseSummary) throws -> Void) throws {
    var last: String?
    while true {
      let cases = try rows.cases(whose: nil, after: last, limit: CaseReading.page)
      for each in cases { try body(each) }
      guard cases.count == CaseReading.page, let end = cases.last?.id else { return }
      last = end
    }
  }

  /// Calls `body` with each entry of a case, from a number on.
  func eachEntry(
    of id: String, from seq: Int = 1, _ body: (JournalEntry) throws -> Void
  ) throws {
    var next = max(1, seq)
    while true {
      let entries = try rows.entries(of: id, from: next, limit: CaseReading.page)
      for entry in entries { try body(entry) }
      guard entries.count == CaseReading.page, let end = entries.last?.seq else { return }
      next = end + 1
    }
  }

  /// Returns the summary of a case.
  ///
  /// - Throws: exit code 4 if there is no case of that id.
  func summary(of id: String) throws -> CaseSummary {
    if let summary = try rows.summary(of: id) { return summary }
    Terminal.writeError("moonlatch: \(name) has no case \(id)\n".visible)
    throw ExitStatus.nothingSelected
  }

  /// Returns the only case, which is meant if none is named; nil if there are none or several.
  func onlyCase() throws -> CaseSummary? {
    let cases = try rows.cases(whose: nil, after: nil, limit: 2)
    return cases.count == 1 ? cases[0] : nil
  }

  /// Returns the entry with which the known history of a case begins.
  ///
  /// This is its first entry, or the oldest snapshot if the first entries were dropped.
  func beginning(of summary: CaseSummary) throws -> JournalEntry {
    let first = try rows.entries(of: summary.id, from: 1, limit: 1).first
    if let first, first.body.isEmpty {
      throw JournalError(
        .unreadable, "case \(summary.id) was erased: its history is gone")
    }
    if let first, first.seq == 1 { return first }
    if let snapshot = try rows.snapshot(of: summary.id, isNewest: false) {
      return try snapshot.entry()
    }
    throw JournalError(
      .unreadable,
      "the entries of case \(summary.id) were dropped by a compaction: its history is gone"
    )
  }

  /// Returns the flow with this number.
  func flow(_ number: Int, of id: String) throws(JournalError) -> JournaledFlow {
    if let flow = try rows.flow(number) { return flow }
    throw JournalError(.damaged, "case \(id): the journal has no source of its flow")
  }
}
