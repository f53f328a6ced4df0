import Moonlatch

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Which scenario files a list of paths names: files, folders of them, and `file:line`.
public struct Selection: Sendable {
  /// A file to run, whole or only the scenario at one of the lines.
  public struct Item: Sendable, Hashable {
    /// The file.
    public let url: URL
    /// How messages name it: as the user did, `/` between folders.
    public let name: String
    /// The lines that were named; empty for the whole file.
    public var lines: Set<Int>
  }

  /// A path that names nothing.
  public struct Missing: Error, CustomStringConvertible {
    /// A sentence.
    public let description: String
  }

  /// The files in the order of their names.
  public let items: [Item]

  /// Looks the paths up, relative to the current folder.
  ///
  /// - Throws: `Missing` for a path that does not exist.
  public init(_ paths: [String]) throws {
    var items: [String: Item] = [:]
    func add(_ name: String, line: Int?) {
      let key = name
      if var item = items[key] {
        if let line, !item.lines.isEmpty { item.lines.insert(line) } else { item.lines = [] }
        items[key] = item
      } else {
        items[key] = Item(
          url: URL(filePath: name), name: name, lines: line.map { [$0] } ?? [])
      }
    }
    for path in paths {
      let (name, line) = Selection.split(path)
      let clean = Selection.normalise(name)
      switch TextFile.kind(of: clean) {
      case .file: add(clean, line: line)
      case .folder:
        for file in try Selection.files(in: clean) { add(file, line: nil) }
      case nil: throw Missing(description: "there is no file or folder \(name)")
      }
    }
    self.items = items.values.sorted { $0.name < $1.name }
  }

  /// `file:line` where the file as a whole does not exist.
  private static func split(_ path: String) -> (String, Int?) {
    guard TextFile.kind(of: path) == nil, let colon = path.lastIndex(of: ":"),
      let line = Int(path[path.index(after: colon)...])
    else { return (path, nil) }
    return (String(path[..<colon]), line)
  }

  private static func normalise(_ path: String) -> String {
    var path = path
    while path.hasPrefix("./") && path.count > 2 { path.removeFirst(2) }
    while path.hasSuffix("/") && path.count > 1 { path.removeLast() }
    return path
  }

  private static func files(in folder: String) throws -> [String] {
    var found: [String] = []
    var waiting = [folder]
    while let next = waiting.popLast() {
      for name in try FileManager.default.contentsOfDirectory(atPath: next) where !name.hasPrefix(".") {
        let path = next == "." ? name : "\(next)/\(name)"
        switch TextFile.kind(of: path) {
        case .folder: waiting.append(path)
        case .file where name.hasSuffix(".scenario.lua"): found.append(path)
        default: break
        }
      }
    }
    return found
  }
}
