import FlowKernel

extension JournalEntry {
  /// The entry as it is read again: without what only the case's summary and answers tell then.
  package var asRead: JournalEntry {
    JournalEntry(seq: seq, flow: flow, wall: wall, body: body, revision: revision)
  }
}
