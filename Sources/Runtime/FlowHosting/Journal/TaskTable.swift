import FlowKernel

/// The rules of tasks, over the rows of a store, within one transaction.
///
/// A task is open until the entry of its case closes it. The token of the latest lease is the right to answer; an
/// expired lease is lost once somebody else claims the task.
package struct TaskTable {
  package let rows: any TaskRows
  /// The time, in microseconds since 1970.
  package let now: Int

  /// The time for which a closed row is kept, so that repeated requests get the same response, and for which an answer
  /// that nothing waited for is kept, in microseconds.
  package static let (keepsClosed, keepsUnheard) = (3_600_000_000, 7 * 24 * 3_600_000_000)

  /// The greatest size of the arguments that are given to a worker at once, in bytes.
  private static let mostClaimed = 3 << 20

  package init(_ rows: any TaskRows, at now: Int) { (self.rows, self.now) = (rows, now) }

  // MARK: Entries

  /// Closes and opens the tasks of an entry, and sets its notifications.
  ///
  /// All tasks of calls are closed once the case has ended.
  ///
  /// - Parameter leasing: the time at which leases of the entry begin; nil for the table's.
  package func apply(
    _ entry: JournalEntry, of caseID: String, leasing: Int? = nil
  ) throws(JournalError) {
    let changes = entry.tasks
    if !changes.closed.isEmpty {
      let open = try rows.open(of: caseID)
      for closed in changes.closed {
        let key = OpenTask.Key(call: closed.call, tryNumber: closed.tryNumber)
        for row in open where row.task.key == key {
          try close(row, isAnswered: closed.isAnswered)
        }
      }
    }
    for task in changes.opened {
      var row = StoredTask(task, of: caseID)
      if task.kind == .missing {
        (row.state, row.free) = (.dead, nil)
        row.error = TaskTable.missing(task.capability)
      } else if let lease = entry.leases[task.key] {
        (row.state, row.attempt) = (.leased, 1)
        row.free = EngineTime.later(leasing ?? now, by: lease.length)
        (row.token, row.worker) = (lease.token, lease.worker)
      }
      _ = try rows.insert(row)
    }
    if entry.hasEnded {
      for row in try rows.open(of: caseID) where row.task.kind != .notification {
        try close(row, isAnswered: false)
      }
    }
    try notify(of: entry, in: caseID)
  }

  private func close(_ row: StoredTask, isAnswered: Bool) throws(JournalError) {
    // Nobody has a task that was never given to somebody, so that no answer can come.
    if !isAnswered, row.token == nil, row.outcome == nil { return try rows.delete(row.id) }
    var row = row
    row.state = isAnswered ? .closed : .cancelled
    row.free = nil
    row.answered = now
    try rows.update(row)
  }

  static func missing(_ capability: String) -> String {
    "nobody provides \(capability)"
  }

  // MARK: Leases

  /// Gives free tasks of some queues to a worker.
  ///
  /// The queues are served in turn, one task of each. A task whose lease has ended too often is dead.
  package func claim(_ claim: TaskClaim) throws(JournalError) -> [StoredTask] {
    var free: [[StoredTask]] = []
    for queue in claim.queues {
      free.append(try claimable(in: queue, claim))
    }
    var claimed: [StoredTask] = []
    var (round, bytes) = (0, 0)
    while claimed.count < claim.most, free.contains(where: { $0.count > round }) {
      for tasks in free where round < tasks.count && claimed.count < claim.most {
        bytes += tasks[round].task.arguments.size
        if !claimed.isEmpty, bytes > TaskTable.mostClaimed { return claimed }
        let time = claim.rules(of: tasks[round]).lease
        claimed.append(try lease(tasks[round], time, to: claim.worker))
      }
      round += 1
    }
    return claimed
  }

  /// Returns tasks of a queue that can be leased; ends those whose leases were lost too often.
  private func claimable(
    in queue: String, _ claim: TaskClaim
  ) throws(JournalError) -> [StoredTask] {
    while true {
      let free = try rows.free(in: queue, until: now, limit: claim.most)
      var found: [StoredTask] = []
      for row in free {
        if let row = try claimable(row, claim) { found.append(row) }
      }
      // A task that has ended leaves its place to others, which are read with the next attempt.
      if found.count == free.count || free.count < claim.most { return found }
    }
  }

  /// Returns a free task if it can be leased; ends it if its leases were lost too often.
  private func claimable(
    _ row: StoredTask, _ claim: TaskClaim
  ) throws(JournalError) -> StoredTask? {
    if row.state == .ready { return row }
    if row.task.isOnce {
      try fail(row, "its worker did not answer")
      return nil
    }
    var row = row
    row.lost += 1
    if row.lost < claim.rules(of: row).attempts { return row }
    (row.state, row.free) = (.dead, nil)
    row.error = TaskTable.lost(row.lost)
    try rows.update(row)
    return nil
  }

  /// Returns the error of a task whose leases were lost too often.
  static func lost(_ count: Int) -> String {
    "\(count) \(count == 1 ? "lease has" : "leases have") ended without an answer"
  }

  private func lease(
    _ row: StoredTask, _ time: Int, to worker: String
  ) throws(JournalError) -> StoredTask {
    var row = row
    row.state = .leased
    row.free = EngineTime.later(now, by: time)
    row.attempt += 1
    row.token = TaskTable.newToken()
    row.worker = worker
    try rows.update(row)
    return row
  }

  package static func newToken() -> String {
    let digits = String(UInt64.random(in: 0 ... .max), radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// Prolongs a lease.
  package func extend(_ id: Int, token: String, by time: Int) throws(JournalError) -> TaskReply {
    try held(rows.row(id), token) { (row) throws(JournalError) in
      row.state = .leased
      row.free = EngineTime.later(now, by: time)
    }
  }

  /// Gives a task back; no lease counts as lost.
  package func release(_ id: Int, token: String, after time: Int) throws(JournalError) -> TaskReply
  {
    try held(rows.row(id), token) { (row) throws(JournalError) in
      row.state = .ready
      row.free = EngineTime.later(now, by: time)
      row.token = nil
    }
  }

  /// Changes a task that the token's holder has.
  func held(
    _ row: StoredTask?, _ token: String, _ change: (inout StoredTask) throws(JournalError) -> Void
  ) throws(JournalError) -> TaskReply {
    guard var row else { return .unknown }
    switch row.state {
    case .cancelled: return .closed(row)
    case .closed, .answered: return row.token == token ? .answered(row) : .leaseLost(row)
    case .dead: return .leaseLost(row)
    case .ready, .leased, .called: break
    }
    guard row.token == token else { return .leaseLost(row) }
    try change(&row)
    try rows.update(row)
    return .done(row)
  }

  // MARK: Answers

  /// Answers a task.
  ///
  /// - Parameter token: the token of the latest lease; nil for an operator, who answers dead tasks alone.
  package func answer(
    _ id: Int, token: String?, with outcome: TaskOutcome
  ) throws(JournalError) -> TaskReply {
    try answer(rows.row(id), token: token, with: outcome)
  }

  func answer(
    _ row: StoredTask?, token: String?, with outcome: TaskOutcome
  ) throws(JournalError) -> TaskReply {
    guard var row else { return .unknown }
    switch row.refusal(of: token) {
    case nil:
      try settle(&row, outcome)
      return .done(row)
    case .leaseLost(let row)?: return .leaseLost(row)
    case let refusal?: return try answerLate(row, outcome, or: refusal)
    }
  }

  /// Answers the open task of a call, whoever performs it, as a webhook does.
  ///
  /// - Returns: `unknown` if there never was such a call; `closed` or `unheard` if nothing waits for it any more.
  package func answer(call: String, with outcome: TaskOutcome) throws(JournalError) -> TaskReply {
    guard var row = try rows.latest(ofCall: call), row.task.kind != .notification else {
      return .unknown
    }
    switch row.state {
    case .answered, .closed, .cancelled: return try answerLate(row, outcome, or: .closed(row))
    case .ready, .leased, .called, .dead:
      try settle(&row, outcome)
      return .done(row)
    }
  }

  /// Answers a task that has its answer, or for which nothing waits any more.
  ///
  /// The first answer of a cancelled task is kept as unheard. So is a result of a call that has failed, because its time
  /// had passed for example: the effect has got the failure or is about to get it, and what was called has succeeded
  /// after that.
  ///
  /// - Parameter refusal: the reply to an answer that is not kept.
  private func answerLate(
    _ row: StoredTask, _ outcome: TaskOutcome, or refusal: TaskReply
  ) throws(JournalError) -> TaskReply {
    if row.state != .cancelled, row.outcome == outcome { return .done(row) }
    if let latest = try rows.latest(ofCall: row.task.call), latest.id > row.id,
      latest.task.key == row.task.key
    {
      return .closed(latest)
    }
    var kept = row
    (kept.state, kept.outcome, kept.answered) = (.cancelled, outcome, now)
    switch (row.state, row.outcome, outcome) {
    case (.cancelled, nil, _), (.closed, .failure?, .answer): try rows.update(kept)
    case (.answered, .failure?, .answer):
      // The effect is about to get the failure, so that the result has a row of its own.
      kept = kept.numbered(try rows.insert(kept))
      try rows.update(kept)
    default: return refusal
    }
    return .unheard(kept)
  }

  private func settle(_ row: inout StoredTask, _ outcome: TaskOutcome) throws(JournalError) {
    setAnswer(of: &row, outcome)
    try rows.update(row)
  }

  private func setAnswer(of row: inout StoredTask, _ outcome: TaskOutcome) {
    (row.state, row.free) = (.answered, nil)
    (row.answered, row.outcome) = (now, outcome)
    if case .failure(let failure) = outcome { row.error = failure.message }
  }

  /// Gives a task a final failure, without storing it.
  func fail(_ row: inout StoredTask, _ reason: String) {
    let failure = CallFailure(message: "\(row.task.name): \(reason)", isFinal: true)
    setAnswer(of: &row, .failure(failure))
  }

  /// Gives a task a final failure, and stores it.
  func fail(_ row: StoredTask, _ reason: String) throws(JournalError) {
    var row = row
    fail(&row, reason)
    try rows.update(row)
  }

  /// Answers tasks whose time has passed with a failure, up to 1,000.
  ///
  /// - Returns: the number of tasks that have failed.
  package func expire() throws(JournalError) -> Int {
    var count = 0
    for row in try rows.overdue(at: now, limit: 1_000) {
      let isLate = row.task.deadline.map { $0 <= now } ?? false
      try fail(row, isLate ? "no answer came in time" : "its worker did not answer")
      count += 1
    }
    return count
  }

  /// Deletes rows that are not needed any more.
  package func deleteEnded() throws(JournalError) {
    try rows.deleteEnded(
      closedBefore: now - TaskTable.keepsClosed, cancelledBefore: now - TaskTable.keepsUnheard)
  }

  /// Keeps an answer that no effect waits for as unheard.
  @discardableResult
  package func discard(_ id: Int) throws(JournalError) -> TaskReply {
    guard var row = try rows.row(id) else { return .unknown }
    guard row.state == .answered else { return .closed(row) }
    (row.state, row.answered) = (.cancelled, now)
    try rows.update(row)
    return .unheard(row)
  }

  // MARK: Operators

  /// Makes dead tasks ready again, up to 1,000; lost leases count from 0 again.
  ///
  /// A task that nobody provides stays dead.
  package func retry(_ query: TaskQuery) throws(JournalError) -> [StoredTask] {
    var query = query
    (query.state, query.limit) = (.dead, min(query.limit, 1_000))
    var retried: [StoredTask] = []
    while retried.count < query.limit {
      let listed = try rows.list(query)
      for row in listed where retried.count < query.limit {
        if let row = try makeReady(row.id) { retried.append(row) }
      }
      // Answers that nothing waited for are listed, too, and tasks that nobody provides.
      guard let last = listed.last, listed.count == query.limit else { break }
      query.after = last.id
    }
    return retried
  }

  /// Makes a dead task ready again.
  package func retry(_ id: Int) throws(JournalError) -> TaskReply {
    guard let row = try rows.row(id) else { return .unknown }
    if row.isOver { return .closed(row) }
    guard let row = try makeReady(id) else { return .answered(row) }
    return .done(row)
  }

  private func makeReady(_ id: Int) throws(JournalError) -> StoredTask? {
    guard var row = try rows.row(id), row.state == .dead, row.task.kind != .missing else {
      return nil
    }
    if row.task.kind == .notification { return try readied(row, at: row.position) }
    (row.state, row.free) = (.ready, now)
    (row.lost, row.token) = (0, nil)
    try rows.update(row)
    return row
  }

  /// Deletes an answer that nothing waited for, or skips an event of a notification.
  package func drop(_ id: Int) throws(JournalError) -> TaskReply {
    guard let row = try rows.row(id) else { return .unknown }
    if row.task.kind == .notification { return try dropEvent(of: row) }
    guard row.isUnheard else { return .answered(row) }
    try rows.delete(id)
    return .done(row)
  }
}

/// A request of a worker for tasks.
package struct TaskClaim: Sendable {
  /// The rules of the leases of a capability's tasks.
  package struct Rules: Sendable {
    /// The length of a lease, in microseconds.
    package let lease: Int
    /// The number of lost leases after which a task is dead.
    package let attempts: Int

    package init(lease: Int = 60_000_000, attempts: Int = 20) {
      (self.lease, self.attempts) = (lease, attempts)
    }
  }

  /// The names of the queues, the first one served first.
  package let queues: [String]
  /// The rules by capability, such as `root.mail`.
  package let rules: [String: Rules]
  /// The greatest number of tasks.
  package let most: Int
  /// The name of the worker.
  package let worker: String

  package init(queues: [String], rules: [String: Rules] = [:], most: Int, worker: String) {
    (self.queues, self.rules, self.most, self.worker) = (queues, rules, most, worker)
  }

  fileprivate func rules(of row: StoredTask) -> Rules { rules[row.task.capability] ?? Rules() }
}
