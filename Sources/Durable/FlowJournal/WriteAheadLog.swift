import FlowKernel
import JournalRows
import Platform

/// The log beside a database (`-wal`), in SQLite's format. (https://sqlite.org/fileformat2.html, "The Write-Ahead Log")
enum WriteAheadLog {
  private static let (headSize, frameHeadSize) = (32, 24)

  static func path(of journal: String) -> String { journal + "-wal" }

  /// Returns the stamp in the first commit of a log; nil if there is none.
  ///
  /// - Throws: `JournalError` if the log cannot be read.
  static func firstStamp(of journal: String) throws(JournalError) -> JournalStamp? {
    guard let descriptor = try JournalFile.open(path(of: journal), O_RDONLY) else { return nil }
    defer { _ = Platform.close(descriptor) }
    func bytes(_ count: Int, at offset: Int) -> [UInt8]? {
      var bytes = [UInt8](repeating: 0, count: count)
      return pread(descriptor, &bytes, count, off_t(offset)) == count ? bytes : nil
    }
    func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
    guard let head = bytes(headSize, at: 0), number(head[0..<4]) | 1 == 0x377f_0683 else {
      return nil
    }
    let (size, salts) = (number(head[8..<12]), head[16..<24])
    guard (512...65_536).contains(size) else { return nil }
    var offset = headSize
    while let frame = bytes(frameHeadSize, at: offset), frame[8..<16].elementsEqual(salts) {
      if number(frame[0..<4]) == JournalStamp.page {
        return bytes(size, at: offset + frameHeadSize).flatMap { JournalStamp.find(in: $0[...]) }
      }
      offset += frameHeadSize + size
    }
    return nil
  }

  /// Throws if a log is not the continuation of its database, before SQLite applies it.
  ///
  /// - Returns: the stamp in the database file alone, if there is a log.
  @discardableResult
  static func check(of journal: String) throws(JournalError) -> JournalStamp? {
    // The log is read first, because a writer moves a log into its file before it starts the log anew.
    guard let log = try firstStamp(of: journal) else {
      // SQLite deletes a log that it takes for that of an empty file.
      if isEmpty(journal), JournalLocation.exists(path(of: journal)), !isEmpty(path(of: journal)) {
        throw foreign(journal, "is beside an empty file")
      }
      return nil
    }
    guard let own = JournalStamp.read(ofFile: journal) else {
      if isEmpty(journal) {
        throw foreign(journal, "belongs to journal \(log.id), whose file is missing")
      }
      return nil  // its first commits are in the log alone
    }
    if log.id != own.id {
      throw foreign(journal, "belongs to journal \(log.id), but the file is journal \(own.id)")
    }
    if log.copy != own.copy {
      throw foreign(journal, "belongs to another copy of journal \(own.id) than the file")
    }
    if log.commits > own.commits + 1 {
      throw foreign(
        journal,
        "continues after commit \(log.commits - 1) of journal \(own.id), but the file ends with commit \(own.commits)"
      )
    }
    return own
  }

  /// Throws if a log would make the database older than its file is.
  static func check(
    _ found: JournalStamp?, against own: JournalStamp?, of journal: String
  ) throws(JournalError) {
    guard let found, let own, found.commits < own.commits else { return }
    throw foreign(
      journal,
      "ends with commit \(found.commits) of journal \(own.id), but the file already has commit \(own.commits)"
    )
  }

  static func isEmpty(_ path: String) -> Bool {
    var found = stat()
    return stat(path, &found) == 0 && found.st_size == 0
  }

  private static func foreign(_ journal: String, _ what: String) -> JournalError {
    JournalError(
      .damaged,
      "\(path(of: journal)) \(what): it was not used. If the file was copied there, move the log "
        + "away, and use \"moonlatch journal restore BACKUP \(journal)\" next time.")
  }

  /// Returns the error of a journal that has fewer commits than were acknowledged; nil if it has all.
  static func loss(_ found: JournalStamp?, _ mark: JournalStamp?, of journal: String)
    -> JournalError?
  {
    guard let found, let mark, found.id == mark.id, found.copy == mark.copy,
      found.commits < mark.commits
    else { return nil }
    return loss(of: journal, found: found.commits, acknowledged: mark.commits)
  }

  static func loss(of journal: String, found: Int, acknowledged: Int) -> JournalError {
    JournalError(
      .damaged,
      "\(journal) has lost commits: it has \(found), and \(acknowledged) were acknowledged, "
        + "according to \(CommitMark.path(of: journal)): its log (-wal) was removed, cut off or damaged, or the file is an "
        + "older one. Put the log back, or use \"moonlatch journal restore BACKUP \(journal)\"; "
        + "to continue without those commits, remove \(CommitMark.path(of: journal)).")
  }
}
