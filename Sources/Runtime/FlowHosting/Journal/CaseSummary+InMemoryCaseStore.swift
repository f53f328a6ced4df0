import FlowKernel

extension CaseSummary {
  /// Returns the summary of the case after one more entry.
  package func followed(by entry: JournalEntry) -> CaseSummary {
    CaseSummary(
      id: id, seq: entry.seq, revision: entry.revision, flow: entry.flow, born: born,
      wall: entry.wall, due: entry.hasEnded ? nil : entry.due, machines: entry.machines ?? machines,
      ended: entry.hasEnded ? entry.wall : ended)
  }
}
