import FlowHosting
import FlowKernel
import LuaRuntime
@_spi(FlowHost) import StateBlocks

/// Subscriptions to the views of a case.
extension Case {
  /// Returns the values of a view, now and whenever it changes; the case stays awake as long as the sequence is read.
  ///
  /// Of values that have not been read yet the newest is kept. The sequence ends when the case ends, and when
  /// its `Cases` are closed. It throws if the view has no value, and `JournalError` if there is no such case,
  /// it cannot be read, or another process has taken it over.
  public func values(of view: String) -> AsyncThrowingStream<Value, any Error> {
    AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let task = Task {
        do {
          try await follow(view) { continuation.yield(with: $0.mapError { $0 }) }
          continuation.finish()
        } catch {
          continuation.finish(throwing: error)
        }
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  /// Returns the values of a view, and its errors as results: a view that raises an error can have a value again later.
  package func results(of view: String) -> AsyncThrowingStream<Result<Value, ViewError>, any Error>
  {
    AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let task = Task {
        do {
          try await follow(view) { continuation.yield($0) }
          continuation.finish()
        } catch {
          continuation.finish(throwing: error)
        }
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  /// Reports a view's values until the case has ended, the cases are closed or the task is cancelled.
  private func follow(
    _ view: String, _ report: @escaping @Sendable (Result<Value, ViewError>) -> Void
  ) async throws {
    if cases.isClosed { throw cases.closed }
    // Subscribes before anything is read, so that no entry is missed.
    let news = cases.watch.news(of: id)
    do {
      if cases.node == nil {
        try await subscribe(to: view, until: news, report)
      } else {
        try await look(at: view, whenever: news, report)
      }
    } catch let error as JournalError where error.kind == .closed && cases.isClosed {
      // The cases were closed between two values: the sequence ends without an error.
    }
  }

  private func subscribe(
    to view: String, until news: AsyncStream<Void>,
    _ report: @escaping @Sendable (Result<Value, ViewError>) -> Void
  ) async throws {
    let (host, subscription) = try await cases.use(id) { host in
      (host, try await host.subscribeWhenFree(to: view, report))
    }
    var iterator = news.makeAsyncIterator()
    var hasEnded = host.caseWriter?.hasEnded ?? true
    while try !hasEnded && isHere(host) {
      guard await iterator.next() != nil else { break }
      hasEnded = host.caseWriter?.hasEnded ?? true
    }
    if hasEnded {
      // Waits for the turn that ended the case, whose last value is still to be delivered.
      try? await host.useWhenFree { _ in }
      await host.agent.whenTold(host.agent.lastMessage)
    }
    subscription.cancel()
    // In its next turn the host finds that it may sleep.
    if !hasEnded { try? await host.useWhenFree { _ in } }
  }

  /// True while the case is awake in that host.
  ///
  /// - Throws: `JournalError` if another writer has taken the case over.
  private func isHere(_ host: FlowHost) throws(JournalError) -> Bool {
    if cases.isClosed || cases.awake.withLock({ $0.has(id, host) }) { return !cases.isClosed }
    throw AppendPosition.fenced(id)
  }

  /// Reads a view whenever there are new entries, whichever node has written them, and reports changes.
  private func look(
    at view: String, whenever news: AsyncStream<Void>,
    _ report: (Result<Value, ViewError>) -> Void
  ) async throws {
    var last: (value: Value?, error: String?) = (nil, nil)
    var iterator = news.makeAsyncIterator()
    while !Task.isCancelled {
      let hasEnded = try await summary()?.ended != nil
      let seen = try await valueOrError(of: view)
      let now: (value: Value?, error: String?) =
        switch seen {
        case .success(let value): (value, nil)
        case .failure(let error): (nil, "\(error)")
        }
      if now != last { report(seen) }
      last = now
      if hasEnded { break }
      guard await iterator.next() != nil else { break }
    }
  }

  private func valueOrError(of view: String) async throws -> Result<Value, ViewError> {
    do {
      return .success(try await self.view(view))
    } catch let error as ViewError {
      return .failure(error)
    }
  }
}
