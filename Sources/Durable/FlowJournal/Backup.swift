import FlowKernel
import FlowLanguage
import JournalRows
import Platform

/// A copy of a journal as it was at one moment.
enum Backup {
  static func write(_ connection: any SQLConnection, to path: String) throws(JournalError) {
    guard !JournalLocation.exists(path) else {
      throw JournalError(.failed, "\(path) is there already: a backup goes into a file of its own.")
    }
    let part = UnfinishedFile(beside: path)
    try copy(connection, to: part.path)
    // A name is given only where there is none; some disks have one name for each file.
    guard link(part.path, path) == 0 || errno != EEXIST && rename(part.path, path) == 0 else {
      throw JournalError(.failed, "\(path) cannot be made: \(String(cString: strerror(errno))).")
    }
    try JournalLocation.sync(folder: JournalLocation.parts(path).folder)
  }

  /// Writes a copy into a file that is not there, and waits for the disk.
  ///
  /// Its pages are not those of the journal, so that no log of one may be taken for one of the other.
  static func copy(_ connection: any SQLConnection, to part: String) throws(JournalError) {
    let log = UnfinishedFile(at: part + "-journal")  // SQLite's, while it writes the copy
    defer { withExtendedLifetime(log) {} }
    // SQLite does not wait for the disk here, so that a backup is not one until it has its name.
    try connection.run("VACUUM INTO ?", .text(part))
    let copy = try Connection(path: part, flags: SQLiteOption.writes)
    defer { copy.close() }
    try JournalStamp.renewCopy(on: copy)
    copy.close()
    try JournalLocation.sync(file: part)
  }
}
