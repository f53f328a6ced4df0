import FlowHosting
import FlowKernel
import LuaRuntime

/// Sending actions.
extension FlowTester {
  /// Sends an action that must pass, and says exactly what it changes.
  ///
  /// ```swift
  /// try await tester.send("add", ["sku": "tea"], by: "ann") { $0["lines"]?.append(["sku": "tea"]) }
  /// ```
  ///
  /// Actions that its effects dispatch are to be received.
  ///
  /// - Parameters:
  ///   - action: its name.
  ///   - payload: a record, or nothing for `{}`.
  ///   - who: the user who asked for the action; nil for nobody.
  ///   - changes: changes a copy of the state as the action is to change it; nothing if it changes nothing.
  /// - Returns: the commit.
  /// - Throws: `FlowTestFailure` if the action does not pass or changes anything else, or if an earlier commit was not
  ///   received; an error of the host or the journal.
  @discardableResult
  public func send(
    _ action: String, _ payload: Value = [:], by who: String? = nil, file: String = #fileID,
    line: Int = #line, isolation: isolated (any Actor)? = #isolation,
    changes: (inout Value) throws -> Void = { _ in }
  ) async throws -> Commit {
    let place = TestPlace(file: file, line: line)
    try skipOrExpectNothing(before: action, place)
    let outcome = try await instance.dispatch(action, payload, by: who)
    guard let revision = outcome.commit?.revision else {
      throw place.failure("\(action) was to pass: \(outcome)")
    }
    let received = received
    guard
      try await wait(
        for: max(patience, FlowTester.delivery), until: { received.latest >= revision })
    else {
      throw place.failure("\(action) passed as #\(revision), and its commit was not observed")
    }
    guard let commit = try next(revision, action, place) else {
      throw place.failure("\(action) passed as #\(revision), and its commit was not observed")
    }
    try follow(commit, changes, place)
    return commit
  }

  /// Sends an action with a payload of a Swift type, which must pass, and says exactly what it changes.
  ///
  /// - Throws: as `send` with a plain payload.
  @_disfavoredOverload @discardableResult
  public func send(
    _ action: String, _ payload: some Encodable, by who: String? = nil, file: String = #fileID,
    line: Int = #line, isolation: isolated (any Actor)? = #isolation,
    changes: (inout Value) throws -> Void = { _ in }
  ) async throws -> Commit {
    try await send(
      action, Value(encoding: payload), by: who, file: file, line: line, isolation: isolation,
      changes: changes)
  }

  /// Sends an action that must be refused, and changes nothing.
  ///
  /// ```swift
  /// try await tester.refuse("pay", ["cents": 1], because: "not enough")
  /// ```
  ///
  /// - Parameters:
  ///   - action: its name.
  ///   - payload: a record, or nothing for `{}`.
  ///   - who: the user who asked for the action; nil for nobody.
  ///   - text: a part of the sentence that says who refused it, and why; nil for any.
  /// - Returns: the refusal.
  /// - Throws: `FlowTestFailure` if the action is not refused, or for another reason; an error of the host or the
  ///   journal.
  @discardableResult
  public func refuse(
    _ action: String, _ payload: Value = [:], by who: String? = nil, because text: String? = nil,
    file: String = #fileID, line: Int = #line
  ) async throws -> Refusal {
    let place = TestPlace(file: file, line: line)
    let outcome = try await instance.dispatch(action, payload, by: who)
    guard let refusal = outcome.refusal else {
      throw place.failure("\(action) was to be refused: \(outcome)")
    }
    if let text, !"\(refusal)".contains(text) {
      throw place.failure("\(action) was to be refused because of \"\(text)\": \(refusal)")
    }
    return refusal
  }

  /// Sends an action that must fail, and changes nothing.
  ///
  /// - Parameters:
  ///   - action: its name.
  ///   - payload: a record, or nothing for `{}`.
  ///   - kind: the kind of failure; nil for any.
  ///   - text: a part of the message; nil for any.
  /// - Returns: the failure.
  /// - Throws: `FlowTestFailure` if the action does not fail, or in another way; an error of the host or the journal.
  @discardableResult
  public func fail(
    _ action: String, _ payload: Value = [:], kind: DispatchFailure.Kind? = nil,
    because text: String? = nil, file: String = #fileID, line: Int = #line
  ) async throws -> DispatchFailure {
    let place = TestPlace(file: file, line: line)
    let outcome = try await instance.dispatch(action, payload, by: nil)
    guard let failure = outcome.failure else {
      throw place.failure("\(action) was to fail: \(outcome)")
    }
    if let kind, failure.kind != kind {
      throw place.failure("\(action) was to fail by \(kind.rawValue): \(failure)")
    }
    if let text, !"\(failure)".contains(text) {
      throw place.failure("\(action) was to fail because of \"\(text)\": \(failure)")
    }
    return failure
  }

  /// Throws if there are commits that were not received; a test that is not exhaustive follows them.
  private func skipOrExpectNothing(before action: String, _ place: TestPlace) throws {
    let left = received.all
    if left.isEmpty { return }
    if isExhaustive {
      throw place.failure("before \(action) is sent, receive \(FlowTester.list(left))")
    }
    while let commit = received.removeFirst() { try follow(commit, { _ in }, place) }
  }

  /// Removes and returns the commit of a revision; those before it came in between.
  private func next(
    _ revision: Int, _ action: String, _ place: TestPlace
  ) throws -> Commit? {
    while let commit = received.removeFirst() {
      if commit.revision == revision { return commit }
      if isExhaustive {
        throw place.failure("before \(action) was sent, \(FlowTester.title(commit)) came")
      }
      try follow(commit, { _ in }, place)
    }
    return nil
  }
}
