import FlowHosting
import FlowKernel
import LuaRuntime

/// Inspection of what a case holds beside the state, as a host offers it.
///
/// Several of these that belong together are read at one revision by `status()`.
extension Case {
  /// The state of every machine, by the machine's name.
  ///
  /// ```swift
  /// if try await orders["o-17"].machines["order"] == "open" { remind() }
  /// ```
  ///
  /// `summary()` has all active states, and does not activate the case.
  ///
  /// - Throws: as `dispatch(_:_:by:)`.
  public var machines: [String: String] {
    get async throws { try await status().machines }
  }

  /// Returns the state of a machine, or nil if the flow does not declare it.
  ///
  /// - Throws: as `dispatch(_:_:by:)`.
  public func machine(_ name: String) async throws -> String? { try await machines[name] }

  /// The passages that gatekeepers hold, in the order of declaration and of options.
  ///
  /// - Throws: as `dispatch(_:_:by:)`.
  public var passages: [HeldPassage] { get async throws { try await status().passages } }

  /// The open scopes, root first and parents before their children.
  ///
  /// - Throws: as `dispatch(_:_:by:)`.
  public var openScopes: [ScopeInstanceStatus] {
    get async throws { try await status().openScopes }
  }

  /// The work that the case will do by itself: queued actions, then timers in the order in which they are
  /// due, then effects that wait for an answer.
  ///
  /// - Throws: as `dispatch(_:_:by:)`.
  public var pendingWork: [PendingWork] { get async throws { try await status().pendingWork } }

  /// The current revision: the number of commits so far.
  ///
  /// - Throws: as `dispatch(_:_:by:)`.
  public var revision: Int { get async throws { try await status().revision } }

  /// The time on the case's clock since it was born.
  ///
  /// - Throws: as `dispatch(_:_:by:)`.
  public var elapsed: Duration { get async throws { try await status().elapsed } }

  /// The latest commits that the case has in memory, oldest first; `entries(from:)` has all of them.
  ///
  /// - Throws: as `dispatch(_:_:by:)`; `JournalError` of the kind `fenced` if another node holds the case.
  public var commits: [Commit] {
    get async throws { try await examine { $0.history.commits } }
  }

  /// Returns the number of times that a view has been computed since the case was activated.
  ///
  /// - Throws: as `view(_:)`; `JournalError` of the kind `fenced` if another node holds the case.
  public func recomputations(of name: String) async throws -> Int {
    try await examine { try $0.runs(ofView: name) }
  }

  /// The number of instructions that the flow has used since the case was activated.
  ///
  /// - Throws: as `dispatch(_:_:by:)`; `JournalError` of the kind `fenced` if another node holds the case.
  public var instructionsUsed: Int {
    get async throws { try await examine { $0.vm.instructionsUsed } }
  }

  /// Reads the engine of the case on this node.
  func examine<Answer: Sendable>(
    _ look: @Sendable (Engine) throws -> Answer
  ) async throws -> Answer {
    try expectHere()
    return try await cases.use(id) { host in try await host.examine(look) }
  }

  /// Throws unless this node holds the case.
  func expectHere() throws(JournalError) {
    guard let node = cases.node, !node.holds(id) else { return }
    throw JournalError(
      .fenced, "case \(id) is held by another node, and only that node can do this: ask it")
  }
}
