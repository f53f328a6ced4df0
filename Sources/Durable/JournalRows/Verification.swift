import Moonlatch

/// A look at all that is kept.
package enum Verification {
  package static func run(_ reads: CaseReads) throws(JournalError) -> JournalFindings {
    try reads.connection.reading { () throws(JournalError) -> JournalFindings in
      var findings = JournalFindings()
      let connection = reads.connection
      try attempt(connection, &findings) { (findings) throws(JournalError) in
        try tables(connection, &findings)
      }
      try attempt(connection, &findings) { (findings) throws(JournalError) in
        try flows(connection, &findings)
      }
      try attempt(connection, &findings) { (findings) throws(JournalError) in
        try cases(reads, &findings)
      }
      try attempt(connection, &findings) { (findings) throws(JournalError) in
        try strays(connection, &findings)
      }
      return findings
    }
  }

  /// Does something; what stands in the way is a fault like others, unless nothing more can be looked at for it.
  private static func attempt(
    _ connection: any SQLConnection, _ findings: inout JournalFindings, of id: String? = nil,
    _ body: (inout JournalFindings) throws(JournalError) -> Void
  ) throws(JournalError) {
    do throws(JournalError) { try body(&findings) } catch {
      if error.kind != .damaged && connection.failsAsWhole {
        // What follows on a fault that was found is none.
        if findings.isWhole { throw error }
        return
      }
      findings.add(error.description, of: id)
    }
  }

  /// What the database itself finds.
  private static func tables(
    _ connection: any SQLConnection, _ findings: inout JournalFindings
  ) throws(JournalError) {
    for fault in try connection.faults() {
      findings.add(
        "\(connection.path) is damaged: \(fault.split(separator: "\n").joined(separator: ", ")).")
    }
  }

  private static func flows(
    _ connection: any SQLConnection, _ findings: inout JournalFindings
  ) throws(JournalError) {
    for number in try connection.rows("SELECT id FROM flow ORDER BY id", read: { $0.integer(0) }) {
      try attempt(connection, &findings) { (_) throws(JournalError) in
        _ = try FlowRow.read(number, on: connection)
      }
    }
  }

  private static func cases(
    _ reads: CaseReads, _ findings: inout JournalFindings
  ) throws(JournalError) {
    let connection = reads.connection
    var places = 0
    for id in try connection.rows("SELECT id FROM life ORDER BY id", read: { $0.text(0) }) {
      findings.cases += 1
      try attempt(connection, &findings, of: id) { (findings) throws(JournalError) in
        guard let row = try CaseRow.read(id, on: connection) else {
          throw Damage.error(connection.path, "case \"\(id)\" is not found by its id")
        }
        places += CaseWrites.places(row.summary.machines).count
        try whole(row, reads, &findings)
      }
      try attempt(connection, &findings, of: id) { (findings) throws(JournalError) in
        try answers(of: id, connection, &findings)
      }
    }
    let listed = try connection.row("SELECT count(*) FROM stands") { $0.integer(0) }
    if let listed, listed != places, findings.isWhole {
      findings.add(
        "\(connection.path) is damaged: \(listed) states of machines are listed, and \(places) cases are in one."
      )
    }
  }

  private static func whole(
    _ row: CaseRow, _ reads: CaseReads, _ findings: inout JournalFindings
  ) throws(JournalError) {
    let connection = reads.connection
    if row.first == 1 && row.base != Chain.base(of: row.id, born: row.summary.born, seed: row.seed)
    {
      throw Damage.error(connection.path, "the birth of case \"\(row.id)\" is not what was written")
    }
    var (entries, erased) = (0, 0)
    try reads.each(of: row, from: 1, limit: .max) { entry in
      entries += 1
      if entry.body == nil { erased += 1 }
    }
    findings.entries += entries
    findings.erased += erased
    for place in CaseWrites.places(row.summary.machines) {
      let found = try connection.row(
        "SELECT 1 FROM stands WHERE machine = ? AND state = ? AND life = ?",
        .text(place[0].text), .text(place[1].text), .text(row.id)
      ) { _ in true }
      if found == nil {
        throw Damage.error(
          connection.path,
          "case \"\(row.id)\" is not listed where its machine \(place[0].text) stands")
      }
    }
    try snapshots(of: row, connection, &findings)
  }

  private static func snapshots(
    of row: CaseRow, _ connection: any SQLConnection, _ findings: inout JournalFindings
  ) throws(JournalError) {
    let found = try connection.rows(
      "SELECT seq, flow, sum, body FROM snapshot WHERE life = ? ORDER BY seq", .text(row.id)
    ) { line in
      let snapshot = StoredSnapshot(
        seq: line.integer(0), flow: line.integer(1), body: line.bytes(3))
      return (snapshot.seq, snapshot.checksum(of: row.id) == line.integer(2))
    }
    findings.snapshots += found.count
    for (seq, isWhole) in found where !isWhole || !(row.first - 1...row.seq).contains(seq) {
      throw Damage.error(
        connection.path,
        "the snapshot of case \"\(row.id)\" after entry \(seq) is not what was written")
    }
  }

  private static func answers(
    of id: String, _ connection: any SQLConnection, _ findings: inout JournalFindings
  ) throws(JournalError) {
    var (count, first): (Int, JournalError?) = (0, nil)
    try connection.each(
      "SELECT \(AnswerRow.columns) FROM ack WHERE life = ? ORDER BY key", [.text(id)]
    ) { row in
      count += 1
      do throws(JournalError) { _ = try AnswerRow(row, path: connection.path) } catch {
        first = first ?? error
      }
    }
    findings.answers += count
    if let first { throw first }
  }

  /// Rows of cases that are not there.
  private static func strays(
    _ connection: any SQLConnection, _ findings: inout JournalFindings
  ) throws(JournalError) {
    for table in ["entry", "snapshot", "ack", "stands"] {
      let found = try connection.row(
        """
        SELECT life FROM \(table) WHERE NOT EXISTS (SELECT 1 FROM life WHERE life.id = \(table).life)
        LIMIT 1
        """
      ) { $0.text(0) }
      if let found {
        let fault = "the table \(table) names a case \"\(found)\" that is not there"
        findings.add(Damage.error(connection.path, fault).description, of: found)
      }
    }
  }
}
