import CSQLite
import FlowKernel
import JournalRows
import Platform

/// Checks of a journal's location: a path without links, on a disk whose locks and syncs can be relied on.
enum JournalLocation {
  /// Returns the path of a file with all links resolved, whether the file exists or not.
  static func resolve(_ file: URL) throws(JournalError) -> String {
    let path = file.path
    if let whole = realpath(path, nil) {
      defer { free(whole) }
      return String(cString: whole)
    }
    let (folder, name) = parts(path)
    guard !name.isEmpty, let whole = realpath(folder, nil) else {
      throw JournalError(
        .failed, "\(path) cannot be a journal: \(folder): \(String(cString: strerror(errno))).")
    }
    defer { free(whole) }
    let resolved = String(cString: whole)
    let found = resolved == "/" ? "/\(name)" : "\(resolved)/\(name)"
    var status = stat()
    if lstat(found, &status) == 0, status.st_mode & S_IFMT == S_IFLNK {
      throw JournalError(
        .unsafe,
        "\(path) is a link to a missing file: name the journal itself, or make its folder.")
    }
    return found
  }

  static func parts(_ path: String) -> (folder: String, name: String) {
    guard let slash = path.lastIndex(of: "/") else { return (".", path) }
    let folder = slash == path.startIndex ? "/" : String(path[..<slash])
    return (folder, String(path[path.index(after: slash)...]))
  }

  static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// Syncs the entries of a folder; a folder that can be written but not read is skipped.
  static func sync(folder: String) throws(JournalError) { try sync(folder, butFor: EACCES) }

  /// Syncs a file that nobody has open.
  static func sync(file: String) throws(JournalError) { try sync(file, butFor: nil) }

  private static func sync(_ path: String, butFor excuse: Int32?) throws(JournalError) {
    if let code = Disk.sync(path, butFor: excuse) {
      throw JournalError(
        .failed, "\(path) cannot be written to disk: \(String(cString: strerror(code))).")
    }
  }

  /// Throws for file systems whose locks and writes cannot be relied on.
  static func check(_ path: String) throws(JournalError) {
    guard let kind = networkDisk(of: parts(path).folder) else { return }
    throw JournalError(
      .unsafe,
      "\(path) is on \(kind), where locks and writes are not reliable: put the journal on a disk "
        + "of this machine, or allow it anyway (allowsNetworkDisk).")
  }

  private static func networkDisk(of folder: String) -> String? {
    #if canImport(Darwin)
      var disk = statfs()
      guard statfs(folder, &disk) == 0 else { return nil }
      let name = withUnsafeBytes(of: disk.f_fstypename) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      return isNetwork(name: name) ? name : nil
    #else
      return network(magic: csqlite_disk(folder))
    #endif
  }

  static func isNetwork(name: String) -> Bool {
    ["nfs", "smbfs", "afpfs", "webdav", "ftp"].contains(name) || name.contains("fuse")
  }

  /// Returns the name of a network file system by its magic number; nil for others. (statfs(2))
  static func network(magic: UInt32) -> String? {
    switch magic {
    case 0x6969: "NFS"
    case 0x6573_5546: "FUSE"
    case 0x517b, 0xfe53_4d42, 0xff53_4d42: "SMB"
    case 0x0102_1997: "9P"
    case 0x5346_414f, 0x6b41_4653: "AFS"
    case 0x00c3_6400: "Ceph"
    case 0x7375_7245: "Coda"
    case 0x0bd0_0bd0: "Lustre"
    case 0x4750_4653: "GPFS"
    default: nil
    }
  }
}
