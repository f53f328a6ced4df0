import FlowHosting
import FlowKernel

extension Case {
  /// The case's entries from a number on: what has happened, and then what happens.
  ///
  /// It is not activated for that, and may sleep meanwhile.
  public func entries(from seq: Int = 1) -> CaseEntries {
    CaseEntries(calls: cases.calls, id: id, first: seq, watch: cases.watch)
  }

  /// Entries of the case that are there, in order from a number on, no more than `limit`.
  ///
  /// - Throws: `JournalError`.
  package func page(from seq: Int, limit: Int) async throws(JournalError) -> [JournalEntry] {
    let id = id
    return try await cases.calls.call { try await $0.entries(of: id, from: seq, limit: limit) }
  }
}
