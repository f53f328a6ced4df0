import FlowHosting
import FlowKernel

/// Time travel in a case, as a host offers it: what goes back is stored like every other turn.
extension Case {
  /// Goes to a revision that the history in memory holds: restores state, machines, gatekeepers, clock and
  /// timers.
  ///
  /// - Throws: `HistoryError` if it is out of reach; `DispatchFailure` if a limit was reached; as
  ///   `dispatch(_:_:by:)`; `JournalError` of the kind `fenced` if another node holds the case.
  public func go(to revision: Int) async throws {
    try await travel { try await $0.go(to: revision) }
  }

  /// Goes back by `count` commits.
  ///
  /// - Throws: as `go(to:)`.
  public func undo(_ count: Int = 1) async throws {
    try await travel { try await $0.undo(count) }
  }

  /// Goes forward again by `count` commits that were undone.
  ///
  /// - Throws: as `go(to:)`.
  public func redo(_ count: Int = 1) async throws {
    try await travel { try await $0.redo(count) }
  }

  private func travel(_ body: @Sendable (FlowHost) async throws -> Void) async throws {
    try expectHere()
    try await cases.use(id) { host in
      try expectLife(of: host)
      try await body(host)
    }
  }
}
