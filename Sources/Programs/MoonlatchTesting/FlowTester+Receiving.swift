import FlowHosting
import FlowKernel
import LuaRuntime

/// Receiving what effects and timers dispatch, and the end.
extension FlowTester {
  /// Receives the next action that an effect or a timer has dispatched, and says exactly what it changes.
  ///
  /// ```swift
  /// try await tester.receive("paid", ["receipt": "r-1"]) { $0["receipt"] = "r-1" }
  /// ```
  ///
  /// The action is waited for. A test that is not exhaustive skips the actions before it.
  ///
  /// - Parameters:
  ///   - action: its name.
  ///   - payload: the whole payload; nil for any.
  ///   - changes: changes a copy of the state as the action is to change it; nothing if it changes nothing.
  /// - Returns: the commit.
  /// - Throws: `FlowTestFailure` if another action comes or none does, or if it changes anything else.
  @discardableResult
  public func receive(
    _ action: String, _ payload: Value? = nil, file: String = #fileID, line: Int = #line,
    isolation: isolated (any Actor)? = #isolation,
    changes: (inout Value) throws -> Void = { _ in }
  ) async throws -> Commit {
    let (place, received) = (TestPlace(file: file, line: line), received)
    while true {
      guard try await waitForCommit(), let commit = received.removeFirst() else {
        let running = try await running()
        throw place.failure("\(action) was not received; \(running)")
      }
      if commit.action == action {
        if let payload, payload != commit.payload, !(payload.isEmptyTable && commit.payload == [:])
        {
          throw place.failure(
            "\(action) was to be received with \(FlowTester.text(payload)), and came as "
              + FlowTester.title(commit))
        }
        try follow(commit, changes, place)
        return commit
      }
      if isExhaustive {
        throw place.failure("\(action) was to be received, but \(FlowTester.title(commit)) came")
      }
      try follow(commit, { _ in }, place)
    }
  }

  /// Receives the next action with a payload of a Swift type, and says exactly what it changes.
  ///
  /// - Throws: as `receive` with a plain payload.
  @_disfavoredOverload @discardableResult
  public func receive(
    _ action: String, _ payload: some Encodable, file: String = #fileID, line: Int = #line,
    isolation: isolated (any Actor)? = #isolation,
    changes: (inout Value) throws -> Void = { _ in }
  ) async throws -> Commit {
    let value: Value = try Value(encoding: payload)
    return try await receive(
      action, value, file: file, line: line, isolation: isolation, changes: changes)
  }

  /// Ends the test: everything must have been received, and nothing may be running or pending any more.
  ///
  /// Effects that are still running are waited for. Reports of failed effects, queued actions and clean-ups are
  /// failures, too, if the tester has made the host.
  ///
  /// - Parameter kinds: the kinds of work that may be left, such as `.timer`.
  /// - Throws: `FlowTestFailure` with all that is left.
  public func finish(
    allowing kinds: Set<PendingWork.Kind> = [], file: String = #fileID, line: Int = #line
  ) async throws {
    let place = TestPlace(file: file, line: line)
    progress.withLock { $0.isFinished = true }
    let (received, instance, isExhaustive) = (received, instance, isExhaustive)
    // A sleeping effect and a timer do not end by themselves on a virtual clock.
    _ = try await wait(until: {
      if isExhaustive, !received.all.isEmpty { return true }
      let status = try await instance.status()
      // Commits are observed a little later than they are made.
      if received.latest < status.revision { return false }
      return status.pendingWork.allSatisfy {
        kinds.contains($0.kind) || $0.due != nil || $0.kind == .postponed
      }
    })
    var faults: [String] = []
    let left = received.all
    if isExhaustive, !left.isEmpty { faults.append("not received: \(FlowTester.list(left))") }
    let work = try await instance.status().pendingWork.filter { !kinds.contains($0.kind) }
    if isExhaustive || work.contains(where: { $0.kind == .effect && $0.due == nil }) {
      faults += work.map { "still pending: \($0)" }
    }
    faults += reportLog.unexpected.map { "reported: \($0)" }
    if faults.isEmpty { return }
    throw place.failure("the test is not finished:" + faults.map { "\n  \($0)" }.joined())
  }

  /// Waits for a commit; returns false if none comes.
  ///
  /// One that was made is waited for until it is observed.
  private func waitForCommit() async throws -> Bool {
    let received = received
    if try await wait(until: { !received.all.isEmpty }) { return true }
    if received.latest >= (try await instance.status().revision) { return false }
    return try await wait(for: FlowTester.delivery, until: { !received.all.isEmpty })
  }

  /// Returns a sentence about the pending work.
  private func running() async throws -> String {
    let work = try await instance.status().pendingWork
    let pending = work.map(\.description).joined(separator: ", ")
    let reported = reportLog.unexpected.map { "; reported: \($0)" }.joined()
    return (work.isEmpty ? "nothing is running" : "pending: \(pending)") + reported
  }
}
