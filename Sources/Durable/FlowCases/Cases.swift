import FlowHosting
import FlowKernel
import LuaRuntime
import Platform

/// The cases of one flow in a journal: for example one for each order, lobby or device.
///
/// ```swift
/// let orders = try await Cases(of: order, in: store) { scopes in
///   scopes.root.provide("charge") { (call: CallID, cents: Int) async throws -> String in
///     try await bank.charge(cents, idempotencyKey: call.description)
///   }
/// }
/// try await orders.create("o-17")
/// try await orders["o-17"].dispatch("pay", ["cents": 250], key: requestID)
/// ```
///
/// A case is *activated* when it is used, or when something of it is due. When too many cases are awake, it
/// is put to sleep again, unless part of it exists in memory only: a running plain effect, a clean-up, a
/// scope that a script opened by hand, a subscriber. A sleeping case takes no memory; its timers fire all the
/// same.
public final class Cases: Sendable {
  private struct State {
    /// Cases that could not be woken for what is due, each with the time of the next attempt, in microseconds
    /// since 1970.
    var troubled: [String: Int] = [:]
    /// The loops that look for answers of tasks.
    var taskLoops: [Task<Void, Never>] = []
    var hasEnded = false
    /// The flow of the cases, and the machine states of cases of its earlier texts.
    var flow: LoadedFlow
    var migrated: MigratedStates
  }

  /// The flow of the cases; `reload` replaces it.
  public var flow: LoadedFlow { state.withLock(\.flow) }
  /// The journal that stores the cases.
  public var journal: any Journal { calls.journal }
  /// The greatest number of cases that are awake, not counting those that cannot sleep because part of them
  /// exists in memory only.
  public let maximumActive: Int
  package let options: HostOptions
  package let scopes: @Sendable (inout HostScopes) -> Void
  package let calls: JournalCalls
  private let state: Mutex<State>
  let awake: Mutex<AwakeCases>
  /// The machine states of cases of earlier texts.
  var migrated: MigratedStates { state.withLock(\.migrated) }
  let scheduler: CaseScheduler
  /// This object's node in a shared journal; nil if the journal is not shared.
  let node: CaseNode?
  /// Is notified of entries once they are stored.
  package let watch = EntryNotifier()
  /// The tasks that effects of the cases have opened.
  package let tasks: CaseTasks
  /// Broadcasts rejected dispatches to the observers of a case.
  package let rejections = CaseBroadcaster<RejectedDispatch>(capacity: 1_000)

  /// Opens the cases of a flow in a journal.
  ///
  /// No case is read yet, except for the time at which the next one has something due.
  ///
  /// - Parameters:
  ///   - flow: takes over the cases of earlier texts as each is activated.
  ///   - journal: stores the cases.
  ///   - options: the options of each case's host; `id` is set to the case's id.
  ///   - maximumActive: the greatest number of cases that are awake.
  ///   - node: the options of this node, if the journal is a `SharedJournal`.
  ///   - scopes: provides the functions that the flow's scopes lend to scripts.
  /// - Throws: `HostError` if the flow does not declare one of the scopes; `JournalError`.
  public init(
    of flow: LoadedFlow, in journal: any Journal, options: HostOptions = HostOptions(),
    maximumActive: Int = 1_000, node: NodeOptions = NodeOptions(),
    scopes: @escaping @Sendable (inout HostScopes) -> Void = { _ in }
  ) async throws {
    (self.options, self.scopes) = (options, scopes)
    state = Mutex(State(flow: flow, migrated: MigratedStates(of: flow, options.limits)))
    let calls = try JournalCalls.opening(journal)
    self.calls = calls
    self.maximumActive = max(1, maximumActive)
    awake = Mutex(AwakeCases(places: self.maximumActive))
    self.node = (journal as? any SharedJournal).map { CaseNode($0, calls, node) }
    // An engine is made once, so that faults of the scopes are reported now; the flow does not begin.
    var builder = HostScopes()
    scopes(&builder)
    _ = try HostSettings(options, builder, flow: flow.name).engine(flow)
    let (name, adopts) = (flow.flow.name, options.adoptsJournal)
    let identity = try await calls.call { try await $0.identify(as: name, adopting: adopts) }
    tasks = CaseTasks(
      calls, builder.capabilities.tasks, journal: identity.id,
      worker: self.node?.options.name ?? "server", wall: options.wall)
    scheduler = CaseScheduler(wall: options.wall)
    try await join()
    if options.clock.movesByItself {
      scheduler.onRing { [weak self] in await self?.wakeWhatIsDue() }
      try await ringForTheNext()
    }
    try await startTasks()
  }

  deinit {
    stopTaskLoops()
    tasks.performances.cancelAll()
    scheduler.stop()
    watch.end()
    rejections.end()
    if let node {
      node.stop()
      Task.detached { try? await node.release() }
    }
  }

  /// Returns the case with an id, whether it exists or not: nothing is read yet.
  public subscript(id: String) -> Case { Case(id: id, cases: self) }

