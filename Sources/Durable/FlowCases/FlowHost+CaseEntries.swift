import FlowHosting
import FlowKernel

extension FlowHost {
  /// Returns the entries of the host's case from a number on: the stored ones, and then each new one once it is stored.
  ///
  /// - Throws: `JournalError` if the host has no journal.
  public func entries(from seq: Int = 1) throws(JournalError) -> CaseEntries {
    guard let caseWriter else {
      throw JournalError(.closed, "entries are read from a journal, and \(name) has none")
    }
    return CaseEntries(
      calls: caseWriter.calls, id: caseWriter.id, first: seq, watch: caseWriter.watch)
  }
}
