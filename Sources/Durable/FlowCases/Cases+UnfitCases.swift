import FlowHosting
import FlowKernel
import FlowLanguage
import LuaRuntime

extension Cases {
  /// Returns the cases that the flow cannot take over; none if the journal's snapshots cannot be read.
  package func unfit() async throws(JournalError) -> [UnfitCases] {
    let flow = flow
    return try await calls.call { journal in
      guard let journal = journal as? any SnapshotReading else { return [] }
      return try await UnfitCases.find(for: flow, in: journal)
    }
  }
}
