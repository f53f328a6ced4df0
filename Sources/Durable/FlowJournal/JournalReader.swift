import FlowHosting
import FlowKernel
import JournalRows
import Platform

/// A reader of a journal's file, which may be used while a host writes it.
///
/// ```swift
/// let reader = try JournalReader(file: URL(filePath: "orders.journal"))
/// for entry in try reader.entries(of: "o-17", from: 1, limit: 100) { print(entry.seq, entry.writtenAt) }
/// try reader.backup(to: URL(filePath: "orders.backup"))
/// ```
///
/// It sees all that was acknowledged before a call, and changes nothing.
public final class JournalReader: RowReader {
  /// The journal's file.
  public let file: URL

  private let side: ReadSide
  private let path: String

  /// Opens a journal for reading.
  ///
  /// - Throws: `JournalError` if there is no such file, or it is not a journal that this version of Moonlatch reads.
  public init(file: URL) throws(JournalError) {
    path = try JournalLocation.resolve(file)
    guard JournalLocation.exists(path) else {
      throw JournalError(.failed, "there is no journal \(path).")
    }
    self.file = file
    side = ReadSide(path: path)
    try side.read { _ in }
  }

  deinit { side.close() }

  /// Returns a sentence for each fault outside the tables, such as lost commits.
  package func faultsBeside() throws(JournalError) -> [String] {
    let mark = try CommitMark.read(of: path)
    let (found, isTagged) = try side.read {
      (reads) throws(JournalError) -> (JournalStamp?, Bool) in
      guard let connection = reads.connection as? Connection else { return (nil, true) }
      return (try JournalStamp.read(on: connection), try JournalStamp.isTagged(on: connection))
    }
    var faults = WriteAheadLog.loss(found, mark, of: path).map { [$0.description] } ?? []
    if !isTagged {
      faults.append(
        "\(path) is damaged: the tag in its table journal, which identifies its log (-wal), was changed. Use \"moonlatch journal restore BACKUP \(path)\"."
      )
    }
    if let fault = try CommitMark.fault(of: path, found) { faults.append(fault) }
    if let found, found.copy.utf8.count != JournalIdentity.idLength {
      faults.append(
        "\(path) is damaged: the id of this copy has \(found.copy.utf8.count) characters, not \(JournalIdentity.idLength)."
      )
    }
    return faults
  }

  package func read<T>(
    _ body: (CaseReads) throws(JournalError) -> T
  ) throws(JournalError) -> T {
    try side.read(body)
  }

  /// Returns the flow with a number, or nil if there is none.
  package func flow(_ number: Int) throws(JournalError) -> JournaledFlow? {
    try read { (reads) throws(JournalError) in
      try FlowRow.read(number, on: reads.connection)
    }
  }

  /// Returns the journal's identity: its id, and the flow that owns it.
  public func identity() throws(JournalError) -> JournalIdentity {
    try read { (reads) throws(JournalError) in try JournalRow.read(on: reads.connection) }
  }

  /// Returns a case as `activate` does, but without becoming its writer: its fence is 0.
  package func find(_ id: String) throws(JournalError) -> StoredCase? {
    try read { (reads) throws(JournalError) in try reads.find(id)?.stored(fence: 0) }
  }

  /// Returns up to `limit` entries of a case in order, beginning with number `seq`.
  public func entries(
    of id: String, from seq: Int, limit: Int
  ) throws(JournalError) -> [JournalEntry] {
    try read { (reads) throws(JournalError) in
      try reads.entries(of: id, from: seq, limit: limit)
    }
  }

  /// Returns the newest or the oldest snapshot of a case.
  ///
  /// The oldest one is where its history begins once its first entries were dropped.
  package func snapshot(of id: String, isNewest: Bool) throws(JournalError) -> StoredSnapshot? {
    try read { (reads) throws(JournalError) in try reads.snapshot(of: id, isNewest: isNewest) }
  }

  /// Returns up to `limit` cases behind an id, in order of id: all, or only those of which a machine is in a state.
  public func cases(
    whose machine: (name: String, state: String)? = nil, after id: String? = nil, limit: Int
  ) throws(JournalError) -> [CaseSummary] {
    try read { (reads) throws(JournalError) in
      try reads.cases(whose: machine, after: id, limit: limit)
    }
  }

  /// Returns the summary of a case, or nil if there is none.
  public func summary(of id: String) throws(JournalError) -> CaseSummary? {
    try read { (reads) throws(JournalError) in try reads.summary(of: id) }
  }

  /// Returns the stored answer to a dispatch with a key; nil if none has passed.
  package func answer(to key: String, of id: String) throws(JournalError) -> KeyedAnswer? {
    try read { (reads) throws(JournalError) in try reads.answer(to: key, of: id) }
  }

  /// Verifies the whole journal: that each entry, snapshot and answer is as it was written, and that none is missing.
  ///
  /// - Returns: the findings, with all faults.
  public func verify() throws(JournalError) -> JournalFindings {
    try Verification.run(self)
  }

  /// Writes all that was acknowledged into a new file, which is a journal, too.
  ///
  /// - Throws: `JournalError` if the file exists already, or cannot be written.
  public func backup(to target: URL) throws(JournalError) {
    try read { (reads) throws(JournalError) in
      try Backup.write(reads.connection, to: JournalLocation.resolve(target))
    }
  }
}
