import FlowKernel
import FlowLanguage
import JournalRows
import Platform

/// Replaces a journal by a backup.
enum Restoration {
  static func run(
    _ backup: URL, _ target: URL, replacing: Bool
  ) throws(JournalError) {
    let path = try JournalLocation.resolve(target)
    let source = try JournalLocation.resolve(backup)
    if let inode = Inode(of: source), inode == Inode(of: path) {
      throw JournalError(
        .failed, "\(backup.path) and \(path) are the same file: name the backup first.")
    }
    let reader = try JournalReader(file: backup)
    if let fault = try reader.verify().faults.first {
      throw JournalError(.damaged, "\(backup.path) is not a complete backup: \(fault)")
    }
    let isNew = !JournalLocation.exists(path)
    let lock = try DatabaseFiles.lock(path)
    do throws(JournalError) {
      if !replacing { try expectSame(path, as: reader.identity(), backup.path) }
      try replace(path, by: reader)
    } catch {
      if isNew { unlink(path) }
      throw error
    }
    withExtendedLifetime(lock) {}
  }

  /// Throws unless the file is the journal of the backup, or empty.
  private static func expectSame(
    _ path: String, as identity: JournalIdentity, _ backup: String
  ) throws(JournalError) {
    var found = stat()
    if stat(path, &found) == 0 && found.st_size == 0 { return }
    // The first pages of a journal that was never closed may be in the log alone.
    let log = try WriteAheadLog.firstStamp(of: path)
    guard let own = JournalStamp.read(ofFile: path) ?? log else {
      throw JournalError(
        .unreadable,
        "\(path) exists, but cannot be read as a journal: check what it is; --force replaces it.")
    }
    if own.id == identity.id { return }
    let flow = identity.flow.map { " of flow \"\($0)\"" } ?? ""
    throw JournalError(
      .otherFlow,
      "\(path) is journal \(own.id), and \(backup) is a backup of journal \(identity.id)\(flow): name the right file; "
        + "--force replaces it.")
  }

  /// Replaces the file, after removing the old log and before removing the old mark.
  ///
  /// If the machine stops in between, the old file is refused because its log is missing.
  private static func replace(_ path: String, by reader: JournalReader) throws(JournalError) {
    let part = UnfinishedFile(beside: path)
    try reader.read { (reads) throws(JournalError) in
      try Backup.copy(reads.connection, to: part.path)
    }
    let folder = JournalLocation.parts(path).folder
    for name in [WriteAheadLog.path(of: path), path + "-shm"] { unlink(name) }
    try JournalLocation.sync(folder: folder)
    guard rename(part.path, path) == 0 else {
      throw JournalError(.failed, "\(path) cannot be created: \(String(cString: strerror(errno))).")
    }
    try JournalLocation.sync(folder: folder)
    unlink(CommitMark.path(of: path))
    try JournalLocation.sync(folder: folder)
  }
}
