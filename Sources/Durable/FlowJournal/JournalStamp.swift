import FlowKernel
import JournalRows
import Platform

/// The identity of a journal and of its copy, with its number of commits.
///
/// It is stored in the row of the table `journal`, in the log of the database, and in the mark beside it.
struct JournalStamp: Equatable, Sendable {
  /// The journal's id, which its backups share.
  let id: String
  /// The id of this copy, which differs in each backup, because the pages of one do not fit another.
  let copy: String
  let commits: Int

  /// The page that contains the row: the root of the table that is created first.
  static let page = 2
  fileprivate static let tag = Array("moonlatch-journal:".utf8)
  private static let digits = 16

  // MARK: In the table

  /// The first columns of the table, which lie side by side in its row.
  static let columns = """
    tag TEXT NOT NULL DEFAULT 'moonlatch-journal:', id TEXT NOT NULL, copy TEXT NOT NULL, \
    commits TEXT NOT NULL DEFAULT '0000000000000000'
    """

  /// Increments the number of commits, within the transaction of the commit.
  ///
  /// - Returns: the new number.
  static func count(on connection: Connection) throws(JournalError) -> Int? {
    try connection.row(
      "UPDATE journal SET commits = printf('%016d', commits + 1) RETURNING commits"
    ) { Int($0.text(0)) ?? 0 }
  }

  /// Gives the journal of a file a new copy id.
  static func renewCopy(on connection: Connection) throws(JournalError) {
    try connection.run("UPDATE journal SET copy = ?", .text(JournalIdentity.randomID()))
  }

  static func read(on connection: Connection) throws(JournalError) -> JournalStamp? {
    try connection.row("SELECT id, copy, commits FROM journal") {
      JournalStamp(id: $0.text(0), copy: $0.text(1), commits: Int($0.text(2)) ?? 0)
    }
  }

  /// True if the row has the tag by which it is found in logs.
  static func isTagged(on connection: Connection) throws(JournalError) -> Bool {
    try connection.row("SELECT tag FROM journal") { Array($0.text(0).utf8) } == tag
  }

  /// Returns the stamp in the database file, without its log; nil if there is none.
  static func read(ofFile path: String) -> JournalStamp? {
    guard let connection = try? Connection.immutable(path) else { return nil }
    defer { connection.close() }
    guard (try? Schema.expectTables(of: connection)) != nil else { return nil }
    return (try? read(on: connection)) ?? nil
  }

  // MARK: As text

  /// Returns the stamp with the most commits in some bytes; nil if there is none.
  static func find(in bytes: ArraySlice<UInt8>) -> JournalStamp? {
    let length = tag.count + 2 * JournalIdentity.idLength + digits
    var (found, start): (JournalStamp?, Int) = (nil, bytes.startIndex)
    while start + length <= bytes.endIndex {
      defer { start += 1 }
      guard bytes[start] == tag[0], bytes[start..<start + tag.count].elementsEqual(tag) else {
        continue
      }
      // An earlier row may still be in its old place on the page.
      if let stamp = JournalStamp(bytes[(start + tag.count)..<(start + length)]),
        stamp.commits >= found?.commits ?? 0
      {
        found = stamp
      }
    }
    return found
  }

  init(id: String, copy: String, commits: Int) {
    (self.id, self.copy, self.commits) = (id, copy, commits)
  }

  private init?(_ bytes: ArraySlice<UInt8>) {
    let parts = [0, JournalIdentity.idLength, 2 * JournalIdentity.idLength].map {
      String(decoding: bytes.dropFirst($0).prefix(JournalIdentity.idLength), as: UTF8.self)
    }
    guard let commits = Int(parts[2]) else { return nil }
    self.init(id: parts[0], copy: parts[1], commits: commits)
  }

  /// The stamp as `find` reads it.
  var text: [UInt8] {
    let number = String(commits)
    let zeros = String(repeating: "0", count: max(0, Self.digits - number.count))
    return Self.tag + Array("\(id)\(copy)\(zeros)\(number)".utf8)
  }
}

/// The number of the last commit in a file beside the journal (`-mark`): a second place, by which a truncated
/// log is detected.
///
/// It is written after each commit, and never synced, so it is never ahead of the disk.
final class CommitMark {
  private let stamp: JournalStamp
  private let descriptor: Int32

  static func path(of journal: String) -> String { journal + "-mark" }

  /// Opens the mark of a journal, and creates it if there is none.
  ///
  /// - Throws: `JournalError` if another file has its name, or it cannot be written.
  init(of journal: String, _ stamp: JournalStamp) throws(JournalError) {
    let path = Self.path(of: journal)
    guard let opened = try JournalFile.open(path, O_RDWR | O_CREAT) else {
      throw JournalError(.failed, "\(path) cannot be created.")
    }
    (self.stamp, descriptor) = (stamp, opened)
    var beginning = [UInt8](repeating: 0, count: JournalStamp.tag.count)
    // After a loss of power the file may be zeros, because marks are not synced.
    _ = pread(opened, &beginning, beginning.count, 0)
    guard beginning == JournalStamp.tag || beginning.allSatisfy({ $0 == 0 }) else {
      throw JournalError(
        .unsafe,
        "\(path) is not the commit mark of a journal, and is not overwritten: move it away.")
    }
  }

  deinit { _ = Platform.close(descriptor) }

  func write(_ commits: Int) {
    let bytes = JournalStamp(id: stamp.id, copy: stamp.copy, commits: commits).text
    let line = bytes + Array(" \(Checksum.of(bytes))        ".utf8.prefix(12)) + [10]
    _ = pwrite(descriptor, line, line.count, 0)
  }

  /// Returns the stamp in the mark of a journal; nil if there is none, or it is damaged.
  ///
  /// - Throws: `JournalError` if something other than a file has its name.
  static func read(of journal: String) throws(JournalError) -> JournalStamp? {
    try bytes(of: journal).flatMap(stamp)
  }

  /// Returns the fault of a journal's mark, as a sentence; nil if there is none.
  ///
  /// - Parameter own: the stamp in the journal.
  static func fault(of journal: String, _ own: JournalStamp?) throws(JournalError) -> String? {
    // After a loss of power the file may be zeros.
    guard let bytes = try bytes(of: journal), bytes.contains(where: { $0 != 0 }) else { return nil }
    let path = path(of: journal)
    guard let stamp = stamp(of: bytes) else {
      return "\(path) is damaged: it has no number of acknowledged commits."
    }
    guard let own, own.id != stamp.id else { return nil }
    return
      "\(path) belongs to journal \(stamp.id), but \(journal) is journal \(own.id): one of them, "
      + "or the log (-wal), was copied from elsewhere."
  }

  private static func bytes(of journal: String) throws(JournalError) -> [UInt8]? {
    guard let descriptor = try JournalFile.open(path(of: journal), O_RDONLY) else { return nil }
    defer { _ = Platform.close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 128)
    let count = max(0, pread(descriptor, &bytes, bytes.count, 0))
    return Array(bytes.prefix(count))
  }

  private static func stamp(of bytes: [UInt8]) -> JournalStamp? {
    let words = bytes.split(separator: 32)
    guard words.count >= 2, let stamp = JournalStamp.find(in: words[0]),
      Int(String(decoding: words[1], as: UTF8.self)) == Checksum.of(Array(words[0]))
    else { return nil }
    return stamp
  }
}
