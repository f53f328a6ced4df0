import FlowHosting
import FlowKernel

/// A verification of a whole journal, table by table and case by case, which continues after what cannot be read.
package struct Verification {
  private let reads: CaseReads
  var connection: any SQLConnection { reads.connection }
  var findings = JournalFindings()
  /// The number of machine states that must be listed.
  private var places = 0
  /// The numbers of the stored flows.
  private var flows: Set<Int> = []
  /// True if all ids of cases could be read.
  private var hasAllIDs = true

  private init(_ reads: CaseReads) { self.reads = reads }

  package static func run(_ reader: any RowReader) throws(JournalError) -> JournalFindings {
    let beside = try reader.faultsBeside()
    var findings = try reader.read { (reads) throws(JournalError) in try run(reads) }
    for fault in beside { findings.add(fault) }
    return findings
  }

  package static func run(_ reads: CaseReads) throws(JournalError) -> JournalFindings {
    try reads.connection.reading { () throws(JournalError) -> JournalFindings in
      var verification = Verification(reads)
      try verification.run()
      return verification.findings
    }
  }

  private mutating func run() throws(JournalError) {
    try attempt { (this) throws(JournalError) in try this.lookAtTables() }
    try attempt { (this) throws(JournalError) in _ = try JournalRow.read(on: this.connection) }
    try attempt { (this) throws(JournalError) in try this.lookAtFlows() }
    for id in try ids() { try lookAt(id) }
    if !hasAllIDs { return }  // what is listed of cases that cannot be read is no fault of its own
    try attempt { (this) throws(JournalError) in try this.lookAtPlaces() }
    for table in Self.tablesOfCases {
      try attempt { (this) throws(JournalError) in try this.lookForStrays(in: table) }
    }
  }

  /// Runs a check; its error is recorded as a fault, unless the connection cannot continue after it.
  ///
  /// - Returns: true if the check has passed.
  @discardableResult
  private mutating func attempt(
    of id: String? = nil, _ body: (inout Verification) throws(JournalError) -> Void
  ) throws(JournalError) -> Bool {
    do throws(JournalError) {
      try body(&self)
      return true
    } catch {
      if error.kind != .damaged && connection.failsAsWhole {
        // Errors that follow on a recorded fault are not recorded.
        if findings.isWhole { throw error }
        return false
      }
      findings.add(error.description, of: id)
      return false
    }
  }

  // MARK: Tables

  private static let tablesOfCases = ["entry", "snapshot", "ack", "stands", "task"]
  private static let tables = ["journal", "flow", "life"] + tablesOfCases

  /// Records the faults that the database itself finds; if there are any, each table is checked.
  private mutating func lookAtTables() throws(JournalError) {
    let faults = try self.faults(of: nil)
    for fault in faults { add(fault) }
    if faults.isEmpty || connection.failsAsWhole { return }
    for table in Self.tables {
      if try self.faults(of: table).isEmpty {
        findings.wholeTables.append(table)
      } else {
        findings.add("\(connection.path): the table \(table) is damaged.")
      }
    }
  }

  private mutating func add(_ fault: String) {
    findings.add(
      "\(connection.path) is damaged: \(fault.split(separator: "\n").joined(separator: ", ")).")
  }

  private func faults(of table: String?) throws(JournalError) -> [String] {
    do throws(JournalError) { return try connection.faults(of: table) } catch {
      if error.kind != .damaged && connection.failsAsWhole { throw error }
      return [error.description]
    }
  }

  private mutating func lookAtFlows() throws(JournalError) {
    for number in try connection.rows("SELECT id FROM flow ORDER BY id", read: { $0.integer(0) }) {
      try attempt { (this) throws(JournalError) in
        this.flows.insert(number)
        _ = try FlowRow.read(number, on: this.connection)
      }
    }
  }

  private mutating func lookAtPlaces() throws(JournalError) {
    let listed = try connection.row("SELECT count(*) FROM stands") { $0.integer(0) }
    if let listed, listed != places, findings.isWhole {
      findings.add(
        "\(connection.path) is damaged: \(listed) active states of machines are listed, but the cases have \(places)."
      )
    }
  }

  /// Searches for rows of cases that do not exist.
  private mutating func lookForStrays(in table: String) throws(JournalError) {
    let found = try connection.row(
      """
      SELECT life FROM \(table) WHERE NOT EXISTS (SELECT 1 FROM life WHERE life.id = \(table).life)
      LIMIT 1
      """
    ) { $0.text(0) }
    if let found {
      let fault = "the table \(table) names a case \"\(found)\" that does not exist"
      findings.add(Damage.error(connection.path, fault).description, of: found)
    }
  }

  // MARK: Cases

  /// Returns the ids of all cases.
  ///
  /// If some cannot be read, it returns those from both ends of the table, and those that other tables name.
  private mutating func ids() throws(JournalError) -> [String] {
    var ids: Set<ExactText> = []
    let connection = connection
    func read(_ sql: String) throws(JournalError) {
      try connection.each(sql) { ids.insert(ExactText($0.text(0))) }
    }
    let isWhole = try attempt { (_) throws(JournalError) in
      try read("SELECT id FROM life ORDER BY id")
    }
    if !isWhole {
      hasAllIDs = false
      try? read("SELECT id FROM life ORDER BY id DESC")
      for table in Self.tablesOfCases {
        for order in ["ASC", "DESC"] {
          try? read("SELECT life FROM \(table) ORDER BY life \(order)")
        }
      }
    }
    return ids.sorted().map(\.text)
  }

  private mutating func lookAt(_ id: String) throws(JournalError) {
    findings.cases += 1
    var row: CaseRow?
    var isWhole = try attempt(of: id) { (this) throws(JournalError) in
      row = try CaseRow.read(id, on: this.connection)
      if row == nil {
        throw Damage.error(this.connection.path, "case \"\(id)\" is not found by its id")
      }
    }
    if let row {
      places += CaseWrites.places(row.summary.machines).count
      isWhole = try attempt(of: id) { (this) throws(JournalError) in try this.lookAtEntries(of: row)
      }
      if !isWhole { salvage(row.first...max(row.first, row.seq), of: id, row) }
      let others = [
        try attempt(of: id) { (this) throws(JournalError) in try this.lookAtLists(of: row) },
        try attempt(of: id) { (this) throws(JournalError) in try this.lookAtSnapshots(of: row) },
        try attempt(of: id) { (this) throws(JournalError) in try this.lookAtAnswers(of: row) },
        try attempt(of: id) { (this) throws(JournalError) in
          try Verification.lookAtTasks(of: row, this.reads)
        },
      ]
      isWhole = isWhole && !others.contains(false)
    } else if let span = try? span(of: id) {
      salvage(span, of: id, nil)
    }
    if isWhole { findings.wholeCases += 1 }
  }

  private mutating func lookAtEntries(of row: CaseRow) throws(JournalError) {
    if row.first == 1 && row.base != Chain.base(of: row.id, born: row.summary.born, seed: row.seed)
    {
      throw Damage.error(
        connection.path, "the creation of case \"\(row.id)\" was changed after it was written")
    }
    var (entries, erased, used) = (0, 0, Set([row.summary.flow]))
    try reads.each(of: row, from: 1, limit: .max) { entry in
      entries += 1
      used.insert(entry.flow)
      if entry.body == nil { erased += 1 }
    }
    findings.entries += entries
    findings.erased += erased
    let listed = try connection.row("SELECT count(*) FROM entry WHERE life = ?", .text(row.id)) {
      $0.integer(0)
    }
    if let listed, listed != entries {
      throw Damage.error(
        connection.path,
        "case \"\(row.id)\" has \(entries) entries, but \(listed) rows are counted for it")
    }
    // An erased case has ended, and has neither answers nor snapshots.
    let isErased = row.summary.ended != nil && row.answers.count == 0 && row.snapshots.count == 0
    if erased > 0, erased < entries || !isErased {
      throw Damage.error(
        connection.path,
        "\(erased) of \(entries) entries of case \"\(row.id)\" are empty, but it was not erased")
    }
    if let lost = used.subtracting(flows).min() {
      throw Damage.error(
        connection.path,
        "case \"\(row.id)\" belongs to flow \(lost), whose source is missing")
    }
  }

  private mutating func lookAtLists(of row: CaseRow) throws(JournalError) {
    for place in CaseWrites.places(row.summary.machines) {
      let found = try connection.row(
        "SELECT 1 FROM stands WHERE machine = ? AND state = ? AND life = ?",
        .text(place[0].text), .text(place[1].text), .text(row.id)
      ) { _ in true }
      if found == nil {
        throw Damage.error(
          connection.path,
          "case \"\(row.id)\" is not listed under the active state of its machine \(place[0].text)")
      }
    }
  }

  private mutating func lookAtSnapshots(of row: CaseRow) throws(JournalError) {
    var tally = Tally()
    let found = try connection.rows(
      "SELECT seq, flow, sum, body FROM snapshot WHERE life = ? ORDER BY seq", .text(row.id)
    ) { line in
      let snapshot = StoredSnapshot(
        seq: line.integer(0), flow: line.integer(1), body: line.bytes(3))
      tally.add(line.integer(2))
      return (snapshot.seq, snapshot.checksum(of: row.id) == line.integer(2))
    }
    findings.snapshots += found.count
    for (seq, isWhole) in found where !isWhole || !(row.first - 1...row.seq).contains(seq) {
      throw Damage.error(
        connection.path,
        "the snapshot of case \"\(row.id)\" after entry \(seq) was changed after it was written")
    }
    if tally != row.snapshots {
      throw missing("snapshots", of: row.id, tally.count, of: row.snapshots.count)
    }
  }

  private mutating func lookAtAnswers(of row: CaseRow) throws(JournalError) {
    var (tally, first): (Tally, JournalError?) = (Tally(), nil)
    let path = connection.path
    try connection.each(
      "SELECT \(AnswerRow.columns) FROM ack WHERE life = ? ORDER BY key", [.text(row.id)]
    ) { line in
      tally.add(line.integer(6))
      do throws(JournalError) { _ = try AnswerRow(line, path: path) } catch {
        first = first ?? error
      }
    }
    findings.answers += tally.count
    if let first { throw first }
    if tally != row.answers {
      throw missing("answers to keys", of: row.id, tally.count, of: row.answers.count)
    }
  }

  private func missing(_ what: String, of id: String, _ found: Int, of count: Int) -> JournalError {
    Damage.error(
      connection.path,
      found == count
        ? "case \"\(id)\": its \(what) are not those that were written"
        : "case \"\(id)\" has \(found) \(what), but \(count) were written")
  }
}
