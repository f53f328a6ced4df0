import FlowHosting
import FlowKernel

/// Queries about cases on a connection; damaged rows are reported as errors, and never returned.
package struct CaseReads {
  package let connection: any SQLConnection

  package init(connection: any SQLConnection) { self.connection = connection }

  private var path: String { connection.path }

  /// A case as it is restored: its newest intact snapshot, and the entries behind it.
  ///
  /// Both are missing if the case was erased, or ended so long ago that compaction has dropped them.
  package struct Found {
    package let row: CaseRow
    package let snapshot: StoredSnapshot?
    package let entries: [JournalEntry]
    /// The open tasks of the case.
    package let tasks: StoredTasks

    package func stored(fence: Int) -> StoredCase {
      StoredCase(
        fence: fence, birth: .init(time: row.summary.born, seed: row.seed), snapshot: snapshot,
        entries: entries, ended: row.summary.ended, tasks: tasks)
    }
  }

  package func find(_ id: String) throws(JournalError) -> Found? {
    try connection.reading { () throws(JournalError) -> Found? in
      guard let row = try CaseRow.read(id, on: connection) else { return nil }
      return try find(row)
    }
  }

  /// Returns the case of a row that was read in the present transaction.
  package func find(_ row: CaseRow) throws(JournalError) -> Found {
    let tasks = try SQLTaskRows(connection: connection).stored(of: row.id)
    let snapshot = try snapshot(of: row, isNewest: true)
    if snapshot == nil && row.first > 1 {
      if row.summary.ended != nil {
        return Found(row: row, snapshot: nil, entries: [], tasks: tasks)
      }
      throw Damage.error(
        path, "case \"\(row.id)\" has no complete snapshot, but its first entries were dropped")
    }
    var (entries, isErased): ([JournalEntry], Bool) = ([], false)
    try each(of: row, from: (snapshot?.seq ?? 0) + 1, limit: .max) { entry in
      isErased = isErased || entry.body == nil
      entries.append(entry.entry)
    }
    if isErased { return Found(row: row, snapshot: nil, entries: [], tasks: tasks) }
    return Found(row: row, snapshot: snapshot, entries: entries, tasks: tasks)
  }

  /// Returns the oldest or newest snapshot of a case that is intact and followed by stored entries.
  package func snapshot(
    of id: String, isNewest: Bool = false
  ) throws(JournalError) -> StoredSnapshot? {
    try connection.reading { () throws(JournalError) -> StoredSnapshot? in
      guard let row = try CaseRow.read(id, on: connection) else { return nil }
      return try snapshot(of: row, isNewest: isNewest)
    }
  }

  /// Returns the newest or oldest snapshot that is intact and followed by stored entries.
  private func snapshot(
    of row: CaseRow, isNewest: Bool
  ) throws(JournalError) -> StoredSnapshot? {
    var found: StoredSnapshot?
    try connection.each(
      """
      SELECT seq, flow, sum, body FROM snapshot
      WHERE life = ? AND seq BETWEEN ? AND ? ORDER BY seq \(isNewest ? "DESC" : "ASC")
      """, [.text(row.id), .integer(row.first - 1), .integer(row.seq)]
    ) { line in
      guard found == nil else { return }
      let snapshot = StoredSnapshot(
        seq: line.integer(0), flow: line.integer(1), body: line.bytes(3))
      if snapshot.checksum(of: row.id) == line.integer(2) { found = snapshot }
    }
    return found
  }

  // MARK: Entries

  package func entries(of id: String, from seq: Int, limit: Int) throws(JournalError)
    -> [JournalEntry]
  {
    try connection.reading { () throws(JournalError) -> [JournalEntry] in
      guard let row = try CaseRow.read(id, on: connection) else { return [] }
      return try entries(of: row, from: seq, limit: limit)
    }
  }

  private func entries(
    of row: CaseRow, from seq: Int, limit: Int
  ) throws(JournalError) -> [JournalEntry] {
    var found: [JournalEntry] = []
    try each(of: row, from: seq, limit: limit) { found.append($0.entry) }
    return found
  }

  /// Reads entries along the chain of a case; throws `damaged` if one is missing or not as it was written.
  package func each(
    of row: CaseRow, from seq: Int, limit: Int, _ read: (EntryRow) -> Void
  ) throws(JournalError) {
    let start = max(seq, row.first)
    guard limit > 0, start <= row.seq else { return }
    var (next, chain) = (start, try self.chain(before: start, of: row))
    try connection.each(
      "SELECT \(EntryRow.columns) FROM entry WHERE life = ? AND seq >= ? ORDER BY seq LIMIT ?",
      [.text(row.id), .integer(start), .integer(limit)]
    ) { (line) throws(JournalError) in
      let entry = EntryRow(line)
      guard entry.seq == next else { throw wrong(row, next, "is missing") }
      chain = Chain.link(after: chain, id: row.id, entry: entry)
      guard chain == line.integer(6), entry.body.map(Checksum.of) ?? entry.sum == entry.sum else {
        throw wrong(row, next, "was changed after it was written")
      }
      next += 1
      read(entry)
    }
    if next <= row.seq && next - start < limit { throw wrong(row, next, "is missing") }
    if next > row.seq && (next != row.seq + 1 || chain != row.chain) {
      throw wrong(row, row.seq, "is not the last entry that was written")
    }
  }

  private func chain(before seq: Int, of row: CaseRow) throws(JournalError) -> Int {
    if seq == row.first { return row.base }
    let chain = try connection.row(
      "SELECT chain FROM entry WHERE life = ? AND seq = ?", .text(row.id), .integer(seq - 1)
    ) { $0.integer(0) }
    guard let chain else { throw wrong(row, seq - 1, "is missing") }
    return chain
  }

  private func wrong(_ row: CaseRow, _ seq: Int, _ what: String) -> JournalError {
    Damage.error(path, "entry \(seq) of case \"\(row.id)\" \(what)")
  }

  // MARK: Lists

  package func summary(of id: String) throws(JournalError) -> CaseSummary? {
    try CaseRow.read(id, on: connection)?.summary
  }

  package func cases(
    whose machine: (name: String, state: String)?, after id: String?, limit: Int
  ) throws(JournalError) -> [CaseSummary] {
    // Ids are never empty, so that all of them are behind the empty one.
    let (after, limit) = (Field.text(id ?? ""), Field.integer(max(0, limit)))
    guard let machine else {
      return try connection.rows(
        "SELECT \(CaseRow.columns) FROM life WHERE id > ? ORDER BY id LIMIT ?", after, limit
      ) { (row) throws(JournalError) in try CaseRow(row, path: path).summary }
    }
    return try connection.rows(
      """
      SELECT \(CaseRow.columns) FROM stands JOIN life ON life.id = stands.life
      WHERE machine = ? AND state = ? AND stands.life > ? ORDER BY stands.life LIMIT ?
      """, .text(machine.name), .text(machine.state), after, limit
    ) { (row) throws(JournalError) in try CaseRow(row, path: path).summary }
  }

  /// Returns the numbers of cases that have not ended, by the flow of their last entry.
  package func livingCases() throws(JournalError) -> [LivingCases] {
    let counts = try connection.rows(
      "SELECT flow, count(*) FROM life WHERE ended_us IS NULL GROUP BY flow ORDER BY flow"
    ) { (flow: $0.integer(0), count: $0.integer(1)) }
    var living: [LivingCases] = []
    for (flow, count) in counts {
      let first = try connection.row(
        "SELECT id FROM life WHERE flow = ? AND ended_us IS NULL ORDER BY id LIMIT 1",
        .integer(flow)
      ) { $0.text(0) }
      if let first { living.append(LivingCases(flow: flow, count: count, first: first)) }
    }
    return living
  }

  package func due(until time: Int, limit: Int) throws(JournalError) -> [String] {
    try connection.rows(
      "SELECT id FROM life WHERE due_us <= ? ORDER BY due_us, id LIMIT ?",
      .integer(time), .integer(max(0, limit))
    ) { $0.text(0) }
  }

  package func nextDue(after time: Int) throws(JournalError) -> Int? {
    try connection.row(
      "SELECT due_us FROM life WHERE due_us > ? ORDER BY due_us LIMIT 1", .integer(time)
    ) { $0.integer(0) }
  }

  /// Returns the stored answer to a key.
  ///
  /// - Parameter keys: the age at which keys expire; nil to return expired answers, too.
  package func answer(
    to key: String, of id: String, _ keys: KeyAge? = nil
  ) throws(JournalError) -> KeyedAnswer? {
    let found = try connection.row(
      "SELECT \(AnswerRow.columns) FROM ack WHERE life = ? AND key = ?", .text(id), .text(key)
    ) { (row) throws(JournalError) in try AnswerRow(row, path: path) }
    guard let found, keys?.isForgotten(found.wall) != true else { return nil }
    return found.answer
  }
}

