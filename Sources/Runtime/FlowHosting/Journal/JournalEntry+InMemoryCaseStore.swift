import FlowKernel

extension JournalEntry {
  /// True if the table of tasks changes with it.
  package var changesTasks: Bool { hasEnded || !tasks.isEmpty || !notified.isEmpty }

  /// The entry as it is read: without the properties that are available from the summary and the answers alone.
  package var asRead: JournalEntry {
    JournalEntry(seq: seq, flow: flow, wall: wall, body: body, revision: revision)
  }
}
