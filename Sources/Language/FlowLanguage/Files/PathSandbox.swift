import Platform

/// How far the words of scripts reach in the file system: what a scenario names has to lie below a
/// folder that the command was given, all links followed.
///
/// What a person names on the command line or at the prompt may lie anywhere.
package struct PathSandbox: Sendable, Hashable {
  /// The folders, from the root and without links.
  package let folders: [String]

  package init(_ folders: [String]) { self.folders = folders.map(PathSandbox.resolved) }

  /// What another one's `folders` were.
  package init(resolved folders: [String]) { self.folders = folders }

  /// For a file of which nobody said how it was found: as far as the place from which its name leads
  /// to it.
  package init(ofFile path: String, named name: String) {
    let base = path.hasSuffix("/" + name) ? String(path.dropLast(name.utf8.count + 1)) : "/"
    self.init(of: [path], from: base.isEmpty ? "/" : base)
  }

  /// What was given to a command reaches as far as the folder in which the command runs, if it lies
  /// there; otherwise as far as itself, a file as far as its folder.
  package init(of paths: [String], from folder: String) {
    let here = PathSandbox.resolved(folder)
    var folders: [String] = []
    for path in paths {
      let whole = path.hasPrefix("/") ? path : "\(folder)/\(path)"
      // A file that is a link may be anywhere: what it names stands where the link does.
      let isFolder = TextFile.kind(of: whole) == .folder
      var own = PathSandbox.resolved(isFolder ? whole : PathSandbox.folder(of: whole))
      if here != "/", PathSandbox.contains(here, own) { own = here }
      if !folders.contains(own) { folders.append(own) }
    }
    self.folders = folders
  }

  /// True if it holds what stands, or would stand, at a path from the root.
  package func holds(_ path: String) -> Bool {
    let target = PathSandbox.resolved(path)
    return folders.contains { PathSandbox.contains($0, target) }
  }

  /// Why a script's words do not reach a flow's file, nil where they do.
  package func problem(with path: String, named name: String) -> String? {
    guard holds(path) else {
      let list = folders.count == 1 ? folders[0] : "the folders \(folders.joined(separator: ", "))"
      return "\(name) lies outside of \(list), and the words of a script reach no further: run it "
        + "from a folder that holds both"
    }
    guard FlowFile.isFlow(path), FlowFile.isFlow(PathSandbox.resolved(path)) else {
      return "\(name) is no flow by its name: those end in .lua or .scxml"
    }
    return nil
  }

  // Bytes are compared here, as the system compares names: to Swift two texts are equal that look alike, and a slash
  // with an accent behind it is no slash.
  private static func contains(_ folder: String, _ path: String) -> Bool {
    folder == "/" || path.utf8.elementsEqual(folder.utf8)
      || path.utf8.starts(with: (folder + "/").utf8)
  }

  private static func folder(of path: String) -> String {
    let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// A path without links, `.` and `..`, as far as there is something.
  package static func resolved(_ path: String) -> String {
    var rest: [Substring] = []
    var known = path[...]
    // What is not there has no links in it: its folder may.
    while true {
      if let real = realpath(known.isEmpty ? "/" : String(known), nil) {
        defer { free(real) }
        return joined(String(cString: real), rest)
      }
      guard let slash = known.utf8.lastIndex(of: UInt8(ascii: "/")) else {
        return joined(String(known), rest)
      }
      rest.insert(known[known.utf8.index(after: slash)...], at: 0)
      known = known[..<slash]
    }
  }

  /// The path of what stands below a folder, without `.`, `..` and doubled slashes.
  package static func joined(_ folder: String, _ rest: [Substring]) -> String {
    var parts = folder.utf8.split(separator: UInt8(ascii: "/")).map(Substring.init)
    for part in rest where part != "." && !part.isEmpty {
      if part == ".." { _ = parts.popLast() } else { parts.append(part) }
    }
    return "/" + parts.joined(separator: "/")
  }
}
