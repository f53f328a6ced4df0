/// An image of a case after one of its entries.
package struct StoredSnapshot: Sendable, Hashable {
  /// The number of the entry after which it was taken.
  package let seq: Int
  /// The number of the flow that ran, in the journal.
  package let flow: Int
  /// The content of the snapshot, in Moonlatch's encoding.
  package let body: [UInt8]

  /// Makes a snapshot.
  package init(seq: Int, flow: Int, body: [UInt8]) {
    (self.seq, self.flow, self.body) = (seq, flow, body)
  }
}
