import LuaRuntime
import Platform
import Synchronization

/// Many cases of one flow, kept in a journal: each an order, a lobby, a device.
///
/// ```swift
/// let orders = try Cases(of: order, in: store) { scopes in
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
  private enum Slot {
    /// Somebody activates it; who else wants it waits.
    case waking([CheckedContinuation<Result<FlowHost, any Error>, Never>])
    /// When it was last used, counted in uses, and how many use it now.
    case awake(FlowHost, used: Int, users: Int)
  }

  private struct State {
    var slots: [String: Slot] = [:]
    var uses = 0
    /// Above how many it is looked again for cases that may sleep.
    var looksAbove = 0
    /// Cases that could not be woken for what is due, and when that is tried again, in microseconds since 1970.
    var troubled: [String: Int] = [:]
    var isClosed = false
  }

  /// The flow that the cases are of.
  public let flow: LoadedFlow
  /// Where they are kept.
  public let journal: any Journal
  /// How many are awake at most, where those that are may sleep.
  public let maximumActive: Int
  let options: HostOptions
  let scopes: @Sendable (inout HostScopes) -> Void
  private let state = Mutex(State())
  let scheduler: CaseScheduler
  /// As what it takes part, in a journal that several share.
  let node: CaseNode?
  /// What is told of entries once they are kept.
  let watch = EntryNotifier()

  /// Takes charge of a flow's cases in a journal.
  ///
  /// Nothing is read yet but what is due next.
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
  ) throws {
    (self.flow, self.journal, self.options, self.scopes) = (flow, journal, options, scopes)
    self.maximumActive = max(1, maximumActive)
    self.node = (journal as? any SharedJournal).map { CaseNode($0, node) }
    // What is wrong with the scopes is told now, not at the first case; nothing of the flow begins.
    var builder = HostScopes()
    scopes(&builder)
    _ = try HostSettings(options, builder, flow: flow.name).engine(flow)
    scheduler = CaseScheduler(wall: options.wall)
    try join()
    if options.clock.movesByItself {
      scheduler.onRing { [weak self] in await self?.wakeWhatIsDue() }
      try ringForTheNext()
    }
  }

  deinit {
    scheduler.stop()
    node?.stop()
    try? node?.release()
    watch.end()
  }

  /// The case of an id, whether there is one or not: nothing is read yet.
  public subscript(id: String) -> Case { Case(id: id, cases: self) }

  /// Begins a case.
  ///
  /// - Parameters:
  ///   - id: the case's id, which none may have had before.
  ///   - given: a part of the state that is not as the flow declares it.
  /// - Throws: `JournalError`, if there is or was one of that id; `DispatchFailure`, if what is given does not fit.
  @discardableResult
  public func create(_ id: String, given: Value = [:]) async throws -> Case {
    _ = try await ask(id, .create(given: given))
    return self[id]
  }

  /// - Parameter key: what tells the request from others, where it may be made again because its answer was lost.
  func createHere(_ id: String, given: Value, key: String? = nil) async throws {
    do {
      if try journal.summary(of: id) != nil { throw CaseBirth.known(id) }
      try await use(id, births: .given(given, key: key)) { _ in }
    } catch let error as JournalError where error.kind == .knownCase {
      guard let key, try journal.answer(to: key, of: id) != nil else { throw error }
    }
  }

  /// Cases in order of id, behind one and no more than so many.
  ///
  /// - Throws: `JournalError`.
  public func list(after id: String? = nil, limit: Int = 100) throws -> [CaseSummary] {
    try journal.cases(whose: nil, after: id, limit: limit)
  }

  /// Those of which a machine is in a state, or in one inside it, in order of id.
  ///
  /// - Throws: `JournalError`.
  public func list(
    machine: String, in state: String, after id: String? = nil, limit: Int = 100
  ) throws -> [CaseSummary] {
    try journal.cases(whose: (name: machine, state: state), after: id, limit: limit)
  }

  /// How many cases are awake.
  public var active: Int {
    state.withLock { state in
      state.slots.values.count { if case .awake = $0 { true } else { false } }
    }
  }

  /// Takes no calls any more, and lets all cases sleep: what was on its way to the journal is there when this returns.
  ///
  /// Effects under way end as after a restart, but for those that come to their end while this waits for them.
  ///
  /// - Parameter time: how long it waits at most for calls and effects under way; durable effects that sleep go on
  ///   later anyway.
  /// - Throws: `JournalError`, where something could not be kept.
  public func close(draining time: Duration = .zero) async throws {
    scheduler.stop()
    state.withLock { $0.isClosed = true }
    let end = ContinuousClock.now + time
    while ContinuousClock.now < end, await !isQuiet() {
      do { try await Task.sleep(for: .milliseconds(10)) } catch { break }
    }
    let hosts = state.withLock { state -> [FlowHost] in
      defer { state.slots = [:] }
      return state.slots.values.compactMap {
        if case .awake(let host, _, _) = $0 { host } else { nil }
      }
    }
    for host in hosts { try? await host.rest() }
    watch.end()
    try node?.release()
  }

  /// Lets cases go that another node is to have: they sleep, and what lives in memory alone ends as after a restart.
  ///
  /// - Returns: what ends once all of them sleep.
  @discardableResult
  func letGo(_ isLost: (String) -> Bool) -> Task<Void, Never> {
    let hosts = state.withLock { state -> [FlowHost] in
      state.slots.keys.filter(isLost).compactMap { id in
        guard case .awake(let host, _, _) = state.slots[id] else { return nil }
        state.slots[id] = nil
        return host
      }
    }
    return Task { for host in hosts { try? await host.rest() } }
  }

  /// Whether nobody is being answered, and nothing is under way in any case that a restart would cut off.
  private func isQuiet() async -> Bool {
    let hosts: [FlowHost]? = state.withLock { state in
      var hosts: [FlowHost] = []
      for slot in state.slots.values {
        guard case .awake(let host, _, 0) = slot else { return nil }
        hosts.append(host)
      }
      return hosts
    }
    guard let hosts else { return false }
    for host in hosts where (try? await host.isQuiet()) == false { return false }
    return true
  }

  // MARK: Using

  /// Does something with a case's host, which is activated if need be and does not sleep meanwhile.
  ///
  /// - Parameter dispatch: what lay in the inbox and asks for it, if anything.
  /// - Throws: `CancellationError`, where another has that to answer by now.
  func use<Answer: Sendable>(
    _ id: String, births: CaseBirth = .never, for dispatch: InboxDispatch? = nil,
    _ body: @Sendable (FlowHost) async throws -> Answer
  ) async throws -> Answer {
    let host = try await host(of: id, births: births)
    do {
      // Not before: whoever takes the offer from now on has to take the case, too, and what is done here is refused.
      if let dispatch, let node, try !node.journal.isWaiting(dispatch, for: node.options.name) {
        throw CancellationError()
      }
      let answer = try await body(host)
      leave(id, host)
      return answer
    } catch let error as JournalError where error.kind == .fenced {
      // It is another's: whoever asks next takes it over, or is told.
      forget(id, host)
      throw error
    } catch {
      leave(id, host)
      throw error
    }
  }

  private func host(of id: String, births: CaseBirth) async throws -> FlowHost {
    enum Turn { case wake, wait, have(FlowHost), closed }
    let turn: Turn = state.withLock { state in
      if state.isClosed { return .closed }
      switch state.slots[id] {
      case .awake(let host, _, let users):
        state.uses += 1
        state.slots[id] = .awake(host, used: state.uses, users: users + 1)
        return .have(host)
      case .waking: return .wait
      case nil:
        state.slots[id] = .waking([])
        return .wake
      }
    }
    switch turn {
    case .closed: throw closed
    case .have(let host):
      if case .given = births {
        leave(id, host)
        throw CaseBirth.known(id)
      }
      return host
    case .wake: return try await wake(id, births: births)
    case .wait:
      let result = await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          guard case .waking(let waiting) = state.slots[id] else { return true }
          state.slots[id] = .waking(waiting + [continuation])
          return false
        }
        if isOver { continuation.resume(returning: .failure(CancellationError())) }
      }
      switch result {
      case .success: return try await host(of: id, births: births)
      case .failure(is CancellationError): return try await host(of: id, births: births)
      case .failure(let error): throw error
      }
    }
  }

  private func wake(_ id: String, births: CaseBirth) async throws -> FlowHost {
    var options = options
    options.id = id
    let result: Result<FlowHost, any Error>
    do {
      result = .success(
        try await FlowHost.activate(
          flow, journal: journal, case: id, births: births, options: options, watch: watch,
          scopes: scopes))
    } catch {
      result = .failure(error)
    }
    let waiting = state.withLock { state in
      let slot = state.slots[id]
      state.uses += 1
      if case .success(let host) = result {
        state.slots[id] = .awake(host, used: state.uses, users: 1)
      } else {
        state.slots[id] = nil
      }
      return slot
    }
    if case .waking(let all) = waiting { for each in all { each.resume(returning: result) } }
    if case .success = result { putToSleep() }
    return try result.get()
  }

  private func leave(_ id: String, _ host: FlowHost) {
    state.withLock { state in
      guard case .awake(let awake, let used, let users) = state.slots[id], awake === host else {
        return
      }
      state.slots[id] = .awake(host, used: used, users: users - 1)
    }
    putToSleep()
  }

  private func forget(_ id: String, _ host: FlowHost) {
    state.withLock { state in
      if case .awake(let awake, _, _) = state.slots[id], awake === host { state.slots[id] = nil }
    }
  }

  // MARK: Sleeping

  /// Those that have not been used for longest sleep, where too many are awake and nothing of them lives in memory alone.
  private func putToSleep() {
    let surplus = state.withLock { state -> [(id: String, host: FlowHost)] in
      let most = maximumActive
      guard state.slots.count > max(most, state.looksAbove) else { return [] }
      let idle = state.slots.compactMap { id, slot -> (id: String, host: FlowHost, used: Int)? in
        if case .awake(let host, let used, 0) = slot { (id, host, used) } else { nil }
      }
      // An eighth at once, so that they are not looked through for each.
      let count = state.slots.count - most + most / 8
      return idle.sorted { $0.used < $1.used }.prefix(count).map { ($0.id, $0.host) }
    }
    for (id, host) in surplus {
      guard (try? host.mayRest()) == true else { continue }
      state.withLock { state in
        guard case .awake(let awake, _, 0) = state.slots[id], awake === host else { return }
        state.slots[id] = nil
      }
    }
    // Where most may not sleep, it is looked again when there are an eighth more.
    state.withLock { state in
      let count = state.slots.count
      state.looksAbove = count > maximumActive ? count + count / 8 : 0
    }
    if !surplus.isEmpty { try? ringForTheNext() }
  }

  // MARK: What is due

  var isClosed: Bool { state.withLock(\.isClosed) }

  /// Whether a case is awake: its host's own clock sees to what is due.
  func isAwake(_ id: String) -> Bool { state.withLock { $0.slots[id] != nil } }

  /// The cases that could not be woken, and when that is tried again: later than a time.
  func troubled(after time: Int) -> [String: Int] {
    state.withLock { state in
      state.troubled = state.troubled.filter { $0.value > time }
      return state.troubled
    }
  }

  /// Notes until when a case is not to be woken.
  func note(_ id: String, troubledUntil time: Int?) {
    state.withLock { $0.troubled[id] = time }
  }
}

/// How a host's case comes into being.
enum CaseBirth {
  /// If there is none of its id.
  case ifUnknown
  /// It has to be there.
  case never
  /// It must not have been there, and begins with this; the key is kept with it.
  case given(Value, key: String?)

  static func known(_ id: String) -> JournalError {
    JournalError(.knownCase, "case \(id): there is one of that id already, or was")
  }
}
