import FlowKernel
import LuaRuntime

/// A host as one kind of running flow.
extension FlowHost: FlowInstance {
  /// The type of a scope that a host opens.
  public typealias OpenedScope = HostScopeInstance

  /// Returns the value of a view, and the revision at which it was computed; a host's is always fresh.
  ///
  /// - Throws: as `view(_:)`.
  public func view(
    _ name: String, fresh: Bool
  ) async throws -> (value: Value, asOf: Int) {
    try await useWhenFree { engine in
      Result { (value: try engine.view(name), asOf: engine.revision) }
    }.get()
  }

  /// Returns a copy of the whole state, and its revision; a host's is always fresh.
  ///
  /// - Throws: as `state()`.
  public func state(fresh: Bool) async throws -> (value: Value, asOf: Int) {
    try await useWhenFree { engine in
      Result { (value: try engine.state(), asOf: engine.revision) }
    }.get()
  }

  /// Returns machines, passages, open scopes and pending work, read at one revision; blocks no thread.
  ///
  /// - Throws: `AgentError` if the host was stopped.
  public func status() async throws -> FlowStatus { try await useWhenFree { $0.status } }
}
