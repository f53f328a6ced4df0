import FlowLanguage
import Platform

/// The scenario files that a list of paths names: files, folders of them, patterns, and `file:line`.
public struct Selection: Sendable {
  /// A file to run, whole or only the scenarios at some of its lines.
  public struct Item: Sendable, Hashable {
    /// The absolute path of the file.
    public let path: String
    /// The name of the file in messages, as the user wrote it, with `/` between folders.
    public let name: String
    /// The lines that were named; empty for the whole file.
    public var lines: Set<Int>
    /// The patterns with which lines were named, by line; a pattern names several files.
    package var patterns: [Int: String] = [:]
    /// The reason that there is nothing to run, for a path that names nothing.
    public var problem: String?
    /// The sandbox of the paths that the file may name.
    package var reach: PathSandbox

    /// Makes an item of a file.
    package init(
      path: String, name: String, lines: Set<Int> = [], problem: String? = nil,
      reach: PathSandbox? = nil
    ) {
      self.path = path
      self.name = name
      self.reach = reach ?? PathSandbox(ofFile: path, named: name)
      self.lines = lines
      self.problem = problem
    }
  }

  /// The files in the order of their names, and an item with a problem for each path that names nothing.
  public let items: [Item]
  /// A sentence for each folder or pattern without a scenario file.
  public let notes: [String]

  /// Resolves the paths.
  ///
  /// No file is opened yet.
  ///
  /// - Parameters:
  ///   - paths: files, folders, patterns or `FILE:LINE`.
  ///   - folder: the folder that relative paths start from; nil for the current folder.
  public init(_ paths: [String], in folder: URL? = nil) {
    self.init(paths, in: folder, reaching: [])
  }

  /// Resolves the paths, and extends the sandbox of the files by the given folders.
  package init(_ paths: [String], in folder: URL? = nil, reaching given: [String]) {
    var search = Search(folder: folder, given: paths + given)
    for path in paths { search.add(path) }
    items = search.sorted
    notes = search.notes
  }
}

/// A lookup of paths, which finds each file once, however often and by whichever name it is given.
private struct Search {
  /// The folder that relative paths start from.
  let folder: String
  private var items: [Selection.Item] = []
  /// The indices in `items`, by absolute path.
  private var indices: [String: Int] = [:]
  var notes: [String] = []
  private let reach: PathSandbox

  init(folder: URL?, given: [String]) {
    let here = FileManager.default.currentDirectoryPath
    let folder = folder.map { Search.path($0.path, from: here) } ?? here
    self.folder = folder
    // Of a pattern only the part in front without wildcards counts.
    let places = given.map { path in
      TextFile.kind(of: Search.path(path, from: folder)) == nil
        ? GlobPattern(path).map { $0.base.isEmpty ? "." : $0.base } ?? path : path
    }
    reach = PathSandbox(of: places, from: folder)
  }

  mutating func add(_ path: String) {
    let (written, line) = split(path)
    let name = normalised(written)
    switch kind(of: name) {
    case .file: add(file: name, at: self.path(of: name), line: line)
    case .folder where line != nil: add(problem: "a folder has no lines", with: path)
    case .folder:
      var walk = FolderWalk(suffixes: [FlowFile.scenarioSuffix])
      walk.visit(self.path(of: name), named: name)
      for found in walk.found { add(found, line: nil) }
      for (unreadable, why) in walk.unreadable { add(problem: why, with: unreadable) }
      if walk.found.isEmpty && walk.unreadable.isEmpty {
        let shown = name == "." ? "the current folder" : name
        notes.append("there is no scenario file (*\(FlowFile.scenarioSuffix)) in \(shown)")
      }
    case nil where GlobPattern(name) != nil: add(pattern: name, line: line)
    case nil:
      let problem = RegularFile.missing(
        name, what: "file or folder", suggestion: suggestion(for: name))
      add(problem: problem, with: name)
    }
  }

