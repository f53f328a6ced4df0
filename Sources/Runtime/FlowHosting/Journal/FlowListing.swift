import FlowKernel

/// A journal that says which texts of flows it has.
package protocol FlowListing: Journal {
  /// The numbers of all flows that are kept, in order.
  func flowNumbers() throws(JournalError) -> [Int]
}

extension MemoryJournal: FlowListing {}
