import FlowHosting
import FlowKernel
import JournalRows

extension SQLiteJournal {
  /// Drops what is older than a time, and makes the file as small as what is left.
  ///
  /// That is entries that two snapshots say too, answers to keys, and cases that have ended. Where a case has fewer
  /// snapshots its entries stay. Keys that the store keeps no longer go whatever that time is.
  @discardableResult
  public func compact(keeping age: Duration) throws(JournalError) -> JournalCompaction {
    try compact(
      before: EngineTime.later(EngineTime.wall(), by: -EngineTime.microseconds(age)),
      keysBefore: EngineTime.later(keys.wall(), by: -keys.age))
  }

  func compact(
    before: Int, keysBefore: Int = .min
  ) throws(JournalError) -> JournalCompaction {
    let done = try JournalCompaction.run(before: before, keysBefore: keysBefore) {
      (body) throws(JournalError) in
      try batchWriter.perform { (connection) throws(JournalError) in try body(connection) }
    }
    try shrink()
    return done
  }

  /// Takes away what is personal in a case, for good: what happened in it, its snapshots, its keys.
  ///
  /// It ends, its id stays known, and `verify` finds its chain whole. The whole file is written anew, so that nothing of it is left in parts that are not used.
  ///
  /// - Throws: `JournalError`: `unknownCase`; or what kept it from being done, in which case it can be called again.
  public func erase(_ id: String) throws(JournalError) {
    try erase(id, at: EngineTime.wall())
  }

  func erase(_ id: String, at time: Int) throws(JournalError) {
    try batchWriter.perform { (connection) throws(JournalError) in
      try connection.writing { () throws(JournalError) in
        try CaseWrites(connection: connection).erase(id, at: time)
      }
    }
    try shrink()
  }

  private func shrink() throws(JournalError) {
    try batchWriter.perform { (connection) throws(JournalError) in
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
