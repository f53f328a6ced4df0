import FlowKernel

/// The table of tasks of a journal in memory; a value, so that a transaction that fails leaves no trace.
struct InMemoryTasks: Sendable {
  fileprivate var rows: [Int: StoredTask] = [:]
  fileprivate var last = 0

  /// Returns the open tasks of a case.
  func open(of caseID: String) -> StoredTasks {
    StoredTasks(rows.values.filter { $0.isOpen(of: caseID) })
  }

  /// Runs `body` with the rules of tasks; changes nothing if it throws.
  mutating func change<Answer>(
    at now: Int, _ body: (TaskTable) throws(JournalError) -> Answer
  ) throws(JournalError) -> Answer {
    let rows = InMemoryTaskRows(self)
    let answer = try body(TaskTable(rows, at: now))
    self = rows.table
    return answer
  }

  /// Runs `body` with the rows.
  func read<Answer>(
    _ body: (any TaskRows) throws(JournalError) -> Answer
  ) throws(JournalError) -> Answer {
    try body(InMemoryTaskRows(self))
  }
}

/// The rows of a table in memory during a transaction.
private final class InMemoryTaskRows: TaskRows {
  var table: InMemoryTasks

  init(_ table: InMemoryTasks) { self.table = table }

  private func rows(where matches: (StoredTask) -> Bool) -> [StoredTask] {
    table.rows.values.filter(matches).sorted { $0.id < $1.id }
  }

  func row(_ id: Int) -> StoredTask? { table.rows[id] }

  func latest(ofCall call: String) -> StoredTask? {
    rows { ExactText($0.task.call) == ExactText(call) }.last
  }

  func open(of caseID: String) -> [StoredTask] { rows { $0.isOpen(of: caseID) } }

  func free(in queue: String, until time: Int, limit: Int) -> [StoredTask] {
    let found = rows { row in
      ExactText(row.task.queue) == ExactText(queue) && row.free.map { $0 <= time } ?? false
    }
    return Array(found.sorted { ($0.free ?? 0, $0.id) < ($1.free ?? 0, $1.id) }.prefix(limit))
  }

  func freeCount(in queue: String, until time: Int, limit: Int) -> Int {
    free(in: queue, until: time, limit: limit).count
  }

  func list(_ query: TaskQuery) -> [StoredTask] {
    Array(rows(where: query.matches).prefix(max(0, query.limit)))
  }

  func answered(after last: StoredTask?, limit: Int) -> [StoredTask] {
    let (time, id) = (last?.answered ?? 0, last?.id ?? 0)
    let found = rows { $0.state == .answered && ($0.answered ?? 0, $0.id) > (time, id) }
    return Array(
      found.sorted { ($0.answered ?? 0, $0.id) < ($1.answered ?? 0, $1.id) }.prefix(limit))
  }

  func overdue(at time: Int, limit: Int) -> [StoredTask] {
    let found = rows { row in
      guard row.state.rawValue < StoredTask.State.answered.rawValue else { return false }
      if let deadline = row.task.deadline, deadline <= time { return true }
      return row.task.isOnce && row.state == .leased && row.free.map { $0 <= time } ?? false
    }
    return Array(found.prefix(limit))
  }

  func insert(_ task: StoredTask) -> Int {
    table.last += 1
    table.rows[table.last] = task.numbered(table.last)
    return table.last
  }

  func update(_ task: StoredTask) { table.rows[task.id] = task }

  func storeOpening(_ task: StoredTask) {
    if let stored = table.rows[task.id] {
      table.rows[task.id]?.task = stored.task.with(
        arguments: task.task.arguments, opened: task.task.opened)
    }
  }

  func endLeases(of kinds: Set<TaskKind>, at time: Int) {
    for var row in rows(where: { $0.state == .leased && !$0.task.isOnce })
    where kinds.contains(row.task.kind) {
      row.free = min(row.free ?? time, time)
      update(row)
    }
  }

  func delete(_ id: Int) { table.rows[id] = nil }

  func deleteEnded(closedBefore: Int, cancelledBefore: Int) {
    table.rows = table.rows.filter { _, row in
      switch row.state {
      case .closed: row.answered.map { $0 >= closedBefore } ?? true
      case .cancelled: row.answered.map { $0 >= cancelledBefore } ?? true
      case .ready, .leased, .called, .answered, .dead: true
      }
    }
  }

  func counts() -> [TaskCount] {
    let shown = rows(where: TaskQuery().matches)
    return Dictionary(grouping: shown) {
      CountKey(queue: ExactText($0.task.queue), state: $0.state)
    }
    .map { key, rows in
      TaskCount(
        queue: key.queue.text, state: key.state, count: rows.count,
        oldest: rows.map(\.task.opened).min() ?? 0)
    }
  }

  private struct CountKey: Hashable {
    let queue: ExactText
    let state: StoredTask.State
  }

  private func isFree(_ row: StoredTask, at time: Int) -> Bool {
    switch row.state {
    case .ready, .dead: true
    case .leased: !row.task.isOnce && row.free.map { $0 <= time } ?? false
    case .called, .answered, .cancelled, .closed: false
    }
  }

  func performers(at time: Int) -> [TaskPerformer] {
    Array(Set(rows { isFree($0, at: time) }.map(\.performer)))
  }

  func move(
    _ performer: TaskPerformer, to kind: TaskKind, queue: String, _ state: StoredTask.State,
    error: String?, at time: Int
  ) {
    for var row in rows(where: { isFree($0, at: time) && $0.performer == performer }) {
      let keepsState = state == .ready && row.state == .dead && row.task.kind != .missing
      row.task = row.task.performed(by: kind, queue: queue)
      if !keepsState {
        (row.state, row.free, row.error) = (state, state == .ready ? time : nil, error)
      }
      update(row)
    }
  }
}

extension StoredTask {
  fileprivate func isOpen(of caseID: String) -> Bool {
    state.rawValue < State.cancelled.rawValue && ExactText(self.caseID) == ExactText(caseID)
  }
}
