import FlowKernel
import FlowLanguage
import JournalRows
import Platform

/// Writes a copy of a journal as it is at one moment.
enum Backup {
  static func write(_ connection: any SQLConnection, to path: String) throws(JournalError) {
    guard !JournalLocation.exists(path) else {
      throw JournalError(.failed, "\(path) exists already: a backup needs a new file.")
    }
    let part = UnfinishedFile(beside: path)
    try copy(connection, to: part.path)
    // Links the copy to its name, which fails if the name is taken; a disk without hard links is given a
    // rename instead.
    guard link(part.path, path) == 0 || errno != EEXIST && rename(part.path, path) == 0 else {
      throw JournalError(.failed, "\(path) cannot be created: \(String(cString: strerror(errno))).")
    }
    try JournalLocation.sync(folder: JournalLocation.parts(path).folder)
  }

  /// Writes a copy into a file that does not exist yet, and syncs it.
  ///
  /// The copy gets an id of its own, so that the log of one file is never applied to the other.
  static func copy(_ connection: any SQLConnection, to part: String) throws(JournalError) {
    let log = UnfinishedFile(at: part + "-journal")  // SQLite's, while it writes the copy
    defer { withExtendedLifetime(log) {} }
    // SQLite does not sync here; the file becomes the backup only once it has been synced and has its name.
    try connection.run("VACUUM INTO ?", .text(part))
    let copy = try Connection(path: part, flags: SQLiteOption.writes)
    defer { copy.close() }
    try JournalStamp.renewCopy(on: copy)
    copy.close()
    try JournalLocation.sync(file: part)
  }
}
