import FlowHosting
import FlowKernel
import Platform
import StateBlocks

/// The tasks and the notifications of a journal's cases: gives tasks to workers, and receives their answers.
///
/// Waiting requests share one transaction. A waiting claim is a promise and blocks no thread.
package final class CaseTasks: Sendable {
  /// A claim that waits for a task.
  private struct Waiting {
    let number: Int
    let queues: Set<ExactText>
    let isFree: Promise<Void>
  }

  private struct State {
    var capabilities: [String: TaskCapability] {
      didSet { notifications = CaseTasks.notifications(among: capabilities) }
    }
    /// The notifications among the capabilities, in the order of their names.
    private(set) var notifications: [(name: String, queue: String, rules: NotificationRules)]
    var waiting: [Waiting] = []
    var mostWaiting = 10_000
    var last = 0
    /// The queue that was served last, after which the next claim begins.
    var served: String?
    var isEnded = false
    var deliver: (@Sendable (StoredTask) async -> Void)?
    var report: (@Sendable (HostReport.Kind, _ caseID: String, _ message: String) -> Void)?
    var findEvent: NotificationSource?
    var timeToFinish = Duration.seconds(5)
    var answered: [String: [String: Int]] = [:]

    init(capabilities: [String: TaskCapability]) {
      self.capabilities = capabilities
      notifications = CaseTasks.notifications(among: capabilities)
    }
  }

  let line: TaskLine
  /// The tasks that this node performs itself.
  let performances = TaskPerformances()
  /// The entries that were decoded last for notifications.
  let entries = DecodedEntries()
  /// The name of this node in the rows of the tasks that it performs itself.
  let worker: String
  /// The id of the journal, with which the ids of events begin.
  let journal: String
  /// A signal that other nodes have opened or answered tasks, and its reader; unread signals merge into one.
  let (signals, signal) = AsyncStream.makeStream(
    of: Void.self, bufferingPolicy: .bufferingNewest(1))
  let wall: @Sendable () -> Int
  private let state: Mutex<State>

  init(
    _ calls: JournalCalls, _ capabilities: [String: TaskCapability], journal: String,
    worker: String, wall: @escaping @Sendable () -> Int
  ) {
    (line, self.worker, self.wall) = (TaskLine(calls, wall: wall), worker, wall)
    self.journal = journal
    state = Mutex(State(capabilities: capabilities))
  }

  /// Sets the function that gives an answer to its case.
  func onAnswer(_ deliver: @escaping @Sendable (StoredTask) async -> Void) {
    state.withLock { $0.deliver = deliver }
  }

  /// The function that finds the next event of a notification.
  var findEvent: NotificationSource? {
    get { state.withLock(\.findEvent) }
    set { state.withLock { $0.findEvent = newValue } }
  }

  /// Sets the function that receives reports.
  func onReport(
    _ report: @escaping @Sendable (HostReport.Kind, _ caseID: String, _ message: String) -> Void
  ) {
    state.withLock { $0.report = report }
  }

  /// Reports an event of a case's tasks to the host.
  func report(_ kind: HostReport.Kind, _ caseID: String, _ message: String) {
    let report = state.withLock { $0.report }
    report?(kind, caseID, message)
  }

  // MARK: Capabilities

  /// The capabilities that open tasks, by name with scope, such as `root.mail`.
  package var capabilities: [String: TaskCapability] { state.withLock(\.capabilities) }

  /// The notifications of the host file, in the order of their names; read at each turn.
  var notifications: [(name: String, queue: String, rules: NotificationRules)] {
    state.withLock { $0.notifications }
  }

  /// Returns the capability of a task; nil if nobody provides it any more.
  package func capability(of task: OpenTask) -> TaskCapability? {
    state.withLock { $0.capabilities[task.capability] }
  }

  /// The names of the queues from which workers claim tasks, sorted.
  package var queues: [String] {
    Set(capabilities.values.filter { $0.kind == .worker }.map(\.queue)).sorted()
  }

  /// Replaces the capabilities; tasks that no worker has leased move to the new queues.
  package func use(_ capabilities: [String: TaskCapability]) async throws(JournalError) {
    state.withLock { $0.capabilities = capabilities }
    let performers = Set(
      capabilities.map { name, capability in
        let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
        return TaskPerformer(
          scope: parts.first ?? "", name: parts.last ?? "", kind: capability.kind,
          queue: capability.queue)
      })
    try await line.perform { (table) throws(JournalError) in try table.retarget(performers) }
    wakeAll()
    try await performFreeTasks()
  }

  // MARK: Claims

  /// Gives tasks of some queues to a worker, and waits for one if there is none.
  ///
  /// - Parameters:
  ///   - most: the greatest number of tasks.
  ///   - wait: the longest time to wait.
  /// - Returns: the tasks, each leased to the worker; nil if too many claims wait already.
  package func claim(
    from queues: [String], most: Int, by worker: String, waiting wait: Duration
  ) async throws -> [StoredTask]? {
    let end = ContinuousClock.now + wait
    while true {
      // Added before the rows are read, so that a task that is opened meanwhile is noticed.
      let waiting = wait > .zero ? add(queues) : nil
      let claimed: [StoredTask]
      do {
        claimed = try await claim(from: queues, most: most, by: worker)
      } catch {
        if let waiting { remove(waiting) }
        throw error
      }
      guard claimed.isEmpty, wait > .zero, ContinuousClock.now < end else {
        if let waiting { remove(waiting) }
        if Task.isCancelled, !claimed.isEmpty {
          await release(claimed)
          throw CancellationError()
        }
        return claimed
      }
      guard let waiting else { return isEnded ? [] : nil }
      await self.wait(for: waiting, until: end)
      try Task.checkCancellation()
    }
  }

  private func claim(
    from queues: [String], most: Int, by worker: String
  ) async throws(JournalError) -> [StoredTask] {
    let (ordered, rules) = state.withLock { state in
      let place = state.served.flatMap { queues.firstIndex(of: $0) }.map { $0 + 1 } ?? 0
      let rules = state.capabilities.mapValues {
        TaskClaim.Rules(lease: $0.lease, attempts: $0.attempts)
      }
      return (Array(queues[place...] + queues[..<place]), rules)
    }
    let claim = TaskClaim(queues: ordered, rules: rules, most: most, worker: worker)
    let claimed = try await line.perform { (table) throws(JournalError) in try table.claim(claim) }
    if let last = claimed.last { state.withLock { $0.served = last.task.queue } }
    return claimed
  }

  private func add(_ queues: [String]) -> Waiting? {
    state.withLock { state in
      guard !state.isEnded, state.waiting.count < state.mostWaiting else { return nil }
      state.last += 1
      let waiting = Waiting(
        number: state.last, queues: Set(queues.map(ExactText.init)), isFree: Promise())
      state.waiting.append(waiting)
      return waiting
    }
  }

  private func remove(_ waiting: Waiting) {
    state.withLock { state in state.waiting.removeAll { $0.number == waiting.number } }
  }

  private func wait(for waiting: Waiting, until end: ContinuousClock.Instant) async {
    let timer = Task {
      try? await Task.sleep(until: end, clock: .continuous)
      waiting.isFree.fulfill(())
    }
    await withTaskCancellationHandler {
      await waiting.isFree.value
    } onCancel: {
      waiting.isFree.fulfill(())
    }
    timer.cancel()
    remove(waiting)
  }

  /// Gives claimed tasks back because their worker has gone.
  package func release(_ claimed: [StoredTask]) async {
    for row in claimed {
      guard let token = row.token else { continue }
      _ = try? await release(row.id, token: token, after: 0)
    }
  }

  /// The most claims that wait at once; 10,000 by default.
  package var mostWaiting: Int {
    get { state.withLock(\.mostWaiting) }
    set { state.withLock { $0.mostWaiting = newValue } }
  }

  /// The time for which tasks are performed at the end before they are cancelled; 5 s by default.
  var timeToFinish: Duration {
    get { state.withLock(\.timeToFinish) }
    set { state.withLock { $0.timeToFinish = newValue } }
  }

  /// The number of waiting claims.
  package var waitingClaims: Int { state.withLock(\.waiting.count) }

  var isEnded: Bool { state.withLock(\.isEnded) }

  /// Wakes one waiting claim for each task that was opened, and claims those that this node performs itself.
  ///
  /// A case that was activated before the capabilities were replaced opens tasks for their earlier performers; these
  /// follow at once.
  func wake(for opened: [OpenTask]) {
    let (woken, isLate) = state.withLock { state in
      let woken = opened.compactMap { task -> Waiting? in
        let queue = ExactText(task.queue)
        guard let place = state.waiting.firstIndex(where: { $0.queues.contains(queue) }) else {
          return nil
        }
        return state.waiting.remove(at: place)
      }
      let isLate = opened.contains { task in
        let now = state.capabilities[task.capability]
        return now?.kind ?? .missing != task.kind || now.map { $0.queue != task.queue } ?? false
      }
      return (woken, isLate)
    }
    for waiting in woken { waiting.isFree.fulfill(()) }
    fillSlots(for: opened)
    if isLate { Task { try? await use(capabilities) } }
  }

  private func wakeAll() {
    let woken = state.withLock { state in
      defer { state.waiting = [] }
      return state.waiting
    }
    for waiting in woken { waiting.isFree.fulfill(()) }
  }

  /// Wakes as many waiting claims as there are free tasks: of leases that have ended, and tasks of other nodes.
  func wakeForFreeTasks() async throws(JournalError) {
    let wanted = state.withLock { state in
      state.waiting.reduce(into: [ExactText: Int]()) { counts, waiting in
        for queue in waiting.queues { counts[queue, default: 0] += 1 }
      }
    }
    if wanted.isEmpty { return }
    let now = wall()
    for (queue, count) in wanted {
      let free = try await line.read { (rows) throws(JournalError) in
        try rows.freeCount(in: queue.text, until: now, limit: count)
      }
      let woken = state.withLock { state in
        let woken = state.waiting.filter { $0.queues.contains(queue) }.prefix(free)
        let numbers = Set(woken.map(\.number))
        state.waiting.removeAll { numbers.contains($0.number) }
        return Array(woken)
      }
      for waiting in woken { waiting.isFree.fulfill(()) }
    }
  }

  /// Ends all waiting claims; later ones do not wait, and this node begins no further task.
  func end() {
    state.withLock { $0.isEnded = true }
    performances.end()
    signal.finish()
    wakeAll()
  }

  // MARK: Leases and answers

  /// Prolongs a lease by a time in microseconds; nil for the time of the task's capability.
  package func extend(_ id: Int, token: String, by time: Int?) async throws(JournalError)
    -> TaskReply
  {
    let leases = capabilities.mapValues(\.lease)
    return try await line.perform { (table) throws(JournalError) in
      let row = try table.rows.row(id)
      let usual = row.flatMap { leases[$0.task.capability] } ?? 60_000_000
      return try table.extend(id, token: token, by: time ?? usual)
    }
  }

  /// Gives a task back, to be claimed after a time in microseconds.
  package func release(
    _ id: Int, token: String, after time: Int
  ) async throws(JournalError) -> TaskReply {
    let reply = try await line.perform { (table) throws(JournalError) in
      try table.release(id, token: token, after: time)
    }
    if case .done(let row) = reply, time == 0 { wake(for: [row.task]) }
    return reply
  }

  /// Answers a task, and gives the answer to its case.
  ///
  /// - Parameter token: the token of the lease; nil for an operator.
  /// - Returns: the reply once the answer is durable; the case may get it later.
  package func answer(
    _ id: Int, token: String?, with outcome: TaskOutcome
  ) async throws(JournalError) -> TaskReply {
    deliver(
      try await line.perform { (table) throws(JournalError) in
        try table.answer(id, token: token, with: outcome)
      }, outcome)
  }

  /// Answers the open task of a call, whoever performs it.
  package func answer(
    call: String, with outcome: TaskOutcome
  ) async throws(JournalError) -> TaskReply {
    deliver(
      try await line.perform { (table) throws(JournalError) in
        try table.answer(call: call, with: outcome)
      }, outcome)
  }

  /// Counts an answer that was stored, and gives it to its case; reports one that nothing waits for.
  @discardableResult
  func deliver(_ reply: TaskReply, _ outcome: TaskOutcome) -> TaskReply {
    if case .unheard(let row) = reply { reportUnheard(row) }
    guard case .done(let row) = reply, row.state == .answered else { return reply }
    switch outcome {
    case .answer: countOutcome(of: row, as: "answer")
    case .failure(let failure): countOutcome(of: row, as: failure.isFinal ? "final" : "retryable")
    }
    line.tellOthers(of: row.caseID)
    if let deliver = state.withLock({ $0.deliver }) { Task { await deliver(row) } }
    return reply
  }

  /// Counts and reports an answer that was kept because nothing waited for it.
  func reportUnheard(_ row: StoredTask) {
    countOutcome(of: row, as: "unheard")
    report(
      .lateAnswer, row.caseID,
      "\(row.task.capability) answered when nothing waited for it any more: task \(row.id) is kept as unheard"
    )
  }

  /// Counts an outcome of a task's capability under its class, for the metrics.
  func countOutcome(of row: StoredTask, as name: String) {
    state.withLock { $0.answered[row.task.capability, default: [:]][name, default: 0] += 1 }
  }

  /// The number of answers that were given to this node, by capability and class.
  package var answerCounts: [String: [String: Int]] { state.withLock(\.answered) }
}
