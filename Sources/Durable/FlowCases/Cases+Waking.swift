import FlowHosting
import FlowKernel
import Platform
import StateBlocks

/// Waking, using and putting to sleep of cases.
extension Cases {
  /// The longest time that a request from outside waits for a place.
  private static let patience = Duration.seconds(30)

  /// Calls `body` with a case's host, which is activated if needed and does not sleep meanwhile.
  ///
  /// - Parameter dispatch: the request in the inbox that needs the case; nil if there is none.
  /// - Throws: `CancellationError` if another node has taken that request.
  func use<Answer: Sendable>(
    _ id: String, births: CaseBirth = .never, by caller: AwakeCases.Caller = .outside,
    for dispatch: InboxDispatch? = nil, _ body: @Sendable (FlowHost) async throws -> Answer
  ) async throws -> Answer {
    let host = try await host(of: id, births: births, by: caller)
    do {
      // Checked only now: a node that takes the dispatch from here on must take the case, too, and then this
      // turn is fenced.
      if let dispatch, let node, try await !node.isWaiting(dispatch) { throw CancellationError() }
      let answer = try await body(host)
      leave(id, host)
      return answer
    } catch let error as JournalError where error.kind == .fenced {
      // The case belongs to another writer: the next caller activates it again, or gets an error.
      forget(id, host)
      throw error
    } catch {
      leave(id, host)
      throw error
    }
  }

  /// Calls `body` with the host of a case that is awake; returns nil if it sleeps, and does not wake it.
  func useIfAwake<Answer: Sendable>(
    _ id: String, _ body: @Sendable (FlowHost) async throws -> Answer
  ) async throws -> Answer? {
    guard let host = awake.withLock({ $0.requestIfAwake(id) }) else { return nil }
    defer { leave(id, host) }
    return try await body(host)
  }

  private func host(
    of id: String, births: CaseBirth, by caller: AwakeCases.Caller
  ) async throws -> FlowHost {
    let isBirth = if case .given = births { true } else { false }
    var hasPlace = false
    while true {
      let step = awake.withLock {
        $0.request(id, isBirth: isBirth, by: caller, hasPlace: hasPlace)
      }
      if hasPlace { givePlaces() }
      hasPlace = false
      switch step {
      case .closed: throw closed
      case .use(let host):
        guard isBirth else { return host }
        leave(id, host)
        throw CaseBirth.known(id)
      case .wake(let activation): return try await wake(id, births, activation)
      case .waitForActivation(let activation):
        switch await activation.outcome.value {
        case .abandoned(let error): throw error
        // Callers who create a case do not share errors with those who use it: they try for themselves.
        case .failed(let error)
        where !isBirth && !activation.isBirth && !(error is CancellationError):
          throw error
        case .failed, .awake: break
        }
      case .waitForRest(let end): await end.value
      case .waitForPlace(let waiter):
        try await wait(for: waiter, by: caller)
        hasPlace = true
      }
    }
  }

  private func wake(
    _ id: String, _ births: CaseBirth, _ activation: AwakeCases.Activation
  ) async throws -> FlowHost {
    defer { activation.end.fulfill(()) }
    let host: FlowHost
    do {
      host = try await activate(id, births)
    } catch {
      _ = awake.withLock { $0.finish(activation, of: id, in: nil) }
      activation.outcome.fulfill(.failed(error))
      givePlaces()
      throw error
    }
    let isWanted = awake.withLock { $0.finish(activation, of: id, in: host) }
    // The host may have reported that it can sleep before it was in its place.
    if isWanted {
      activation.outcome.fulfill(.awake)
      return host
    }
    try? await host.rest()
    // The task that releases the case fulfills this with the reason, maybe a little later.
    guard case .abandoned(let error) = await activation.outcome.value else { throw closed }
    throw error
  }

  private func activate(_ id: String, _ births: CaseBirth) async throws -> FlowHost {
    var options = options
    options.id = id
    let place = HostPlace()
    let caseWriter = CaseWriter(id, in: calls, wall: options.wall, watch: watch) {
      [weak self, place] mayRest in
      if let self, let host = place.host { self.pin(id, host, !mayRest) }
    }
    let host = try await FlowHost.activate(
      flow, caseWriter, births: births, options: options, scopes: scopes)
    place.host = host
    return host
  }