  private mutating func add(pattern: String, line: Int?) {
    guard let glob = GlobPattern(pattern) else { return }
    let base = glob.base.isEmpty ? "." : glob.base
    var walk = FolderWalk(suffixes: [FlowFile.scenarioSuffix])
    if kind(of: base) == .folder { walk.visit(path(of: base), named: base) }
    let prefix = base == "." ? 0 : base.hasSuffix("/") ? base.count : base.count + 1
    let found = walk.found.filter { glob.matches(String($0.name.dropFirst(prefix))) }
    for file in found {
      add(file, line: line)
      guard let line, found.count > 1, let index = indices[file.path] else { continue }
      if items[index].lines.contains(line) { items[index].patterns[line] = pattern }
    }
    if found.isEmpty { notes.append("no scenario file matches \(pattern)") }
  }

  /// Adds a file that was found in a folder, unless it is a link out of the sandbox.
  ///
  /// The user did not name the file, so a link may not lead further than the rest.
  private mutating func add(_ found: FolderWalk.Found, line: Int?) {
    guard !found.isLink || reach.holds(found.path) else {
      return add(
        problem: "this link leads out of the given folder; name the file to run it",
        with: found.name)
    }
    add(file: found.name, at: found.path, line: line)
  }

  private mutating func add(file name: String, at path: String, line: Int?) {
    guard let index = indices[path] else {
      add(Selection.Item(path: path, name: name, lines: line.map { [$0] } ?? [], reach: reach))
      return
    }
    // Naming the whole file overrides naming lines of it.
    if let line, !items[index].lines.isEmpty {
      items[index].lines.insert(line)
    } else if line == nil {
      items[index].lines = []
      items[index].patterns = [:]
    }
  }

  private mutating func add(problem: String, with name: String) {
    add(Selection.Item(path: path(of: name), name: name, problem: problem, reach: reach))
  }

  /// Adds an item, or replaces the one with the same path.
  private mutating func add(_ item: Selection.Item) {
    if let index = indices[item.path] {
      items[index] = item
    } else {
      indices[item.path] = items.count
      items.append(item)
    }
  }

  /// The items in the order of their names, which is mostly the order in which a folder's files are found.
  var sorted: [Selection.Item] {
    let isSorted = zip(items, items.dropFirst()).allSatisfy { $0.name <= $1.name }
    return isSorted ? items : items.sorted { $0.name < $1.name }
  }

  private func path(of name: String) -> String { Search.path(name, from: folder) }

  /// Returns the absolute path without `.`, `..` and doubled slashes; links are not resolved.
  private static func path(_ name: String, from folder: String) -> String {
    PathSandbox.joined(name.hasPrefix("/") ? "" : folder, name.split(separator: "/"))
  }

  private func kind(of name: String) -> TextFile.Kind? { TextFile.kind(of: path(of: name)) }

  /// Splits `file:line` into file and line, unless a file has the whole text as its name.
  private func split(_ path: String) -> (String, Int?) {
    guard kind(of: path) == nil, let colon = path.lastIndex(of: ":"),
      let line = Int(path[path.index(after: colon)...])
    else { return (path, nil) }
    return (String(path[..<colon]), line)
  }

  /// Returns the path without `.` and doubled slashes, and relative if the file is below the current folder.
  ///
  /// So a file has one name, on every machine.
  private func normalised(_ written: String) -> String {
    var path = written[...]
    if written.hasPrefix("/") {
      let here = folder
      let folder = here.hasSuffix("/") ? here : here + "/"
      if folder != "/", (path + "/").hasPrefix(folder) { path = path.dropFirst(folder.count) }
    }
    let parts = path.split(separator: "/").filter { $0 != "." }
    let joined = (path.hasPrefix("/") ? "/" : "") + parts.joined(separator: "/")
    return joined.isEmpty ? "." : joined
  }

  private func suggestion(for name: String) -> String {
    let path = path(of: name)
    let own = path.split(separator: "/").last.map(String.init) ?? ""
    let siblings = FolderListing(String(path.dropLast(own.count)))?.entries ?? []
    return Names.suggestion(
      for: own, among: siblings.map(\.name).filter { $0.hasSuffix(FlowFile.scenarioSuffix) })
  }
}
