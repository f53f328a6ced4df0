import Platform

/// The texts of a flow's file and of the modules beside it.
package struct FlowSources: Sendable {
  package struct Source: Sendable {
    package let name: String
    package let text: String
    /// True if messages may show lines of the text, which they must not for a file whose name is not that of a Lua
    /// file.
    var showsLines = true
  }

  package struct Refused: Error, CustomStringConvertible {
    package let description: String
  }

  private enum Origin: Sendable {
    case file(URL)
    case text(String, name: String)
    /// The texts of a stored flow, by their names in messages.
    case kept([String: String])
  }

  private let origin: Origin
  /// The name of the flow's file in messages; the names of modules are relative to the same folder.
  package let name: String

  package init(file: URL, displayName: String? = nil) {
    origin = .file(file)
    name = displayName ?? file.lastPathComponent
  }

  package init(text: String, name: String) {
    origin = .text(text, name: name)
    self.name = name
  }

  /// Creates sources from the texts of a flow by their names, beginning with its own file.
  package init(texts: [(name: String, text: String)]) {
    origin = .kept(Dictionary(texts, uniquingKeysWith: { first, _ in first }))
    name = texts.first?.name ?? "flow.lua"
  }

  /// True if the flow is an SCXML document, judged by its name.
  package var isDocument: Bool {
    if case .file(let file) = origin { return file.pathExtension == "scxml" }
    return name.hasSuffix(".scxml")
  }

  package func entry() throws(TextFile.Unreadable) -> Source {
    switch origin {
    case .text(let text, let name): return Source(name: name, text: text)
    case .kept(let texts): return Source(name: name, text: texts[name] ?? "")
    case .file(let file):
      let text =
        isDocument
        ? try TextFile.readDocument(file, name: name) : try TextFile.read(file, name: name)
      return Source(
        name: name, text: text,
        showsLines: file.pathExtension == "lua" || isDocument)
    }
  }

  /// Returns a text beside a document, by its path from there.
  ///
  /// Throws if a link or the path leads out of the document's folder.
  package func document(at path: String) throws -> Source {
    let shown = shown(path)
    if case .kept(let texts) = origin {
      guard let text = texts[shown] else {
        throw Refused(description: "\(shown) is not among the stored sources")
      }
      return Source(name: shown, text: text)
    }
    guard case .file(let file) = origin else {
      throw Refused(description: "src works only in a document that is loaded from a file")
    }
    if path.contains("://") || path.utf8.first == UInt8(ascii: "/") || path.utf8.contains(0) {
      throw Refused(
        description: "it must be a relative path inside the document's folder")
    }
    let folder = file.deletingLastPathComponent()
    let inside = folder.resolvingSymlinksInPath().standardizedFileURL.path
    let target = folder.appending(path: path).resolvingSymlinksInPath().standardizedFileURL
    guard
      !FlowSources.leaves(inside, by: path),
      target.path.utf8.starts(with: (inside.hasSuffix("/") ? inside : inside + "/").utf8)
    else {
      throw Refused(description: "it leads out of the document's folder")
    }
    return Source(name: shown, text: try TextFile.readDocument(target, name: shown))
  }

  /// Returns the module of that name inside the flow's own folder.
  ///
  /// Folders in the name are separated by a dot or a slash.
  package func module(named name: String) throws -> Source {
    if case .kept(let texts) = origin {
      let shown = shown(name.replacing(".", with: "/") + ".lua")
      guard let text = texts[shown] else {
        throw Refused(
          description: "module \"\(name)\" (\(shown)) is not among the stored sources")
      }
      return Source(name: shown, text: text)
    }
    guard case .file(let file) = origin else {
      throw Refused(description: "require works only in a flow that is loaded from a file")
    }
    let parts = name.split(omittingEmptySubsequences: false) { $0 == "." || $0 == "/" }
    let fine = parts.allSatisfy { part in
      !part.isEmpty && part.utf8.allSatisfy { isNameByte($0) }
    }
    guard fine else {
      throw Refused(
        description: "module \"\(name)\": the name of a module has letters, digits, _ and -, "
          + "with dots between folders; its file is in the flow's folder")
    }
    let folder = file.deletingLastPathComponent()
    let path = parts.joined(separator: "/") + ".lua"
    let inside = folder.resolvingSymlinksInPath().standardizedFileURL.path
    let target = folder.appending(path: path).resolvingSymlinksInPath().standardizedFileURL
    // The message must not show if the file exists, so a link is judged by its target.
    guard
      !FlowSources.leaves(inside, by: path),
      target.path.utf8.starts(with: (inside.hasSuffix("/") ? inside : inside + "/").utf8)
    else {
      throw Refused(
        description: "module \"\(name)\": \(path) is a link out of the flow's folder")
    }
    guard target.pathExtension == "lua" else {
      throw Refused(
        description:
          "module \"\(name)\": \(path) is a link to a file whose name does not end in .lua")
    }
    let shown = shown(path)
    return Source(
      name: shown, text: try TextFile.read(target, name: "module \"\(name)\" (\(shown))"))
  }

  /// Returns the name of a file beside the flow's file in messages.
  private func shown(_ path: String) -> String {
    let slash = self.name.lastIndex(of: "/")
    return String(slash.map { self.name[...$0] + path } ?? Substring(path))
  }

  private static let mostLinks = 40

  /// Returns true if a path, with all its links followed, leads out of the folder that it starts in.
  private static func leaves(_ folder: String, by path: String) -> Bool {
    func parts(_ path: Substring) -> [String] {
      path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
    }
    var ahead = parts(path[...])
    var here: [String] = []
    var links = 0
    while !ahead.isEmpty {
      let part = ahead.removeFirst()
      if part == "." { continue }
      if part == ".." {
        if here.popLast() == nil { return true }
        continue
      }
      let place = ([folder] + here + [part]).joined(separator: "/")
      guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: place) else {
        here.append(part)
        continue
      }
      links += 1
      if links > mostLinks { return true }
      var leads = Substring(target)
      if target.utf8.first == UInt8(ascii: "/") {
        guard target.utf8.starts(with: (folder + "/").utf8) else { return true }
        leads = Substring(target.utf8.dropFirst(folder.utf8.count))
        here = []
      }
      ahead = parts(leads) + ahead
    }
    return false
  }

  private func isNameByte(_ byte: UInt8) -> Bool {
    byte == 95 || byte == 45 || (48...57).contains(byte) || (65...90).contains(byte)
      || (97...122).contains(byte)
  }
}
