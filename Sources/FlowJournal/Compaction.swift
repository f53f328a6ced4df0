import Moonlatch
import Platform

/// What a compaction has taken away.
public struct JournalCompaction: Sendable, Hashable {
  /// Entries that a snapshot says, too.
  public internal(set) var entries = 0
  /// Answers to keys: such a key would be done once more.
  public internal(set) var answers = 0
  /// Ended cases of which nothing is left but the id, so that it is never born again.
  public internal(set) var cases = 0
}

extension JournalStore {
  /// Drops what is older than a time, and makes the file as small as what is left.
  ///
  /// That is entries that two snapshots say too, answers to keys, and cases that have ended. Where a case has fewer
  /// snapshots its entries stay. Keys that the store keeps no longer go whatever that time is.
  @discardableResult
  public func compact(keeping age: Duration) throws(JournalError) -> JournalCompaction {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    let (seconds, part) = age.components
    let time = Int(now.tv_sec) - Int(clamping: seconds)
    let microseconds = time.multipliedReportingOverflow(by: 1_000_000)
    let before = microseconds.overflow ? .min : microseconds.partialValue
    return try compact(
      before: before - Int(part / 1_000_000_000_000) + Int(now.tv_nsec) / 1_000,
      keysBefore: EngineTime.later(keys.wall(), by: -keys.age))
  }

  /// So many cases are gone through before those who wait are written.
  private static let casesAtOnce = 100

  func compact(
    before: Int, keysBefore: Int = .min
  ) throws(JournalError) -> JournalCompaction {
    var (all, last) = (JournalCompaction(), "" as String?)
    while let after = last {
      let (done, next) = try committer.perform {
        (connection) throws(JournalError) -> (JournalCompaction, String?) in
        try connection.writing { () throws(JournalError) in
          var done = JournalCompaction()
          let cases = try CaseReads(connection: connection).cases(
            whose: nil, after: after, limit: Self.casesAtOnce)
          for found in cases {
            try CaseWrites(connection: connection).compact(
              found.id, before: before, keysBefore: max(before, keysBefore), &done)
          }
          return (done, cases.count == Self.casesAtOnce ? cases.last?.id : nil)
        }
      }
      all.entries += done.entries
      all.answers += done.answers
      all.cases += done.cases
      last = next
    }
    try shrink()
    return all
  }

  /// Takes away what is personal in a case, for good: what happened in it, its snapshots, its keys.
  ///
  /// It ends, its id stays known, and `verify` finds its chain whole. The whole file is written anew, so that nothing of it is left in parts that are not used.
  ///
  /// - Throws: `JournalError`: `unknownCase`; or what kept it from being done, in which case it can be called again.
  public func erase(_ id: String) throws(JournalError) {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    try erase(id, at: Int(now.tv_sec) * 1_000_000 + Int(now.tv_nsec) / 1_000)
  }

  func erase(_ id: String, at time: Int) throws(JournalError) {
    try committer.perform { (connection) throws(JournalError) in
      try connection.writing { () throws(JournalError) in
        try CaseWrites(connection: connection).erase(id, at: time)
      }
    }
    try shrink()
  }

  private func shrink() throws(JournalError) {
    try committer.perform { (connection) throws(JournalError) in
      try connection.run("VACUUM")
      guard try connection.checkpoint(truncating: true, isPatient: true) == 0 else {
        throw JournalError(
          .failed,
          "\(connection.path): somebody reads it, so that what was taken away is still in the file: "
            + "do it once more when nobody does.")
      }
    }
  }
}

extension CaseWrites {
  fileprivate func compact(
    _ id: String, before: Int, keysBefore: Int, _ done: inout JournalCompaction
  ) throws(JournalError) {
    guard var row = try CaseRow.read(id, on: connection) else { return }
    try connection.run(
      "DELETE FROM ack WHERE life = ? AND wall_us < ?", .text(id), .integer(keysBefore))
    done.answers += connection.changes
    let end: Int
    if let ended = row.summary.ended {
      guard ended < before, row.first <= row.seq else { return }
      end = row.seq
      done.cases += 1
      try connection.run("DELETE FROM snapshot WHERE life = ?", .text(id))
      row.base = row.chain
    } else {
      guard let last = try lastSaidTwice(row, before: before) else { return }
      (end, row.base) = (last.seq, last.chain)
    }
    try connection.run("DELETE FROM entry WHERE life = ? AND seq <= ?", .text(id), .integer(end))
    done.entries += connection.changes
    row.first = end + 1
    try row.update(on: connection)
  }

  /// The last entry before a time that two whole snapshots say, too.
  private func lastSaidTwice(
    _ row: CaseRow, before: Int
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
      """, .text(row.id), .integer(row.first), .integer(seq), .integer(before)
    ) { ($0.integer(0), $0.integer(1)) }
  }

  fileprivate func erase(_ id: String, at time: Int) throws(JournalError) {
    guard var row = try CaseRow.read(id, on: connection) else { throw CaseHead.unknown(id) }
    try connection.run("UPDATE entry SET body = NULL WHERE life = ?", .text(id))
    try connection.run("DELETE FROM snapshot WHERE life = ?", .text(id))
    try connection.run("DELETE FROM ack WHERE life = ?", .text(id))
    row.summary = row.summary.ended(at: time)
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
