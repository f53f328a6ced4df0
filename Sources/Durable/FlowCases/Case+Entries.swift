import FlowHosting
import FlowKernel

extension Case {
  /// Returns the case's entries from a number on: the stored ones, and then each new one once it is stored.
  ///
  /// This does not activate the case, and does not keep it awake.
  public func entries(from seq: Int = 1) -> CaseEntries {
    CaseEntries(calls: cases.calls, id: id, first: seq, watch: cases.watch)
  }

  /// Returns up to `limit` stored entries of the case, in order from a number on.
  ///
  /// - Throws: `JournalError`.
  package func page(from seq: Int, limit: Int) async throws(JournalError) -> [JournalEntry] {
    let id = id
    return try await cases.calls.call { try await $0.entries(of: id, from: seq, limit: limit) }
  }
}
