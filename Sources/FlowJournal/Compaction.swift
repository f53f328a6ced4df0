import JournalRows
import Moonlatch
import Platform

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
