import FlowHosting
import FlowKernel
import FlowLanguage
import LuaRuntime

extension Cases {
  /// The cases that the flow cannot take over; none of a journal whose snapshots cannot be read.
  package func unfit() async throws(JournalError) -> [UnfitCases] {
    let flow = flow
    return try await calls.call { journal in
      guard let journal = journal as? any SnapshotReading else { return [] }
      return try await UnfitCases.find(for: flow, in: journal)
    }
  }
}
