import FlowHosting
import FlowKernel
import FlowLanguage
import LuaRuntime

/// Subscriptions to a case's views and commits.
extension Case {
  /// Calls `handler` with the view's value now and whenever it changes.
  ///
  /// The handler is called after the turn was stored. A value that another node has computed is delivered a
  /// little later, and of several changes at once only the last. The case stays awake as long as the
  /// subscription lasts, if this process alone serves it. The last call has the error if the case cannot be
  /// read any more; none follows once the case has ended or the cases are closed.
  ///
  /// - Returns: the subscription, which ends when it is cancelled or released.
  /// - Throws: `ViewError` if there is no such view; `JournalError` if there is no such case.
  public func subscribe(
    _ name: String, _ handler: @escaping @Sendable (Result<Value, ViewError>) -> Void
  ) async throws -> ViewSubscription {
    // A view that raises an error is there, and may have a value later.
    do {
      _ = try await view(name, fresh: false)
    } catch ViewError.failed {}
    let follower = CaseFollower(id: id, view: name, cases: cases)
    let task = Task {
      do {
        try await follower.follow(handler)
      } catch is CancellationError {
      } catch {
        handler(.failure(ViewError(hostError: error)))
      }
    }
    return ViewSubscription(endsWhenReleased: true) { task.cancel() }
  }

  /// Calls `handler` with the view's value as a Swift type, now and whenever it changes.
  ///
  /// A value of another type is delivered as `ViewError.mismatch`.
  ///
  /// - Returns: the subscription, which ends when it is cancelled or released.
  /// - Throws: as `subscribe(_:_:)`.
  public func subscribe<Element: Decodable & Sendable>(
    _ name: String, as type: Element.Type,
    _ handler: @escaping @Sendable (Result<Element, ViewError>) -> Void
  ) async throws -> ViewSubscription {
    try await subscribe(name) { handler($0.decoded(of: name)) }
  }

  /// Calls `handler` with the view's value now and whenever it changes, for as long as `owner` lives.
  ///
  /// The owner is not kept alive; the handler receives it, so that it need not capture it. The subscription
  /// lasts as long as its owner, even if the returned subscription is released, and ends with the first change
  /// after it. Otherwise as `subscribe(_:_:)`.
  ///
  /// - Returns: the subscription, by which it can be cancelled earlier.
  /// - Throws: as `subscribe(_:_:)`.
  @discardableResult
  public func subscribe<Owner: AnyObject & Sendable>(
    _ name: String, owner: Owner,
    _ handler: @escaping @Sendable (Owner, Result<Value, ViewError>) -> Void
  ) async throws -> ViewSubscription {
    let owned = OwnedSubscription()
    return try await owned.hold(
      subscribe(name) { [weak owner] value in
        if let owner { handler(owner, value) } else { owned.cancel() }
      })
  }

  /// Calls `handler` with the view's value as a Swift type, now and whenever it changes, for as long as `owner` lives.
  ///
  /// A value of another type is delivered as `ViewError.mismatch`. Otherwise as `subscribe(_:owner:_:)`.
  ///
  /// - Returns: the subscription, by which it can be cancelled earlier.
  /// - Throws: as `subscribe(_:_:)`.
  @discardableResult
  public func subscribe<Element: Decodable & Sendable, Owner: AnyObject & Sendable>(
    _ name: String, as type: Element.Type, owner: Owner,
    _ handler: @escaping @Sendable (Owner, Result<Element, ViewError>) -> Void
  ) async throws -> ViewSubscription {
    try await subscribe(name, owner: owner) { handler($0, $1.decoded(of: name)) }
  }

  /// Calls `handler` with every commit of the case from now on, for as long as `owner` lives.
  ///
  /// - Returns: the subscription, by which it can be cancelled earlier.
  /// - Throws: as `observe(_:)`.
  @discardableResult
  public func observe<Owner: AnyObject & Sendable>(
    owner: Owner, _ handler: @escaping @Sendable (Owner, Commit) -> Void
  ) async throws -> ViewSubscription {
    let owned = OwnedSubscription()
    return try await owned.hold(
      observe { [weak owner] commit in
        if let owner { handler(owner, commit) } else { owned.cancel() }
      })
  }

  /// Calls `handler` with every commit of the case from now on, in order, once it is stored, whichever node
  /// made it.
  ///
  /// The commits are read from the journal, so that the case may sleep. None follows once the case has ended
  /// or the cases are closed.
  ///
  /// - Returns: the subscription, which ends when it is cancelled or released.
  /// - Throws: `JournalError` if there is no such case.
  public func observe(
    _ handler: @escaping @Sendable (Commit) -> Void
  ) async throws -> ViewSubscription {
    guard let summary = try await summary() else { throw AppendPosition.unknown(id) }
    let entries = entries(from: summary.seq + 1)
    let flow = cases.flow
    let source = CommitSource(epoch: summary.born, secrets: flow.flow.secrets)
    let (host, report) = (HostName(id: id, flow: flow.name), cases.options.report)
    let task = Task {
      do {
        for try await entry in entries {
          for commit in try entry.contents().commits { handler(source.whole(commit)) }
        }
      } catch is CancellationError {
      } catch {
        report(
          HostReport(
            .observationEnded, from: host, "its commits are not observed any more: \(error)"))
      }
    }
    return ViewSubscription(endsWhenReleased: true) { task.cancel() }
  }
}
