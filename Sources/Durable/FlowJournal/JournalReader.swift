import FlowHosting
import FlowKernel
import JournalRows
import Platform

/// Reads a journal's file, also while a host writes it.
///
/// ```swift
/// let reader = try JournalReader(file: URL(filePath: "orders.journal"))
/// for entry in try reader.entries(of: "o-17", from: 1, limit: 100) { print(entry.seq, entry.wall) }
/// try reader.backup(to: URL(filePath: "orders.backup"))
/// ```
///
/// It sees what was acknowledged before it is asked, and changes nothing.
public final class JournalReader: RowReader {
  /// The file.
  public let file: URL

  private let side: ReadSide
  private let path: String

  /// Opens a journal to read it.
  ///
  /// - Throws: `JournalError`, where there is no such file, or it is no journal that this Moonlatch reads.
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

  /// Finds commits that were acknowledged and are not there.
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
        "\(path) is damaged: the tag in its table journal was changed, by which its log (-wal) is recognised. Use \"moonlatch journal restore BACKUP \(path)\"."
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

  /// The flow of a number.
  public func flow(_ number: Int) throws(JournalError) -> JournaledFlow? {
    try read { (reads) throws(JournalError) in
      try FlowRow.read(number, on: reads.connection)
    }
  }

  /// The journal's identity: its id, and the flow whose cases it keeps.
  public func identity() throws(JournalError) -> JournalIdentity {
    try read { (reads) throws(JournalError) in try JournalRow.read(on: reads.connection) }
  }

  /// What `activate` would give, without the right to write: its fence is 0.
  public func find(_ id: String) throws(JournalError) -> StoredCase? {
    try read { (reads) throws(JournalError) in try reads.find(id)?.stored(fence: 0) }
  }

  /// Entries of a case in order, beginning with a number; no more than so many.
  public func entries(
    of id: String, from seq: Int, limit: Int
  ) throws(JournalError) -> [JournalEntry] {
    try read { (reads) throws(JournalError) in
      try reads.entries(of: id, from: seq, limit: limit)
    }
  }

  /// The newest snapshot of a case, or the oldest one, from which its life can be told once its first entries were
  /// dropped.
  package func snapshot(of id: String, isNewest: Bool) throws(JournalError) -> StoredSnapshot? {
    try read { (reads) throws(JournalError) in try reads.snapshot(of: id, isNewest: isNewest) }
  }

  /// Cases in order of id, behind one and no more than so many: all, or those of which a machine is in a state.
  public func cases(
    whose machine: (name: String, state: String)? = nil, after id: String? = nil, limit: Int
  ) throws(JournalError) -> [CaseSummary] {
    try read { (reads) throws(JournalError) in
      try reads.cases(whose: machine, after: id, limit: limit)
    }
  }

  /// What is known of one case.
  public func summary(of id: String) throws(JournalError) -> CaseSummary? {
    try read { (reads) throws(JournalError) in try reads.summary(of: id) }
  }

  /// What was answered to a dispatch that had that key; nil where none passed.
  public func answer(to key: String, of id: String) throws(JournalError) -> KeyedAnswer? {
    try read { (reads) throws(JournalError) in try reads.answer(to: key, of: id) }
  }

  /// Looks at all that is kept: whether each entry, snapshot and answer is what was written, and none is missing.
  public func verify() throws(JournalError) -> JournalFindings {
    try Verification.run(self)
  }

  /// Writes all that was acknowledged into a file of its own, which is a journal too.
  ///
  /// - Throws: `JournalError`, where that file is there already, or cannot be written.
  public func backup(to target: URL) throws(JournalError) {
    try read { (reads) throws(JournalError) in
      try Backup.write(reads.connection, to: JournalLocation.resolve(target))
    }
  }
}
