/// A walk that collects the files below a folder whose names have one of several endings, without hidden ones.
///
/// Links to folders are not followed, because they may form a cycle.
package struct FolderWalk {
  package struct Found {
    package let name: String
    package let path: String
    package let isLink: Bool
  }

  package private(set) var found: [Found] = []
  package private(set) var unreadable: [(name: String, why: String)] = []
  private let suffixes: [String]

  package init(suffixes: [String]) { self.suffixes = suffixes }

  /// Visits a folder, given by its absolute path.
  package mutating func visit(_ folder: String, named name: String) {
    guard let listing = FolderListing(folder) else {
      unreadable.append((name, "the folder cannot be read (permission denied)"))
      return
    }
    let prefix = name == "." ? "" : name.hasSuffix("/") ? name : name + "/"
    let root = folder == "/" ? folder : folder + "/"
    for entry in listing.entries where !entry.name.hasPrefix(".") {
      switch entry.kind {
      case .folder: visit(root + entry.name, named: prefix + entry.name)
      case .link where TextFile.kind(of: root + entry.name) == .folder: break
      case .file, .link:
        // Broken links are included: running them reports the problem.
        if suffixes.contains(where: entry.name.hasSuffix) {
          found.append(
            Found(
              name: prefix + entry.name, path: root + entry.name, isLink: entry.kind == .link))
        }
      }
    }
  }
}
