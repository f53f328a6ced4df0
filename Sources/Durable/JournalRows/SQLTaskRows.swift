import FlowHosting
import FlowKernel
import LuaRuntime

/// The rows of the table `task` on a connection, within a transaction.
package struct SQLTaskRows: TaskRows {
  package let connection: any SQLConnection

  package init(connection: any SQLConnection) { self.connection = connection }

  private static let columns = """
    n, life, effect, position, call, scope, name, kind, queue, once, arguments, opened_us, \
    deadline_us, state, free_us, answered_us, try, attempt, lost, token, worker, error, answer, \
    sum, key
    """

  private func read(
    _ condition: String, _ fields: [Field]
  ) throws(JournalError) -> [StoredTask] {
    var found: [StoredTask] = []
    try connection.each("SELECT \(Self.columns) FROM task WHERE \(condition)", fields) {
      (row) throws(JournalError) in found.append(try task(row))
    }
    return found
  }

  /// Reads a row that has the columns above.
  ///
  /// - Throws: `JournalError`: `damaged` if it is not as it was written.
  private func task(_ row: any SQLRow) throws(JournalError) -> StoredTask {
    let id = row.integer(0)
    let (bytes, key) = (row.bytes(10), row.bytes(24))
    let answer = row.isNull(22) ? nil : row.bytes(22)
    guard let kind = TaskKind(rawValue: row.integer(7)),
      let state = StoredTask.State(rawValue: row.integer(13)),
      let arguments = Value(encoded: bytes), let scopeKey = Value(encoded: key)
    else { throw damage(id) }
    let task = OpenTask(
      call: row.text(4), tryNumber: row.integer(16), effect: row.integer(2),
      position: row.text(3), scope: row.text(5), scopeKey: scopeKey, name: row.text(6),
      arguments: arguments, kind: kind, queue: row.text(8), isOnce: row.integer(9) != 0,
      opened: row.integer(11), deadline: row.optional(12))
    let outcome = answer.flatMap(TaskOutcome.init(bytes:))
    let caseID = row.text(1)
    guard (answer == nil) == (outcome == nil),
      Self.checksum(task, of: caseID, bytes, key) == row.integer(23)
    else { throw damage(id) }
    return StoredTask(
      id: id, caseID: caseID, task: task, state: state, free: row.optional(14),
      answered: row.optional(15), attempt: row.integer(17), lost: row.integer(18),
      token: row.isNull(19) ? nil : row.text(19), worker: row.isNull(20) ? nil : row.text(20),
      error: row.isNull(21) ? nil : row.text(21), outcome: outcome)
  }

  private func damage(_ id: Int) -> JournalError {
    Damage.error(connection.path, "task \(id) is not what was written")
  }

  /// Returns the checksum of what the opening of a task says; the performer and the queue may change.
  private static func checksum(
    _ task: OpenTask, of caseID: String, _ arguments: [UInt8], _ scopeKey: [UInt8]
  ) -> Int {
    var sum = Checksum()
    for text in [caseID, task.call, task.position, task.scope, task.name] { sum.add(text) }
    for number in [task.tryNumber, task.effect, task.isOnce ? 1 : 0, task.opened] {
      sum.add(number)
    }
    sum.add(task.deadline)
    sum.add(scopeKey.count)
    sum.add(scopeKey)
    sum.add(arguments)
    return Int(sum.value)
  }

  // MARK: Reading

  package func row(_ id: Int) throws(JournalError) -> StoredTask? {
    try read("n = ?\(connection.rowLock)", [.integer(id)]).first
  }

  package func latest(ofCall call: String) throws(JournalError) -> StoredTask? {
    try read("call = ? ORDER BY n DESC LIMIT 1\(connection.rowLock)", [.text(call)]).first
  }

  package func open(of caseID: String) throws(JournalError) -> [StoredTask] {
    try read("life = ? AND state < 5 ORDER BY n\(connection.rowLock)", [.text(caseID)])
  }

  /// Returns the open tasks of a case, without a lock.
  package func stored(of caseID: String) throws(JournalError) -> StoredTasks {
    StoredTasks(try read("life = ? AND state < 5", [.text(caseID)]))
  }

  /// Returns all rows of a case.
  func all(of caseID: String) throws(JournalError) -> [StoredTask] {
    try read("life = ? ORDER BY n", [.text(caseID)])
  }

  package func free(
    in queue: String, until time: Int, limit: Int
  ) throws(JournalError) -> [StoredTask] {
    try read(
      """
      queue = ? AND free_us IS NOT NULL AND free_us <= ? ORDER BY free_us, n LIMIT ?\
      \(connection.freeRowLock)
      """, [.text(queue), .integer(time), .integer(limit)])
  }

  package func freeCount(
    in queue: String, until time: Int, limit: Int
  ) throws(JournalError) -> Int {
    try connection.row(
      """
      SELECT count(*) FROM (SELECT 1 FROM task
        WHERE queue = ? AND free_us IS NOT NULL AND free_us <= ? LIMIT ?) AS free
      """, .text(queue), .integer(time), .integer(limit)
    ) { $0.integer(0) } ?? 0
  }

  package func list(_ query: TaskQuery) throws(JournalError) -> [StoredTask] {
    var conditions = ["n > ?"]
    var fields: [Field] = [.integer(query.after)]
    if let caseID = query.caseID {
      conditions.append("life = ?")
      fields.append(.text(caseID))
    }
    if let queue = query.queue {
      conditions.append("queue = ?")
      fields.append(.text(queue))
    }
    switch query.state {
    case nil: conditions.append("(state < 5 OR (state = 5 AND answer IS NOT NULL))")
    case .dead?: conditions.append("(state = 4 OR (state = 5 AND answer IS NOT NULL))")
    case let state?:
      conditions.append("state = ?")
      fields.append(.integer(state.rawValue))
    }
    fields.append(.integer(max(0, query.limit)))
    return try read(
      "\(conditions.joined(separator: " AND ")) ORDER BY n LIMIT ?", fields)
  }

  package func answered(
    after last: StoredTask?, limit: Int
  ) throws(JournalError) -> [StoredTask] {
    let time: Int = last?.answered ?? 0
    let id: Int = last?.id ?? 0
    return try read(
      "state = 3 AND (answered_us, n) > (?, ?) ORDER BY answered_us, n LIMIT ?",
      [.integer(time), .integer(id), .integer(limit)])
  }

  package func overdue(at time: Int, limit: Int) throws(JournalError) -> [StoredTask] {
    try read(
      "deadline_us IS NOT NULL AND deadline_us <= ? AND state < 3 ORDER BY deadline_us LIMIT ?"
        + connection.freeRowLock, [.integer(time), .integer(limit)])
      + read(
        "once = 1 AND state = 1 AND free_us <= ? ORDER BY free_us LIMIT ?"
          + connection.freeRowLock, [.integer(time), .integer(limit)]
      ).filter { $0.task.deadline.map { $0 > time } ?? true }
  }

  package func counts() throws(JournalError) -> [TaskCount] {
    try connection.rows(
      """
      SELECT queue, state, count(*), min(opened_us) FROM task
      WHERE state < 5 OR (state = 5 AND answer IS NOT NULL) GROUP BY queue, state
      """
    ) { row in
      TaskCount(
        queue: row.text(0), state: StoredTask.State(rawValue: row.integer(1)) ?? .dead,
        count: row.integer(2), oldest: row.integer(3))
    }
  }

  // MARK: Writing

  package func insert(_ row: StoredTask) throws(JournalError) -> Int {
    let task = row.task
    let (arguments, key) = (task.arguments.encoded, task.scopeKey.encoded)
    return try connection.row(
      """
      INSERT INTO task(life, effect, position, call, scope, key, name, kind, queue, once, arguments,
        opened_us, deadline_us, state, free_us, try, attempt, lost, token, worker, error, sum)
      VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?) RETURNING n
      """,
      .text(row.caseID), .integer(task.effect), .text(task.position), .text(task.call),
      .text(task.scope), .bytes(key), .text(task.name), .integer(task.kind.rawValue),
      .text(task.queue), .integer(task.isOnce ? 1 : 0), .bytes(arguments), .integer(task.opened),
      .integer(task.deadline), .integer(row.state.rawValue), .integer(row.free),
      .integer(task.tryNumber), .integer(row.attempt), .optional(row.token),
      .optional(row.worker), .optional(row.error),
      .integer(Self.checksum(task, of: row.caseID, arguments, key))
    ) { $0.integer(0) } ?? 0
  }

  package func update(_ row: StoredTask) throws(JournalError) {
    try connection.run(
      """
      UPDATE task SET kind = ?2, queue = ?3, state = ?4, free_us = ?5, answered_us = ?6,
        attempt = ?7, lost = ?8, token = ?9, worker = ?10, error = ?11, answer = ?12 WHERE n = ?1
      """,
      .integer(row.id), .integer(row.task.kind.rawValue), .text(row.task.queue),
      .integer(row.state.rawValue), .integer(row.free), .integer(row.answered),
      .integer(row.attempt), .integer(row.lost), .optional(row.token), .optional(row.worker),
      .optional(row.error), .bytes(row.outcome?.bytes))
  }

  package func storeOpening(_ row: StoredTask) throws(JournalError) {
    let (arguments, key) = (row.task.arguments.encoded, row.task.scopeKey.encoded)
    try connection.run(
      "UPDATE task SET opened_us = ?2, arguments = ?3, sum = ?4 WHERE n = ?1", .integer(row.id),
      .integer(row.task.opened), .bytes(arguments),
      .integer(Self.checksum(row.task, of: row.caseID, arguments, key)))
  }

  /// Returns the number of the first entry that a notification of a case has still to send; nil if there is none, or the
  /// notification is dead.
  func firstUnsent(of caseID: String) throws(JournalError) -> Int? {
    try open(of: caseID).filter { $0.task.kind == .notification && $0.state != .dead }
      .map(\.position.seq).min()
  }

  package func endLeases(of kinds: Set<TaskKind>, at time: Int) throws(JournalError) {
    for kind in kinds {
      try connection.run(
        """
        UPDATE task SET free_us = ?1
        WHERE free_us IS NOT NULL AND free_us > ?1 AND state = 1 AND once = 0 AND kind = ?2
        """, .integer(time), .integer(kind.rawValue))
    }
  }

  package func delete(_ id: Int) throws(JournalError) {
    try connection.run("DELETE FROM task WHERE n = ?", .integer(id))
  }

  package func deleteEnded(closedBefore: Int, cancelledBefore: Int) throws(JournalError) {
    for (state, time) in [(6, closedBefore), (5, cancelledBefore)] {
      try connection.run(
        "DELETE FROM task WHERE state = ? AND answered_us < ? AND state > 4",
        .integer(state), .integer(time))
    }
  }

  // MARK: Performers

  /// Returns the condition that nobody holds a row, with the parameter of the present time.
  private static func isFree(at time: String) -> String {
    "(state = 0 OR state = 4 OR (state = 1 AND once = 0 AND free_us <= \(time)))"
  }

  /// Returns the condition that a row keeps its state and its error: it is dead although somebody provided it, and is
  /// not to be ready now.
  private static func keepsState(before state: StoredTask.State) -> String {
    state == .ready ? "state = 4 AND kind <> 0" : "1 = 0"
  }

  package func performers(at time: Int) throws(JournalError) -> [TaskPerformer] {
    try connection.rows(
      "SELECT DISTINCT scope, name, kind, queue FROM task WHERE \(Self.isFree(at: "?"))",
      .integer(time)
    ) { row in
      TaskPerformer(
        scope: row.text(0), name: row.text(1), kind: TaskKind(rawValue: row.integer(2)) ?? .missing,
        queue: row.text(3))
    }
  }

  package func move(
    _ performer: TaskPerformer, to kind: TaskKind, queue: String, _ state: StoredTask.State,
    error: String?, at time: Int
  ) throws(JournalError) {
    let keepsState = Self.keepsState(before: state)
    try connection.run(
      """
      UPDATE task SET kind = ?5, queue = ?6,
        state = CASE WHEN \(keepsState) THEN state ELSE ?7 END,
        free_us = CASE WHEN \(keepsState) THEN free_us ELSE ?8 END,
        error = CASE WHEN \(keepsState) THEN error ELSE ?9 END
      WHERE scope = ?1 AND name = ?2 AND kind = ?3 AND queue = ?4
        AND \(Self.isFree(at: "?10"))
      """,
      .text(performer.scope), .text(performer.name), .integer(performer.kind.rawValue),
      .text(performer.queue), .integer(kind.rawValue), .text(queue), .integer(state.rawValue),
      .integer(state == .ready ? time : nil), .optional(error), .integer(time))
  }
}

extension Field {
  /// A text, or NULL.
  fileprivate static func optional(_ text: String?) -> Field { text.map(Field.text) ?? .bytes(nil) }
}
