import Foundation
import Testing

/// A page of the documentation: a Markdown file with its samples.
struct Page: Sendable, CustomStringConvertible {
  /// A fenced block.
  struct Block: Sendable {
    let language: String
    /// The line of its first line.
    let line: Int
    let lines: [String]
    /// The comment above the block that says how to test it: `with: state { n = 0 }`.
    let directive: String?

    var text: String { lines.joined(separator: "\n") + "\n" }

    /// Why the block is not run, if its page says so.
    var reasonNotToRun: String? { argument(of: "not run:") }

    /// Returns the text after a word in the directive.
    func argument(of word: String) -> String? {
      guard let directive, directive.hasPrefix(word) else { return nil }
      return String(directive.dropFirst(word.count)).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// The file that the block is, if its first line names one: `-- door.lua`.
    var file: String? {
      let comment = ["lua": "-- ", "sh": "# "][language] ?? "// "
      guard let first = lines.first, first.hasPrefix(comment) else { return nil }
      let name = first.dropFirst(comment.count)
      return name.contains(/^[A-Za-z0-9_\/-]+(\.scenario|\.host)?\.[a-z]+$/) ? String(name) : nil
    }
  }

  /// The path from the root of the repository.
  let name: String
  let blocks: [Block]
  private let lines: [String]

  var description: String { name }

  init(name: String, text: String) {
    self.name = name
    lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    blocks = Page.blocks(of: lines)
  }

  static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// Every page that people read: the README and its like, the examples' READMEs, the catalogs.
  static let all: [Page] = {
    var names = ["README.md", "CONTRIBUTING.md"]
    for folder in ["Sources", "examples"] {
      names += files(below: folder).filter(isPage).map { folder + "/" + $0 }
    }
    return names.sorted().compactMap { name in
      (try? String(contentsOf: root.appending(path: name), encoding: .utf8))
        .map { Page(name: name, text: $0) }
    }
  }()

  /// The page of that name, without folder and ending.
  static func named(_ name: String) throws -> Page {
    try #require(
      all.first {
        URL(filePath: $0.name).deletingPathExtension().lastPathComponent == name
      })
  }

  var text: String { lines.joined(separator: "\n") }

  /// Returns true if a line of the page begins with this text.
  func contains(_ beginning: String) -> Bool { lines.contains { $0.hasPrefix(beginning) } }

  /// The last text that the page gives a file.
  func text(of file: String) throws -> String {
    try #require(blocks.last { $0.file == file }).text
  }

  /// The paths of the files below a folder of the repository, without what is built there.
  static func files(below folder: String) -> [String] {
    let url = root.appending(path: folder, directoryHint: .isDirectory)
    let files = FileManager.default.enumerator(
      at: url, includingPropertiesForKeys: [.isRegularFileKey])
    var paths: [String] = []
    for case let file as URL in files ?? .init() {
      if file.lastPathComponent == ".build" { files?.skipDescendants() }
      let isFile = try? file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile
      guard isFile == true else { continue }
      paths.append(
        file.pathComponents.dropFirst(url.pathComponents.count).joined(separator: "/"))
    }
    return paths.sorted()
  }

  private static func isPage(_ path: String) -> Bool {
    path.hasSuffix(".md") && (path.contains(".docc/") || path.hasSuffix("/README.md"))
  }

  private static func blocks(of lines: [String]) -> [Block] {
    var blocks: [Block] = []
    var index = 0
    while index < lines.count {
      defer { index += 1 }
      guard lines[index].hasPrefix("```") else { continue }
      let opening = index
      index += 1
      while index < lines.count, !lines[index].hasPrefix("```") { index += 1 }
      blocks.append(
        Block(
          language: String(lines[opening].dropFirst(3)), line: opening + 2,
          lines: Array(lines[(opening + 1)..<index]),
          directive: directive(above: opening, in: lines)))
    }
    return blocks
  }

  /// The text of the comment that ends on the line above, or on the one before an empty line.
  private static func directive(above opening: Int, in lines: [String]) -> String? {
    var last = opening - 1
    if last >= 0, lines[last].isEmpty { last -= 1 }
    guard last >= 0, lines[last].hasSuffix("-->"),
      let first = lines[...last].lastIndex(where: { $0.hasPrefix("<!--") })
    else { return nil }
    return lines[first...last].joined(separator: "\n").dropFirst(4).dropLast(3)
      .trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// The places that the page's text leads to, with their lines: `<doc:Tour>`, `[text](../a.md)`.
  var links: [(line: Int, target: String)] {
    var found: [(Int, String)] = []
    var isCode = false
    for (index, line) in lines.enumerated() {
      if line.hasPrefix("```") { isCode.toggle() }
      guard !isCode else { continue }
      for match in line.matches(of: /<(doc:[^>]+)>|\]\(([^)\s]+)\)/) {
        found.append((index + 1, String(match.1 ?? match.2 ?? "")))
      }
    }
    return found
  }
}
