import FlowHosting
import FlowKernel
import LuaRuntime
import Platform
import Synchronization

/// Many cases of one flow, kept in a journal: each an order, a lobby, a device.
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
/// A case is *activated* when it is first asked for something, or when something of it is due, and sleeps again when it
/// is one of too many that are awake, and nothing of it lives in memory alone: a plain effect under way, a clean-up, a
/// scope that was opened by hand, a subscriber. What sleeps takes no memory; its timers fire all the same.
public final class Cases: Sendable {
  private struct State {
    /// Cases that could not be woken for what is due, and when that is tried again, in microseconds since 1970.
    var troubled: [String: Int] = [:]
  }

  /// The flow that the cases are of.
  public let flow: LoadedFlow
  /// Where they are kept.
  public var journal: any Journal { calls.journal }
  /// How many are awake at most; those of which something lives in memory alone come on top of that.
  public let maximumActive: Int
  package let options: HostOptions
  package let scopes: @Sendable (inout HostScopes) -> Void
  package let calls: JournalCalls
  private let state = Mutex(State())
  let awake: Mutex<AwakeCases>
  /// The states of cases of earlier texts.
  let migrated: MigratedStates
  let scheduler: CaseScheduler
  /// As what it takes part, in a journal that several share.
  let node: CaseNode?
  /// What is told of entries once they are kept.
  package let watch = EntryNotifier()
  /// Reports dispatches that did not pass to those who look at a case.
  package let rejections = CaseBroadcaster<RejectedDispatch>(capacity: 1_000)

  /// Takes charge of a flow's cases in a journal.
  ///
  /// No case is read yet, but when the next one has something due.
  ///
  /// - Parameters:
  ///   - flow: its text takes over, as each is activated, the cases of earlier texts.
  ///   - journal: where they are kept.
  ///   - options: those of each case's host; `id` is the case's.
  ///   - maximumActive: how many are awake at most.
  ///   - node: how it takes part as one of several nodes, where the journal is a `SharedJournal`.
  ///   - scopes: says which functions the flow's scopes lend to scripts.
  /// - Throws: `HostError` for scopes that the flow does not declare; `JournalError`.
  public init(
    of flow: LoadedFlow, in journal: any Journal, options: HostOptions = HostOptions(),
    maximumActive: Int = 1_000, node: NodeOptions = NodeOptions(),
    scopes: @escaping @Sendable (inout HostScopes) -> Void = { _ in }
  ) async throws {
    (self.flow, self.options, self.scopes) = (flow, options, scopes)
    let calls = JournalCalls.of(journal)
    self.calls = calls
    self.maximumActive = max(1, maximumActive)
    awake = Mutex(AwakeCases(places: self.maximumActive))
    self.node = (journal as? any SharedJournal).map { CaseNode($0, calls, node) }
    // What is wrong with the scopes is told now, not at the first case; nothing of the flow begins.
    var builder = HostScopes()
    scopes(&builder)
    _ = try HostSettings(options, builder, flow: flow.name).engine(flow)
    migrated = MigratedStates(of: flow, options.limits)
    scheduler = CaseScheduler(wall: options.wall)
    let (name, adopts) = (flow.flow.name, options.adoptsJournal)
    _ = try await calls.call { try await $0.identify(as: name, adopting: adopts) }
    try await join()
    if options.clock.movesByItself {
      scheduler.onRing { [weak self] in await self?.wakeWhatIsDue() }
      try await ringForTheNext()
    }
  }

  deinit {
    scheduler.stop()
    watch.end()
    rejections.end()
    if let node {
      node.stop()
      Task.detached { try? await node.release() }
    }
  }

  /// The case of an id, whether there is one or not: nothing is read yet.
  public subscript(id: String) -> Case { Case(id: id, cases: self) }

  /// Begins a case.
  ///
  /// - Parameters:
  ///   - id: the case's id, which none may have had before.
  ///   - given: a part of the state that is not as the flow declares it.
  ///   - key: chosen by whoever creates the case: a second creation with the same key and the same `given` answers as
  ///     the first did.
  /// - Throws: `JournalError`, if there is or was one of that id, or if the key was given to something else;
  ///   `DispatchFailure`, if what is given does not fit.
  @discardableResult
  public func create(_ id: String, given: Value = [:], key: String? = nil) async throws -> Case {
    _ = try await ask(id, .create(given: given, key: key))
    return self[id]
  }

  /// - Parameter key: what tells the request from others, where it may be made again because its answer was lost.
  func createHere(_ id: String, given: Value, key: String? = nil) async throws {
    do {
      if try await summary(of: id) != nil { throw CaseBirth.known(id) }
      try await use(id, births: .given(given, key: key)) { _ in }
    } catch let error as JournalError where error.kind == .knownCase {
      guard let key, let known = try await calls.call({ try await $0.answer(to: key, of: id) })
      else {
        throw error
      }
      try known.expect(CaseWriter.request("", given), of: id)
    }
  }

  /// Cases in order of id, behind one and no more than so many.
  ///
  /// - Throws: `JournalError`.
  public func list(
    after id: String? = nil, limit: Int = 100
  ) async throws(JournalError) -> [CaseSummary] {
    let earlier = try await earlierTexts()
    let found = try await calls.call { try await $0.cases(whose: nil, after: id, limit: limit) }
    return found.map { brought($0, earlier) }
  }

  /// Those of which a machine is in a state, or in one inside it, in order of id.
  ///
  /// A case that an earlier text of the flow has left is in the state in which a migration puts it, also before it was
  /// woken.
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

  /// How many cases are awake.
  public var active: Int { awake.withLock(\.count) }

  /// Takes no calls any more, and lets all cases sleep: what was on its way to the journal is there when this returns.
  ///
  /// Effects under way end as after a restart, but for those that come to their end while this waits for them.
  ///
  /// - Parameter time: how long it waits at most for calls and effects under way; durable effects that sleep go on
  ///   later anyway.
  /// - Throws: `JournalError`, if something that was on its way could not be stored; the cases are closed all the same.
  public func close(draining time: Duration = .zero) async throws {
    scheduler.stop()
    let writers = awake.withLock { awake in
      awake.close()
      // An earlier failure was told to those who waited for what could not be stored.
      return awake.hosts.compactMap(\.caseWriter).filter { $0.failure == nil }
    }
    await drain(until: ContinuousClock.now + time)
    await end(awake.withLock { $0.releaseAll() }, because: closed)
    watch.end()
    rejections.end()
    try await node?.release()
    // A case that another has taken has what was stored.
    if let failure = writers.compactMap(\.failure).first(where: { $0.kind != .fenced }) {
      throw failure
    }
  }

  /// Closes the journal, once the cases are closed and nobody else uses it.
  package func closeJournal() async throws(JournalError) {
    try await calls.call { try await $0.close() }
  }

  // MARK: What is due

  package var isClosed: Bool { awake.withLock(\.isClosed) }

  /// Whether a case is awake: its host's own clock sees to what is due.
  func isAwake(_ id: String) -> Bool { awake.withLock { $0.isKnown(id) } }

  /// The cases that could not be woken, and when that is tried again: later than a time.
  package func troubled(after time: Int) -> [String: Int] {
    state.withLock { state in
      state.troubled = state.troubled.filter { $0.value > time }
      return state.troubled
    }
  }

  /// Notes until when a case is not to be woken.
  package func note(_ id: String, troubledUntil time: Int?) {
    state.withLock { $0.troubled[id] = time }
  }
}
