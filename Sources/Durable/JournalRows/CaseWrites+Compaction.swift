import FlowHosting
import FlowKernel

extension CaseWrites {
  package func compact(
    _ id: String, before: Int, keysBefore: Int, _ done: inout JournalCompaction
  ) throws(JournalError) {
    guard var row = try CaseRow.read(id, toWrite: true, on: connection) else { return }
    try connection.run(
      "DELETE FROM ack WHERE life = ? AND wall_us < ?", .text(id), .integer(keysBefore))
    let forgotten = connection.changes
    done.answers += forgotten
    if forgotten > 0 { row.answers = try Tally.read(.ack, of: id, on: connection) }
    let end = try dropEntries(of: &row, before: before, &done)
    if forgotten > 0 || end != nil { try row.update(on: connection) }
  }

  /// Drops the first entries of a case if their changes are also in snapshots, or the case ended before a time.
  ///
  /// Entries that a notification has still to send stay, unless it is dead.
  ///
  /// - Returns: the number of the last dropped entry; nil if none was dropped.
  private func dropEntries(
    of row: inout CaseRow, before: Int, _ done: inout JournalCompaction
  ) throws(JournalError) -> Int? {
    let end: Int
    let unsent = try SQLTaskRows(connection: connection).firstUnsent(of: row.id) ?? .max
    if let ended = row.summary.ended {
      guard ended < before, row.first <= row.seq, row.seq < unsent else { return nil }
      end = row.seq
      done.cases += 1
      try connection.run("DELETE FROM snapshot WHERE life = ?", .text(row.id))
      (row.base, row.snapshots) = (row.chain, Tally())
    } else {
      guard let last = try lastSaidTwice(row, before: before, below: unsent) else { return nil }
      (end, row.base) = (last.seq, last.chain)
    }
    try connection.run(
      "DELETE FROM entry WHERE life = ? AND seq <= ?", .text(row.id), .integer(end))
    done.entries += connection.changes
    row.first = end + 1
    return end
  }

  /// Returns the last entry before a time, and below a number, whose changes are also in two intact snapshots.
  private func lastSaidTwice(
    _ row: CaseRow, before: Int, below unsent: Int
  ) throws(JournalError) -> (seq: Int, chain: Int)? {
    let whole = try connection.rows(
      "SELECT seq, flow, sum, body FROM snapshot WHERE life = ? ORDER BY seq", .text(row.id)
    ) { line -> Int? in
      let snapshot = StoredSnapshot(
        seq: line.integer(0), flow: line.integer(1), body: line.bytes(3))
      return snapshot.checksum(of: row.id) == line.integer(2) ? snapshot.seq : nil
    }.compactMap { $0 }
    guard whole.count > 1, let seq = whole.first else { return nil }
    return try connection.row(
      """
      SELECT seq, chain FROM entry WHERE life = ? AND seq BETWEEN ? AND ? AND wall_us < ?
      ORDER BY seq DESC LIMIT 1
      """, .text(row.id), .integer(row.first), .integer(min(seq, unsent - 1)), .integer(before)
    ) { ($0.integer(0), $0.integer(1)) }
  }

  package func erase(_ id: String, at time: Int) throws(JournalError) {
    guard var row = try CaseRow.read(id, toWrite: true, on: connection) else {
      throw AppendPosition.unknown(id)
    }
    try connection.run("UPDATE entry SET body = NULL WHERE life = ?", .text(id))
    try connection.run("DELETE FROM snapshot WHERE life = ?", .text(id))
    try connection.run("DELETE FROM ack WHERE life = ?", .text(id))
    try connection.run("DELETE FROM task WHERE life = ?", .text(id))
    row.summary = row.summary.ended(at: time)
    (row.answers, row.snapshots) = (Tally(), Tally())
    try row.update(on: connection)
  }
}

extension CaseSummary {
  fileprivate func ended(at time: Int) -> CaseSummary {
    CaseSummary(
      id: id, seq: seq, revision: revision, flow: flow, born: born, wall: wall, due: nil,
      machines: machines, ended: ended ?? time)
  }
}
