import FlowHosting
import FlowKernel

extension FlowHost {
  /// The entries of the host's case from a number on: what has happened, and then what happens.
  ///
  /// - Throws: `JournalError`, where the host keeps no journal.
  public func entries(from seq: Int = 1) throws(JournalError) -> CaseEntries {
    guard let caseWriter else {
      throw JournalError(.closed, "entries are read from a journal, and \(name) has none")
    }
    return CaseEntries(
      calls: caseWriter.calls, id: caseWriter.id, first: seq, watch: caseWriter.watch)
  }
}
