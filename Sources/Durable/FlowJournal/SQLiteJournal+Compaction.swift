import FlowHosting
import FlowKernel
import JournalRows

extension SQLiteJournal {
  /// Deletes data that is older than a time, and shrinks the file.
  ///
  /// It deletes entries whose changes are also in two snapshots, answers to keys, and cases that have ended.
  /// The entries of a case with fewer snapshots stay. Expired keys are deleted whatever `age` is.
  ///
  /// - Parameter age: the age up to which data is kept.
  /// - Returns: the numbers of deleted rows.
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

  /// Erases the contents of a case for good: its entries' contents, its snapshots and its keys.
  ///
  /// The case ends, its id stays known, and `verify` finds its chain of entries intact. The whole file is
  /// rewritten, so that nothing of the case remains in unused parts.
  ///
  /// - Throws: `JournalError`: `unknownCase`; or the error that interrupted it, in which case it can be called again.
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
          "\(connection.path): the removed data is still in the file, because another connection reads it: "
            + "repeat the compaction when it is closed.")
      }
    }
  }
}
