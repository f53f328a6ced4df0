import FlowHosting
import FlowKernel
import LuaRuntime
@_spi(FlowHost) import StateBlocks

/// A follower of a view of a case, which keeps the cases alive only while it reads.
struct CaseFollower: Sendable {
  let id: String
  let view: String
  weak let cases: Cases?

  /// Reports the view's values until the case has ended, the cases are closed or released, or the task is
  /// cancelled.
  func follow(_ report: @escaping @Sendable (Result<Value, ViewError>) -> Void) async throws {
    // Subscribes before anything is read, so that no entry is missed.
    guard let (news, isShared) = try listen() else { return }
    do {
      if isShared {
        try await look(whenever: news, report)
      } else {
        try await subscribe(until: news, report)
      }
    } catch let error as JournalError where error.kind == .closed && cases?.isClosed != false {
      // The cases were closed between two values: the sequence ends without an error.
    }
  }

  private func listen() throws(JournalError) -> (AsyncStream<Void>, isShared: Bool)? {
    guard let cases else { return nil }
    if cases.isClosed { throw cases.closed }
    return (cases.watch.news(of: id), cases.node != nil)
  }

  // MARK: Here

  private func subscribe(
    until news: AsyncStream<Void>,
    _ report: @escaping @Sendable (Result<Value, ViewError>) -> Void
  ) async throws {
    guard let (host, subscription) = try await open(report) else { return }
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

  private func open(
    _ report: @escaping @Sendable (Result<Value, ViewError>) -> Void
  ) async throws -> (FlowHost, ViewSubscription)? {
    guard let cases else { return nil }
    let view = view
    return try await cases.use(id) { host in
      (host, try await host.subscribeWhenFree(to: view, report))
    }
  }

  /// True while the case is awake in that host.
  ///
  /// - Throws: `JournalError` if another writer has taken the case over.
  private func isHere(_ host: FlowHost) throws(JournalError) -> Bool {
    guard let cases, !cases.isClosed else { return false }
    if cases.awake.withLock({ $0.has(id, host) }) { return true }
    throw AppendPosition.fenced(id)
  }

  // MARK: On any node

  /// Reads a view whenever there are new entries, whichever node has written them, and reports changes.
  private func look(
    whenever news: AsyncStream<Void>, _ report: (Result<Value, ViewError>) -> Void
  ) async throws {
    var last: (value: Value?, error: String?) = (nil, nil)
    var iterator = news.makeAsyncIterator()
    while !Task.isCancelled {
      guard let (hasEnded, seen) = try await read() else { break }
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

  private func read() async throws -> (hasEnded: Bool, Result<Value, ViewError>)? {
    guard let cases else { return nil }
    let hasEnded = try await cases.summary(of: id)?.ended != nil
    do {
      return (hasEnded, .success(try await cases[id].view(view, fresh: false).value))
    } catch let error as ViewError {
      return (hasEnded, .failure(error))
    }
  }
}
