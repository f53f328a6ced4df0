import Platform

/// The folders to which scripts have access: a file that a scenario names must be below one of them, with links
/// followed.
///
/// Files that a person names on the command line or at the prompt may be anywhere.
package struct PathSandbox: Sendable, Hashable {
  /// The folders, as absolute paths without links.
  package let folders: [String]

  package init(_ folders: [String]) { self.folders = folders.map(PathSandbox.resolved) }

  /// Creates a sandbox from the `folders` of another one.
  package init(resolved folders: [String]) { self.folders = folders }

  /// Creates a sandbox for a file, if it is not known how the file was found.
  ///
  /// Its folder is the one from which `name` leads to the file.
  package init(ofFile path: String, named name: String) {
    let base = path.hasSuffix("/" + name) ? String(path.dropLast(name.utf8.count + 1)) : "/"
    self.init(of: [path], from: base.isEmpty ? "/" : base)
  }

  /// Creates a sandbox for the paths that were given to a command.
  ///
  /// Each path adds one folder: the one in which the command runs, if the path is below it; otherwise the path
  /// itself, or its folder if it is a file.
  package init(of paths: [String], from folder: String) {
    let here = PathSandbox.resolved(folder)
    var folders: [String] = []
    for path in paths {
      let whole = path.hasPrefix("/") ? path : "\(folder)/\(path)"
      // A file that is a link may lead anywhere, but the names in it are relative to the folder of the link.
      let isFolder = TextFile.kind(of: whole) == .folder
      var own = PathSandbox.resolved(isFolder ? whole : PathSandbox.folder(of: whole))
      if here != "/", PathSandbox.contains(here, own) { own = here }
      if !folders.contains(own) { folders.append(own) }
    }
    self.folders = folders
  }

  /// Returns true if the file at an absolute path is, or would be, inside the sandbox.
  package func holds(_ path: String) -> Bool {
    let target = PathSandbox.resolved(path)
    return folders.contains { PathSandbox.contains($0, target) }
  }

  /// Returns the reason why a script has no access to a flow's file; nil if it has.
  package func problem(with path: String, named name: String) -> String? {
    guard holds(path) else {
      let list = folders.count == 1 ? folders[0] : "the folders \(folders.joined(separator: ", "))"
      return "\(name) is outside of \(list), and scripts can read files only there: run it from "
        + "a folder that contains both"
    }
    guard FlowFile.isFlow(path), FlowFile.isFlow(PathSandbox.resolved(path)) else {
      return "\(name) is not a flow: the names of flows end in .lua or .scxml"
    }
    return nil
  }

  // Bytes are compared, as the system compares names. Swift counts texts as equal that look alike, and a slash
  // followed by a combining accent is no slash.
  private static func contains(_ folder: String, _ path: String) -> Bool {
    folder == "/" || path.utf8.elementsEqual(folder.utf8)
      || path.utf8.starts(with: (folder + "/").utf8)
  }

  private static func folder(of path: String) -> String {
    let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Returns a path without links, `.` and `..`, as far as it exists.
  package static func resolved(_ path: String) -> String {
    var rest: [Substring] = []
    var known = path[...]
    // A path that does not exist has no link at its end, but its folder may have one.
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

  /// Returns a path below a folder, without `.`, `..` and doubled slashes.
  package static func joined(_ folder: String, _ rest: [Substring]) -> String {
    var parts = folder.utf8.split(separator: UInt8(ascii: "/")).map(Substring.init)
    for part in rest where part != "." && !part.isEmpty {
      if part == ".." { _ = parts.popLast() } else { parts.append(part) }
    }
    return "/" + parts.joined(separator: "/")
  }
}
