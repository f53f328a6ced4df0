import Platform

/// The entries of a folder, sorted by name.
///
/// The system reports the kind of most entries with their names, so that few need a separate call.
package struct FolderListing {
  /// The kind of an entry, without following links.
  package enum Kind {
    case folder, link, file
  }

  /// An entry of a folder.
  package struct Entry {
    package let name: String
    package let kind: Kind
  }

  /// The entries, without "." and "..".
  package private(set) var entries: [Entry] = []

  /// Returns nil if the folder cannot be read.
  package init?(_ path: String) {
    guard let folder = opendir(path) else { return nil }
    defer { closedir(folder) }
    while let found = readdir(folder) {
      let name = withUnsafePointer(to: &found.pointee.d_name) {
        String(cString: UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self))
      }
      if name == "." || name == ".." { continue }
      let kind =
        FolderListing.kind(ofType: Int(found.pointee.d_type))
        ?? FolderListing.kind(of: "\(path)/\(name)")
      entries.append(Entry(name: name, kind: kind))
    }
    entries.sort { $0.name < $1.name }
  }

  private static func kind(ofType type: Int) -> Kind? {
    switch type {
    case Int(DT_DIR): .folder
    case Int(DT_LNK): .link
    case Int(DT_UNKNOWN): nil
    default: .file
    }
  }

  /// Returns the kind of an entry, for file systems that do not report it with the name.
  private static func kind(of path: String) -> Kind {
    var status = stat()
    guard lstat(path, &status) == 0 else { return .file }
    switch status.st_mode & S_IFMT {
    case S_IFDIR: return .folder
    case S_IFLNK: return .link
    default: return .file
    }
  }
}
