import FlowHosting
import FlowKernel
import FlowLanguage
import LuaRuntime

/// Reloading the flow of all cases.
extension Cases {
  /// The number of cases that take over a reloaded flow at once.
  private static let reloadedAtOnce = 16

  /// Loads the flow's text again, for all cases.
  ///
  /// If the new text has faults, the old flow keeps running and the error says why. Otherwise as
  /// `reload(to:)`.
  ///
  /// - Returns: the cases that are awake and do not fit.
  /// - Throws: `FlowError` or `ScriptError` if the text cannot be loaded; as `reload(to:)`.
  @discardableResult
  public func reload() async throws -> [CaseReloadFailure] {
    let old = flow
    return try await reload(
      to: LoadedFlow(
        old.compiled.sources, limits: options.limits, log: options.log(of: old.name)))
  }

  /// Replaces the flow of all cases by one that was loaded before.
  ///
  /// ```swift
  /// let misfits = try await orders.reload(to: LoadedFlow(URL(filePath: "order.lua")))
  /// ```
  ///
  /// Cases that are awake take it over at once, and keep what is running, as `FlowHost.reload()` does; those
  /// that sleep take it over when they are activated, and are migrated then. A case that does not fit keeps
  /// running the old text as long as it is awake. Subscriptions and sequences of values continue. On a journal
  /// that several nodes share, each node is reloaded by itself.
  ///
  /// - Returns: the cases that are awake and do not fit.
  /// - Throws: `HostError` if the flow does not declare a scope to which capabilities are provided;
  ///   `JournalError` if the journal belongs to another flow, or the cases are closed.
  @discardableResult
  public func reload(to flow: LoadedFlow) async throws -> [CaseReloadFailure] {
    if isClosed { throw closed }
    // An engine is made once, so that faults of the scopes are reported before anything has changed.
    var builder = HostScopes()
    scopes(&builder)
    _ = try HostSettings(options, builder, flow: flow.name).engine(flow)
    let (name, adopts) = (flow.flow.name, options.adoptsJournal)
    _ = try await calls.call { try await $0.identify(as: name, adopting: adopts) }
    adopt(flow)
    // A case that was being activated with the old text is among these: it had its place before.
    let ids = awake.withLock(\.ids)
    return await withTaskGroup(of: CaseReloadFailure?.self) { group in
      var failures: [CaseReloadFailure] = []
      for (index, id) in ids.enumerated() {
        if index >= Cases.reloadedAtOnce, let ended = await group.next(), let failure = ended {
          failures.append(failure)
        }
        group.addTask { await self.reload(id) }
      }
      for await failure in group { if let failure { failures.append(failure) } }
      return failures.sorted { $0.id < $1.id }
    }
  }

  /// Has a case take over the present flow, and reports it if it does not fit.
  private func reload(_ id: String) async -> CaseReloadFailure? {
    do {
      try await use(id) { host in
        let flow = self.flow
        // Nothing is added to a case that has ended.
        if host.flow === flow || host.caseWriter?.hasEnded == true { return }
        try await host.reloadWhenFree(to: flow)
      }
      return nil
    } catch {
      if isClosed { return nil }
      let failure = CaseReloadFailure(id: id, error: error)
      options.report(
        HostReport(
          .reloadFailed, from: HostName(id: id, flow: flow.name),
          "the case keeps the old flow: \(error)"))
      return failure
    }
  }
}
