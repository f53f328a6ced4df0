import FlowKernel
import LuaRuntime
import StateBlocks

/// Cases that several nodes serve together.
///
/// The guarantees of a case do not depend on this: its fence alone decides who may write it. Leases only keep
/// nodes from taking cases from each other all the time, and make sure that each case is served.
extension Cases {
  /// Joins as a node.
  package func join() async throws(JournalError) {
    guard let node else { return }
    try await node.renew()
    let taskSignal = tasks.signal
    node.journal.onChanges { [watch] ids in
      for id in ids { watch.tell(id) }
      taskSignal.yield()
    }
    guard options.clock.movesByItself else { return }
    let (renewal, looks) = (node.options.renewal, node.options.looks)
    // Waking takes as long as the turns do, and must not delay the renewal of leases.
    let (renewals, renewed) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    node.keep(
      Task { [weak self] in
        while !Task.isCancelled {
          try? await Task.sleep(for: renewal)
          await self?.renewLeases()
          renewed.yield()
        }
      },
      Task { [weak self] in for await _ in renewals { await self?.wakeWhatIsDue() } },
      Task { [weak self] in
        while !Task.isCancelled {
          try? await Task.sleep(for: looks)
          await self?.lookIntoInbox()
        }
      },
      Task { [watch] in
        // Notifications may get lost.
        while !Task.isCancelled {
          try? await Task.sleep(for: .seconds(1))
          watch.tellAll()
        }
      })
  }

  /// Renews the leases, and lets go of the cases of lost ones.
  func renewLeases() async {
    guard let node else { return }
    let before = node.held
    do {
      try await node.renew()
    } catch {
      // The journal cannot be reached, so that no other node can write to it either.
      options.report(
        HostReport(
          .leasesNotRenewed, from: HostName(id: node.options.name, flow: flow.name),
          "leases could not be renewed: \(error)"))
      return
    }
    if !before.isSubset(of: node.held) { letGo { !node.holds($0) } }
  }

  /// Answers the requests in the inbox of this node's shards.
  @discardableResult
  func lookIntoInbox() async -> [Task<Void, Never>] {
    guard let node, let dispatches = try? await node.takeDispatches() else { return [] }
    return dispatches.map { dispatch in
      Task {
        await answer(dispatch, by: node)
        node.hasAnswered(dispatch)
      }
    }
  }

  private func answer(_ dispatch: InboxDispatch, by node: CaseNode) async {
    guard node.holds(dispatch.id) else { return }
    let answer: CaseAnswer
    do {
      guard let request = Value(encoded: dispatch.request).flatMap(CaseRequest.init) else { return }
      answer = try await request.perform(on: dispatch.id, of: self, for: dispatch)
    } catch is CancellationError {
      return
    } catch {
      // The node that holds the case now finds the request in the inbox as well.
      if await isAnothers(dispatch.id, error) { return }
      answer = .failed(error)
    }
    let bytes = answer.value(from: flow).encoded
    try? await node.call { try await $0.answer(dispatch, with: bytes) }
  }

  /// Lets go of a case if an error says that it belongs to another node.
  ///
  /// - Returns: true if it does, or if the cases are closed.
  func isAnothers(_ id: String, _ error: any Error) async -> Bool {
    switch error {
    case let error as JournalError where error.kind == .fenced:
      try? await node?.renew()
    case let error as JournalError where error.kind == .otherVersion: await node?.refuse(id)
    case AgentError.stopped: break
    case let error as JournalError where error.kind == .closed: return isClosed
    default: return false
    }
    await letGo { $0 == id }.value
    return true
  }

  /// Sends a request to a case: on this node if it holds the case, otherwise through the inbox.
  func ask(_ id: String, _ request: CaseRequest) async throws -> CaseAnswer {
    guard let node else { return try await request.perform(on: id, of: self) }
    if isClosed { throw closed }
    if node.holds(id) {
      do {
        return try await request.perform(on: id, of: self)
      } catch  where !isClosed {
        guard await isAnothers(id, error) else { throw error }
      }
    }
    // Asks through the inbox, because another node holds the case; this node may still get it.
    let answer = try await askElsewhere(id, request, from: node)
    if case .failed(let error) = answer { throw error }
    return answer
  }

  private func askElsewhere(
    _ id: String, _ request: CaseRequest, from node: CaseNode
  ) async throws -> CaseAnswer {
    let dispatch = node.newDispatch(id, request)
    try await node.call { try await $0.dispatch(dispatch) }
    let end = ContinuousClock.now + node.options.patience
    var pause = Duration.milliseconds(1)
    do {
      while true {
        if let bytes = try await node.call({ try await $0.takeAnswer(to: dispatch) }) {
          let value = Value(encoded: bytes) ?? .nil
          let answer = CaseAnswer(value, to: request)
          if answer.isUnknownThere(request, flow, value) { throw CaseAnswer.otherVersion(of: id) }
          return answer
        }
        if isClosed { throw closed }
        if ContinuousClock.now > end { break }
        try await Task.sleep(for: pause)
        pause = min(pause * 2, node.options.looks)
      }
    } catch {
      try? await node.call { try await $0.withdraw(dispatch) }
      throw error
    }
    try? await node.call { try await $0.withdraw(dispatch) }
    let holder = (try? await node.call { try await $0.holder(of: $0.shard(of: id)) }) ?? nil
    throw JournalError(
      .fenced,
      "case \(id) is for \(holder ?? "a node that is still to come"), which has not answered within "
        + "\(node.options.patience): the request may have been done; send it again with the same key."
    )
  }
}