  /// Creates a case.
  ///
  /// - Parameters:
  ///   - id: the new case's id, which no case may have had before.
  ///   - given: the parts of the state that differ from what the flow declares.
  ///   - key: chosen by the caller: a second creation with the same key and the same `given` returns the same case.
  /// - Throws: `JournalError` if there is or was a case with that id, or if the key was used for something
  ///   else; `DispatchFailure` if `given` does not fit the flow.
  @discardableResult
  public func create(_ id: String, given: Value = [:], key: String? = nil) async throws -> Case {
    _ = try await ask(id, .create(given: given, key: key))
    return self[id]
  }

  /// Creates a case on this node.
  ///
  /// - Parameter key: identifies the request, which may be repeated if its answer was lost.
  func createHere(_ id: String, given: Value, key: String? = nil) async throws {
    do {
      if try await summary(of: id) != nil { throw CaseBirth.known(id) }
      try await use(id, births: .given(given, key: key)) { _ in }
    } catch let error as JournalError where [.knownCase, .keyReused].contains(error.kind) {
      // Another node may have stored the same request since the summary was read.
      guard let key, let known = try await calls.call({ try await $0.answer(to: key, of: id) })
      else {
        throw error
      }
      try known.expect(CaseWriter.request("", given), of: id)
    }
  }

  /// Returns up to `limit` cases behind an id, in order of id.
  ///
  /// - Throws: `JournalError`.
  public func list(
    after id: String? = nil, limit: Int = 100
  ) async throws(JournalError) -> [CaseSummary] {
    let earlier = try await earlierTexts()
    let found = try await calls.call { try await $0.cases(whose: nil, after: id, limit: limit) }
    return found.map { brought($0, earlier) }
  }

  /// Returns up to `limit` cases behind an id of which a machine is in a state, or in one inside it, in order of id.
  ///
  /// A case of an earlier text of the flow is listed under the state in which its migration puts it, also
  /// before it is woken.
  ///
  /// - Throws: `JournalError`.
  public func list(
    machine: String, in state: String, after id: String? = nil, limit: Int = 100
  ) async throws(JournalError) -> [CaseSummary] {
    try await cases(whose: machine, in: state, after: id, limit: limit)
  }

  package func summary(of id: String) async throws(JournalError) -> CaseSummary? {
    try await calls.call { try await $0.summary(of: id) }
  }

  /// The number of cases that are awake.
  public var active: Int { awake.withLock(\.count) }

  /// Refuses further calls, and puts all cases to sleep; returns once all pending entries are stored.
  ///
  /// Effects that are still running then end as after a restart. Tasks that are performed within the process have 5 s to
  /// end; what is left is performed again later.
  ///
  /// - Parameter time: the longest time to wait for running calls and effects. Durable effects that sleep are
  ///   not waited for; they continue later.
  /// - Throws: `JournalError` if a pending entry could not be stored; the cases are closed all the same.
  public func close(draining time: Duration = .zero) async throws {
    scheduler.stop()
    stopTaskLoops()
    let (writers, leaving) = awake.withLock { awake in
      awake.close()
      // An earlier failure was reported to the callers of what could not be stored.
      let writers = awake.hosts.compactMap(\.caseWriter).filter { $0.failure == nil }
      // Refusing and releasing are one step, so that no case that is being woken answers a call.
      return (writers, time > .zero ? nil : awake.releaseAll())
    }
    async let performed: Void = tasks.endPerforming()
    if let leaving {
      await end(leaving, because: closed)
    } else {
      await drain(until: ContinuousClock.now + time)
      await end(awake.withLock { $0.releaseAll() }, because: closed)
    }
    await performed
    watch.end()
    rejections.end()
    try await node?.release()
    // A case that another writer has taken over is complete as it is stored.
    if let failure = writers.compactMap(\.failure).first(where: { $0.kind != .fenced }) {
      throw failure
    }
  }

  /// Closes the journal; call it once the cases are closed and nobody else uses the journal.
  package func closeJournal() async throws(JournalError) {
    try await calls.call { try await $0.close() }
  }

  // MARK: Tasks

  /// Keeps the loops that look for answers, to stop them later.
  func keepTaskLoops(_ loops: [Task<Void, Never>]) {
    let hasEnded = state.withLock { state in
      state.taskLoops = loops
      return state.hasEnded
    }
    if hasEnded { for loop in loops { loop.cancel() } }
  }

  private func stopTaskLoops() {
    let loops = state.withLock { state in
      state.hasEnded = true
      return state.taskLoops
    }
    for loop in loops { loop.cancel() }
    tasks.end()
  }

  // MARK: What is due

  package var isClosed: Bool { awake.withLock(\.isClosed) }

  /// True if a case is awake: its host's own clock then runs what is due.
  func isAwake(_ id: String) -> Bool { awake.withLock { $0.isKnown(id) } }

  /// Returns the cases that could not be woken and are tried again later than a time, each with that time.
  package func troubled(after time: Int) -> [String: Int] {
    state.withLock { state in
      state.troubled = state.troubled.filter { $0.value > time }
      return state.troubled
    }
  }

  /// Replaces the flow; cases that are activated from now on run it.
  func adopt(_ flow: LoadedFlow) {
    let migrated = MigratedStates(of: flow, options.limits)
    state.withLock { ($0.flow, $0.migrated) = (flow, migrated) }
  }

  /// Sets the time until which a case is not woken; nil clears it.
  package func note(_ id: String, troubledUntil time: Int?) {
    state.withLock { $0.troubled[id] = time }
  }
}