/// A row of the table `ack`.
package struct AnswerRow {
  package let id: String
  package let seq: Int
  package let wall: Int
  package let answer: KeyedAnswer

  package var checksum: Int {
    var sum = Checksum()
    sum.add(id)
    sum.add(answer.key)
    sum.add(seq)
    sum.add(answer.request)
    sum.add(answer.revision)
    sum.add(wall)
    return Int(sum.value)
  }

  package init(_ answer: KeyedAnswer, of id: String, in entry: JournalEntry) {
    (self.id, seq, wall, self.answer) = (id, entry.seq, entry.wall, answer)
  }

  package static let columns = "life, key, seq, request, revision, wall_us, sum"

  package init(_ row: any SQLRow, path: String) throws(JournalError) {
    (id, seq, wall) = (row.text(0), row.integer(2), row.integer(5))
    answer = KeyedAnswer(
      key: row.text(1), request: row.bytes(3), revision: row.integer(4))
    if checksum != row.integer(6) {
      throw Damage.error(
        path,
        "the answer to key \"\(answer.key)\" of case \"\(id)\" was changed after it was written")
    }
  }

  package func insert(on connection: any SQLConnection) throws(JournalError) {
    try connection.run(
      """
      INSERT INTO ack(\(Self.columns)) VALUES(?, ?, ?, ?, ?, ?, ?)
      """,
      .text(id), .text(answer.key), .integer(seq),
      .bytes(answer.request), .integer(answer.revision), .integer(wall),
      .integer(checksum))
  }
}
