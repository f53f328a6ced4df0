import FlowHosting
import FlowKernel
import FlowLanguage
import LuaRuntime

/// Cases of a journal that the present text of their flow cannot take over.
///
/// They are found by a trial: for each text that has left cases, the first of its cases is taken over in memory.
package struct UnfitCases: Sendable, Hashable, CustomStringConvertible {
  /// The file of the text of their last entries.
  package let flow: String
  /// The version of that text.
  package let version: Int
  /// The number of such cases.
  package let count: Int
  /// The id of the case that was tried.
  package let first: String
  /// A sentence that says why it does not fit.
  package let reason: String

  package var description: String {
    "\(count) \(count == 1 ? "case" : "cases") of \(flow), version \(version), "
      + "\(count == 1 ? "does" : "do") not fit this flow: \(first): \(reason)"
  }

  /// Returns the cases that a flow cannot take over; the journal is only read.
  ///
  /// - Throws: `JournalError` if the journal cannot be read.
  package static func find(
    for flow: LoadedFlow, in journal: any SnapshotReading
  ) async throws(JournalError) -> [UnfitCases] {
    var unfit: [UnfitCases] = []
    for living in try journal.livingCases() {
      guard let kept = try await journal.flow(living.flow), kept.hash != flow.flow.hash else {
        continue
      }
      guard let reason = try await misfit(living.first, of: kept, for: flow, in: journal) else {
        continue
      }
      unfit.append(
        UnfitCases(
          flow: kept.name, version: kept.version, count: living.count, first: living.first,
          reason: reason))
    }
    return unfit
  }

  /// Returns why a case does not fit; nil if it does.
  private static func misfit(
    _ id: String, of kept: JournaledFlow, for flow: LoadedFlow, in journal: any SnapshotReading
  ) async throws(JournalError) -> String? {
    let snapshot = try journal.snapshot(of: id, isNewest: true)
    let entries = try await journal.entries(of: id, from: (snapshot?.seq ?? 0) + 1, limit: .max)
    if snapshot == nil, entries.first?.body.isEmpty ?? true { return nil }
    let stored = StoredCase(
      fence: 0, birth: .init(time: 0, seed: 0), snapshot: snapshot, entries: entries)
    do {
      let log = ScriptLog { _ in }
      let image = try CaseImage(stored, of: id)
      let old = try Engine(LoadedFlow(kept), limits: flow.limits, log: log, seed: 0)
      try old.take(image)
      let new = try Engine(flow, limits: flow.limits, log: log, seed: 0)
      try new.adoptState(of: old)
      return nil
    } catch let failure as DispatchFailure {
      return failure.summary
    } catch let error as ScriptError {
      return error.summary
    } catch {
      return "\(error)"
    }
  }
}
