import FlowHosting
import FlowKernel

/// The row of a case in the table `life`, with a checksum of its own.
package struct CaseRow {
  package var summary: CaseSummary
  package var seed: UInt64
  /// The number of the first stored entry: compaction drops earlier ones.
  package var first: Int
  /// The chain value before that entry.
  package var base: Int
  /// The chain value after the last entry.
  package var chain: Int
  /// The fence of the activation that has written it.
  package var fence: Int
  /// The count and checksum of stored answers to keys.
  package var answers = Tally()
  /// The count and checksum of stored snapshots.
  package var snapshots = Tally()

  package var id: String { summary.id }
  package var seq: Int { summary.seq }

  /// Makes the row of a case before its first entry.
  package init(_ first: JournalEntry, birth: JournalEntry.Birth, of id: String, fence: Int) {
    summary = CaseSummary(
      id: id, seq: 0, revision: 0, flow: first.flow, born: birth.time, wall: birth.time, due: nil,
      machines: [:], ended: nil)
    seed = birth.seed
    base = Chain.base(of: id, born: birth.time, seed: birth.seed)
    (self.first, chain, self.fence) = (1, base, fence)
  }

  package var checksum: Int {
    var sum = Checksum()
    sum.add(summary.id)
    for number in [
      summary.flow, summary.born, Int(bitPattern: UInt(seed)), first, base, summary.seq, chain,
      fence, summary.revision, summary.wall, answers.count, answers.sum, snapshots.count,
      snapshots.sum,
    ] {
      sum.add(number)
    }
    sum.add(summary.due)
    sum.add(MachineText.of(summary.machines))
    sum.add(summary.ended)
    return Int(sum.value)
  }

  // MARK: In the table

  private static let names = """
    id, flow, born_us, seed, first, base, seq, chain, fence, revision, wall_us, due_us, machines, \
    ended_us, sum, acks, acks_sum, snaps, snaps_sum
    """

  package static let columns = """
    life.id, life.flow, life.born_us, life.seed, life.first, life.base, life.seq, life.chain, \
    life.fence, life.revision, life.wall_us, life.due_us, life.machines, life.ended_us, life.sum, \
    life.acks, life.acks_sum, life.snaps, life.snaps_sum
    """

  /// Reads the row from a result that has these columns first.
  ///
  /// - Throws: `JournalError`: `damaged` if the row is not as it was written.
  package init(_ row: any SQLRow, path: String) throws(JournalError) {
    summary = CaseSummary(
      id: row.text(0), seq: row.integer(6), revision: row.integer(9), flow: row.integer(1),
      born: row.integer(2), wall: row.integer(10), due: row.optional(11),
      machines: MachineText.machines(of: row.text(12)) ?? [:], ended: row.optional(13))
    let written = row.text(3)
    seed = UInt64(written) ?? 0
    (first, base, chain) = (row.integer(4), row.integer(5), row.integer(7))
    fence = row.integer(8)
    answers = Tally(count: row.integer(15), sum: row.integer(16))
    snapshots = Tally(count: row.integer(17), sum: row.integer(18))
    if checksum != row.integer(14) || String(seed) != written {
      throw Damage.error(path, "the row of case \"\(summary.id)\" was changed after it was written")
    }
  }

  /// Returns the row of a case, and locks it until the end of the transaction if it is to be written.
  package static func read(
    _ id: String, toWrite: Bool = false, on connection: any SQLConnection
  ) throws(JournalError) -> CaseRow? {
    let lock = toWrite ? connection.rowLock : ""
    return try connection.row("SELECT \(columns) FROM life WHERE id = ?\(lock)", .text(id)) {
      (row) throws(JournalError) in try CaseRow(row, path: connection.path)
    }
  }

  package func insert(on connection: any SQLConnection) throws(JournalError) {
    try connection.run(
      """
      INSERT INTO life(\(Self.names)) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13,
        ?14, ?15, ?16, ?17, ?18, ?19)
      """,
      .text(id), .integer(summary.flow), .integer(summary.born), .text(String(seed)),
      .integer(first), .integer(base), .integer(seq), .integer(chain), .integer(fence),
      .integer(summary.revision), .integer(summary.wall), .integer(summary.due),
      .text(MachineText.of(summary.machines)), .integer(summary.ended), .integer(checksum),
      .integer(answers.count), .integer(answers.sum), .integer(snapshots.count),
      .integer(snapshots.sum))
  }

  package func update(on connection: any SQLConnection) throws(JournalError) {
    try connection.run(
      """
      UPDATE life SET flow = ?2, first = ?3, base = ?4, seq = ?5, chain = ?6, fence = ?7,
        revision = ?8, wall_us = ?9, due_us = ?10, machines = ?11, ended_us = ?12, sum = ?13,
        acks = ?14, acks_sum = ?15, snaps = ?16, snaps_sum = ?17
      WHERE id = ?1
      """,
      .text(id), .integer(summary.flow), .integer(first), .integer(base), .integer(seq),
      .integer(chain), .integer(fence), .integer(summary.revision), .integer(summary.wall),
      .integer(summary.due), .text(MachineText.of(summary.machines)), .integer(summary.ended),
      .integer(checksum), .integer(answers.count), .integer(answers.sum),
      .integer(snapshots.count), .integer(snapshots.sum))
  }
}

extension CaseRow {
  /// Updates the row with the case's next entries and their answers.
  ///
  /// - Returns: the rows of the entries, each with the chain value after it.
  package mutating func add(_ entries: [JournalEntry]) -> [(line: EntryRow, chain: Int)] {
    entries.map { entry in
      let line = EntryRow(entry)
      chain = Chain.link(after: chain, id: id, entry: line)
      summary = summary.followed(by: entry)
      for answer in entry.answers { answers.add(AnswerRow(answer, of: id, in: entry).checksum) }
      return (line, chain)
    }
  }
}

/// A row of the table `entry`.
package struct EntryRow {
  package let seq: Int
  package let flow: Int
  package let wall: Int
  package let revision: Int
  /// The checksum of the body.
  package let sum: Int
  /// The content of the entry; nil once it was erased.
  package let body: [UInt8]?

  package init(_ entry: JournalEntry) {
    (seq, flow, wall, revision) = (entry.seq, entry.flow, entry.wall, entry.revision)
    (sum, body) = (Checksum.of(entry.body), entry.body)
  }

  package static let columns = "seq, flow, wall_us, revision, sum, body, chain"

  package init(_ row: any SQLRow) {
    (seq, flow, wall) = (row.integer(0), row.integer(1), row.integer(2))
    (revision, sum) = (row.integer(3), row.integer(4))
    body = row.isNull(5) ? nil : row.bytes(5)
  }

  package func insert(of id: String, chain: Int, on connection: any SQLConnection)
    throws(JournalError)
  {
    try connection.run(
      """
      INSERT INTO entry(life, seq, flow, wall_us, revision, chain, sum, body)
      VALUES(?, ?, ?, ?, ?, ?, ?, ?)
      """, .text(id), .integer(seq), .integer(flow), .integer(wall), .integer(revision),
      .integer(chain), .integer(sum), .bytes(body))
  }

  package var entry: JournalEntry {
    JournalEntry(seq: seq, flow: flow, wall: wall, body: body ?? [], revision: revision)
  }
}

/// Errors of rows that are not as they were written.
package enum Damage {
  package static func error(_ path: String, _ what: String) -> JournalError {
    JournalError(
      .damaged,
      "\(path) is damaged: \(what). \"moonlatch journal verify\" lists all damage; the undamaged "
        + "cases can be used, the rest is in your last backup.")
  }
}