  private func leave(_ id: String, _ host: FlowHost) {
    awake.withLock { $0.leave(id, host, mayRest: host.caseWriter?.mayRest ?? false) }
    givePlaces()
  }

  private func pin(_ id: String, _ host: FlowHost, _ isPinned: Bool) {
    awake.withLock { $0.pin(id, host, isPinned) }
    givePlaces()
  }

  private func forget(_ id: String, _ host: FlowHost) {
    awake.withLock { $0.forget(id, host) }
    // Followers of its views must notice that it is gone.
    watch.tell(id)
    givePlaces()
  }

  // MARK: Places

  private func wait(
    for waiter: AwakeCases.Waiter, by caller: AwakeCases.Caller
  ) async throws(JournalError) {
    givePlaces()
    var timer: Task<Void, Never>?
    if case .outside = caller {
      timer = Task { [self] in
        try? await Task.sleep(for: Cases.patience)
        guard !Task.isCancelled, awake.withLock({ $0.withdraw(waiter) }) else { return }
        waiter.place.fulfill(.failure(busy))
      }
    }
    defer { timer?.cancel() }
    try await waiter.place.value.get()
  }

  private var busy: JournalError {
    JournalError(
      .failed,
      "\(maximumActive) cases of \(flow.name) are in use, and none has become free within "
        + "\(Cases.patience): try again, or raise maximumActive")
  }

  /// Puts cases to sleep if places are wanted, and gives free places to waiters.
  private func givePlaces() {
    let (rests, ready) = awake.withLock { ($0.takeSurplus(), $0.takeReady()) }
    for waiter in ready { waiter.place.fulfill(.success(())) }
    for rest in rests { Task.detached { await self.rest(rest) } }
  }

  private func rest(_ rest: AwakeCases.Resting) async {
    let didRest: Bool
    do {
      didRest = try await rest.host.restIfIdle()
    } catch {
      // Its last turn could not be stored: the next caller restores the case as it is stored.
      didRest = true
    }
    awake.withLock { $0.finish(rest, didRest: didRest) }
    rest.end.fulfill(())
    if didRest, let due = rest.host.caseWriter?.nextDue, options.clock.movesByItself {
      scheduler.ring(at: due)
    }
    givePlaces()
  }

  // MARK: The end

  /// Unloads cases that another node takes over; work that exists in memory only ends as after a restart.
  ///
  /// - Returns: a task that ends once all of them are unloaded.
  @discardableResult
  package func letGo(_ isLost: (String) -> Bool) -> Task<Void, Never> {
    let leaving = awake.withLock { $0.release(isLost) }
    return Task {
      await end(
        leaving,
        because: JournalError(.fenced, "the case is moving to another node: try again"))
    }
  }

  func end(_ leaving: AwakeCases.Leaving, because error: JournalError) async {
    for waiter in leaving.waiters { waiter.place.fulfill(.failure(error)) }
    for activation in leaving.activations { activation.outcome.fulfill(.abandoned(error)) }
    for host in leaving.hosts { try? await host.rest() }
    for activation in leaving.activations { await activation.end.value }
    for rest in leaving.rests {
      await rest.end.value
      // A case that could not sleep is let go like the others.
      awake.withLock { $0.forget(rest.id, rest.host) }
      try? await rest.host.rest()
    }
  }

  /// Suspends until no call is being answered and nothing is running in any case that a restart would interrupt.
  func drain(until end: ContinuousClock.Instant) async {
    while ContinuousClock.now < end, await !isQuiet() {
      do { try await Task.sleep(for: .milliseconds(10)) } catch { break }
    }
  }

  private func isQuiet() async -> Bool {
    guard let hosts = awake.withLock(\.unused) else { return false }
    for host in hosts where (try? await host.isQuiet()) == false { return false }
    return true
  }
}

/// The host of a case, once it is made.
private final class HostPlace: Sendable {
  private let held = Mutex<Held>(Held())
  private struct Held: Sendable { weak var host: FlowHost? }

  var host: FlowHost? {
    get { held.withLock(\.host) }
    set { held.withLock { $0.host = newValue } }
  }
}
