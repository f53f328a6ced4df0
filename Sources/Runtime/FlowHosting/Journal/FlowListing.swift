import FlowKernel

/// A journal that lists the texts of flows that it has.
package protocol FlowListing: JournalStorage {
  /// Returns the numbers of all stored flows, in order.
  func flowNumbers() throws(JournalError) -> [Int]
}

extension MemoryJournal: FlowListing {}
