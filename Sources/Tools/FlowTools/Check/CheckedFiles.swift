import FlowLanguage
import Platform

/// The Lua files and SCXML documents of a list of paths, sorted by their role.
package struct CheckedFiles {
  package struct File: Hashable {
    package let name: String
    package var url: URL { URL(filePath: name).standardizedFileURL }
  }

  /// Files to be loaded as flows.
  package private(set) var flows: [File] = []
  private(set) var scenarios: [File] = []
  private(set) var hostFiles: [File] = []
  /// The files that are neither flows, nor scenarios, nor host files, nor modules of a flow; only their syntax is checked.
  private(set) var others: [File] = []
  package private(set) var faults: [Diagnostic] = []

  /// The files that a check may read, by the given paths.
  let reach: PathSandbox
  private var named: [File] = []
  private var found: [File] = []

  package init(_ paths: [String]) {
    reach = PathSandbox(of: paths, from: FileManager.default.currentDirectoryPath)
    for path in paths { add(path) }
    sortOut()
  }

  private mutating func add(_ path: String) {
    let name = path.hasPrefix("./") ? String(path.dropFirst(2)) : path
    switch TextFile.kind(of: path) {
    case .folder?: walk(name)
    case .file? where name.hasSuffix(FlowFile.scenarioSuffix): scenarios.append(File(name: name))
    case .file? where name.hasSuffix(FlowFile.explorationSuffix):
      others.append(File(name: name))
    case .file? where name.hasSuffix(FlowFile.hostFileSuffix): hostFiles.append(File(name: name))
    case .file?: named.append(File(name: name))
    case nil:
      faults.append(
        Diagnostic(
          file: name, line: 0,
          message: RegularFile.missing(
            name, what: "file or folder", suggestion: suggestion(name))))
    }
  }

  private func suggestion(_ name: String) -> String {
    let url = URL(filePath: name)
    let siblings = try? FileManager.default.contentsOfDirectory(
      atPath: url.deletingLastPathComponent().path)
    return Names.suggestion(
      for: url.lastPathComponent, among: (siblings ?? []).filter(FlowFile.isFlow))
  }

  /// Collects the files of a folder, without hidden files and links to folders, which could form a cycle.
  private mutating func walk(_ folder: String) {
    var walk = FolderWalk(suffixes: FlowFile.suffixes)
    walk.visit(URL(filePath: folder).path, named: folder.isEmpty ? "." : folder)
    for (name, why) in walk.unreadable {
      faults.append(Diagnostic(file: name, line: 0, message: why))
    }
    for file in walk.found {
      if file.isLink, !reach.holds(file.path) {
        faults.append(
          Diagnostic(
            file: file.name, line: 0,
            message: "this link leads out of the given folders; name the file to check it"))
      } else if file.name.hasSuffix(FlowFile.scenarioSuffix) {
        scenarios.append(File(name: file.name))
      } else if file.name.hasSuffix(FlowFile.explorationSuffix) {
        others.append(File(name: file.name))
      } else if file.name.hasSuffix(FlowFile.hostFileSuffix) {
        hostFiles.append(File(name: file.name))
      } else if file.name.hasSuffix(FlowFile.suffixOfDocuments) {
        flows.append(File(name: file.name))
      } else {
        found.append(File(name: file.name))
      }
    }
  }

  /// Sorts the files; a file in a folder is a flow if it declares something and no other file requires it.
  private mutating func sortOut() {
    let sources = Dictionary(
      found.map { ($0, source(of: $0)) }, uniquingKeysWith: { first, _ in first })
    let modules = Set(sources.flatMap { required(by: $0.value, beside: $0.key) })
    for file in found where !modules.contains(file.url.path) {
      if let source = sources[file], CheckedFiles.declares(source) {
        flows.append(file)
      } else {
        others.append(file)
      }
    }
    flows += named
    flows = unique(flows)
    scenarios = unique(scenarios)
    hostFiles = unique(hostFiles)
    others = unique(others)
  }

  private func source(of file: File) -> LuaSource {
    LuaSource(name: file.name, text: (try? TextFile.read(file.url, name: file.name)) ?? "")
  }

  private func unique(_ files: [File]) -> [File] {
    var seen: Set<String> = []
    return files.filter { seen.insert($0.url.path).inserted }
  }

  /// Returns the paths of the files that a file requires.
  private func required(by source: LuaSource, beside file: File) -> [String] {
    let folder = file.url.deletingLastPathComponent()
    return source.accesses.filter { $0.root == "require" }.compactMap { access in
      guard let name = source.literal(source.arguments(of: access)?.first) else { return nil }
      let parts = name.split { $0 == "." || $0 == "/" }
      return folder.appending(path: parts.joined(separator: "/") + ".lua").standardizedFileURL.path
    }
  }

  private static func declares(_ source: LuaSource) -> Bool {
    source.accesses.contains {
      ["state", "action", "internal"].contains($0.root) && !source.localNames.contains($0.root)
    }
  }
}
