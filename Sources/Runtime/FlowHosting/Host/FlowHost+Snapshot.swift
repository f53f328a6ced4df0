import FlowKernel
import FlowLanguage
import LuaRuntime

extension FlowHost {
  /// Returns a snapshot of the host.
  ///
  /// - Throws: `AgentError` if the host is called from inside itself, or was stopped; `ScriptError` if there
  ///   is not enough memory.
  public func snapshot() throws -> Snapshot {
    try use { engine in Result { try self.snapshot(of: engine) } }.get()
  }

  /// Returns a snapshot of the host, and blocks no thread.
  package func snapshotWhenFree() async throws -> Snapshot {
    try await useWhenFree { engine in Result { try self.snapshot(of: engine) } }.get()
  }

  private func snapshot(of engine: Engine) throws -> Snapshot {
    let flow = loaded.withLock { $0 }
    settings.setWall(of: engine)
    return Snapshot(
      flow: flow.name, version: flow.flow.version, revision: engine.revision,
      texts: flow.texts.map { [$0.name, $0.text] },
      body: try engine.image())
  }

  /// Restores a host from a snapshot of another, as after a restart.
  ///
  /// If the flow's text differs from the snapshot's, it adopts the state as a reload does. Effects that were
  /// running end as `on_error` says.
  ///
  /// - Throws: as `init(_:options:scopes:)`; `JournalError` if the snapshot cannot be read; `HistoryError` or
  ///   `DispatchFailure` if it does not fit the flow.
  public convenience init(
    _ flow: LoadedFlow, restoring snapshot: Snapshot, options: HostOptions = HostOptions(),
    scopes: (inout HostScopes) -> Void = { _ in }
  ) throws {
    var builder = HostScopes()
    scopes(&builder)
    let settings = HostSettings(options, builder, flow: flow.name)
    let image: CaseImage
    do throws(ValueReader.Malformed) {
      image = try CaseImage(image: snapshot.body)
    } catch {
      throw JournalError(
        .unreadable,
        "this version of Moonlatch cannot read the snapshot of \(snapshot.flow)")
    }
    let engine = try settings.engine(flow)
    let texts = flow.texts.map { [$0.name, $0.text] }
    if texts == snapshot.texts {
      try engine.take(image)
    } else {
      let old = try settings.engine(
        LoadedFlow(
          FlowSources(kept: snapshot.kept), limits: options.limits, log: options.log(of: flow.name))
      )
      try old.take(image)
      try engine.adoptState(of: old)
    }
    try self.init(flow, settings, engine, resuming: image.caseState.clock)
  }
}
