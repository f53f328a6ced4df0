import FlowHosting
import FlowKernel

/// Writes to cases, within a transaction on a connection.
package struct CaseWrites {
  package let connection: any SQLConnection
  package var keys: KeyAge

  package init(connection: any SQLConnection, keys: KeyAge = KeyAge(KeyAge.week)) {
    (self.connection, self.keys) = (connection, keys)
  }

  /// Appends entries to a case; refused entries change nothing.
  ///
  /// - Parameters:
  ///   - fence: the fence of the append; `isWriter` is true if it is still the case's.
  ///   - flows: the numbers of the stored flows.
  ///   - rows: the cached rows of cases, as they were written last.
  /// - Returns: the error of a refused append; nil if the entries were written.
  package func append(
    _ entries: [JournalEntry], to id: String, fence: Int, isWriter: Bool, flows: Set<Int>,
    rows: inout [ExactText: CaseRow]
  ) throws(JournalError) -> JournalError? {
    let name = ExactText(id)
    var before = rows[name]
    if before == nil { before = try CaseRow.read(id, on: connection) }
    let isFenced = before.map { !isWriter || $0.fence > fence } ?? false
    let head = before.map { row in
      AppendPosition(
        fence: isFenced ? fence &+ 1 : fence, seq: row.seq, hasEnded: row.summary.ended != nil)
    }
    if let refusal = AppendPosition.refusal(of: entries, to: id, fence: fence, head: head) {
      return refusal
    }
    guard let first = entries.first else { return nil }
    if let entry = entries.first(where: { !flows.contains($0.flow) }) {
      return AppendPosition.unknownFlow(entry.flow, of: id)
    }
    let known = try answered(entries, of: id)
    if let refusal = known.refusal { return refusal }
    guard
      var row = before ?? first.birth.map({ CaseRow(first, birth: $0, of: id, fence: fence) })
    else { return AppendPosition.unknown(id) }
    let machines = row.summary.machines
    row.fence = fence
    try forget(known.forgotten, in: &row)
    for (line, chain) in row.add(entries) { try line.insert(of: id, chain: chain, on: connection) }
    for entry in entries {
      for answer in entry.answers {
        try AnswerRow(answer, of: id, in: entry).insert(on: connection)
      }
    }
    try before == nil ? row.insert(on: connection) : row.update(on: connection)
    try writeActiveStates(id, machines, row.summary.machines)
    try applyTasks(of: entries, to: id)
    rows[name] = row
    return nil
  }

  /// Opens and closes the tasks of entries.
  ///
  /// - Parameter leasing: the time at which leases of the entries begin; nil for that of each entry.
  package func applyTasks(
    of entries: [JournalEntry], to id: String, leasing: Int? = nil
  ) throws(JournalError) {
    for entry in entries where entry.changesTasks {
      try TaskTable(SQLTaskRows(connection: connection), at: entry.wall).apply(
        entry, of: id, leasing: leasing)
    }
  }

  /// Searches for keys that were answered before.
  ///
  /// - Returns: the refusal, if one of the keys has not expired; and the expired keys, with the checksums of
  ///   their rows, which must be deleted first.
  package func answered(
    _ entries: [JournalEntry], of id: String
  ) throws(JournalError) -> (refusal: JournalError?, forgotten: [(key: String, sum: Int)]) {
    var given = Set<ExactText>()
    var forgotten: [(key: String, sum: Int)] = []
    for entry in entries {
      for answer in entry.answers {
        let known = try connection.row(
          "SELECT wall_us, sum FROM ack WHERE life = ? AND key = ?", .text(id), .text(answer.key)
        ) { (wall: $0.integer(0), sum: $0.integer(1)) }
        let isKept = known.map { !keys.isForgotten($0.wall, at: entry.wall) } ?? false
        if isKept || !given.insert(ExactText(answer.key)).inserted {
          return (AppendPosition.answered(answer.key, of: id), [])
        }
        if let known { forgotten.append((answer.key, known.sum)) }
      }
    }
    return (nil, forgotten)
  }

  private func forget(
    _ forgotten: [(key: String, sum: Int)], in row: inout CaseRow
  ) throws(JournalError) {
    for (key, sum) in forgotten {
      try connection.run("DELETE FROM ack WHERE life = ? AND key = ?", .text(row.id), .text(key))
      row.answers.remove(sum)
    }
  }

  /// Deletes expired answers whose keys are used again.
  package func forget(
    answeredBefore entries: [JournalEntry], of id: String
  ) throws(JournalError) {
    guard var row = try CaseRow.read(id, toWrite: true, on: connection) else { return }
    let known = try answered(entries, of: id)
    if known.refusal != nil || known.forgotten.isEmpty { return }
    try forget(known.forgotten, in: &row)
    try row.update(on: connection)
  }

  /// Updates the table that lists cases by the states of their machines.
  private func writeActiveStates(
    _ id: String, _ before: [String: [String]], _ after: [String: [String]]
  ) throws(JournalError) {
    if before == after { return }
    let (old, new) = (Self.places(before), Self.places(after))
    for place in old.subtracting(new) {
      try connection.run(
        "DELETE FROM stands WHERE machine = ? AND state = ? AND life = ?",
        .text(place[0].text), .text(place[1].text), .text(id))
    }
    for place in new.subtracting(old) {
      try connection.run(
        "INSERT INTO stands(machine, state, life) VALUES(?, ?, ?)",
        .text(place[0].text), .text(place[1].text), .text(id))
    }
  }

  /// Returns each machine with each of its active states.
  package static func places(_ machines: [String: [String]]) -> Set<[ExactText]> {
    Set(machines.flatMap { name, states in states.map { [ExactText(name), ExactText($0)] } })
  }

  /// Stores a snapshot, and keeps only the one before it.
  ///
  /// - Parameter fence: the fence of its writer, if there may be another by now; nil to accept any.
  /// - Returns: the case's new row; nil if the snapshot was refused.
  @discardableResult
  package func keep(
    _ snapshot: StoredSnapshot, of id: String, fence: Int? = nil
  ) throws(JournalError) -> CaseRow? {
    guard var row = try CaseRow.read(id, toWrite: true, on: connection), row.summary.ended == nil,
      fence ?? row.fence == row.fence, (row.first - 1...row.seq).contains(snapshot.seq)
    else { return nil }
    try connection.run(
      """
      INSERT INTO snapshot(life, seq, flow, sum, body) VALUES(?, ?, ?, ?, ?)
      ON CONFLICT(life, seq) DO UPDATE SET flow = excluded.flow, sum = excluded.sum,
        body = excluded.body
      """,
      .text(id), .integer(snapshot.seq), .integer(snapshot.flow),
      .integer(snapshot.checksum(of: id)), .bytes(snapshot.body))
    try connection.run(
      """
      DELETE FROM snapshot WHERE life = ?1 AND seq <
        (SELECT seq FROM snapshot WHERE life = ?1 ORDER BY seq DESC LIMIT 1 OFFSET 1)
      """, .text(id))
    row.snapshots = try Tally.read(.snapshot, of: id, on: connection)
    try row.update(on: connection)
    return row
  }
}
