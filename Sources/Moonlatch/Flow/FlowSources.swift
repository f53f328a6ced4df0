#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The text of a flow's file and of the modules beside it.
package struct FlowSources: Sendable {
  package struct Source: Sendable {
    package let name: String
    package let text: String
  }

  struct Unreadable: Error, CustomStringConvertible {
    let description: String
  }

  private enum Origin: Sendable {
    case file(URL)
    case text(String, name: String)
  }

  private let origin: Origin
  /// How the flow's file is named in messages; modules are named relative to the same place.
  private let displayName: String

  package init(file: URL, displayName: String? = nil) {
    origin = .file(file)
    self.displayName = displayName ?? file.lastPathComponent
  }

  package init(text: String, name: String) {
    origin = .text(text, name: name)
    displayName = name
  }

  func entry() throws -> Source {
    switch origin {
    case .text(let text, let name): return Source(name: name, text: text)
    case .file(let file): return Source(name: displayName, text: try read(file, as: displayName))
    }
  }

  /// The module of that name inside the flow's own folder. A dot or a slash separates folders.
  func module(named name: String) throws -> Source {
    guard case .file(let file) = origin else {
      throw Unreadable(description: "require needs a flow in a file, with its modules beside it")
    }
    let parts = name.split(whereSeparator: { $0 == "." || $0 == "/" }, omittingEmpty: false)
    let fine = parts.allSatisfy { part in
      !part.isEmpty && part.utf8.allSatisfy { isNameByte($0) }
    }
    guard fine else {
      throw Unreadable(
        description: "module \"\(name)\": a module is named by letters, digits, _ and -, with dots "
          + "between folders, and lies in the flow's own folder")
    }
    let folder = file.deletingLastPathComponent()
    let path = parts.joined(separator: "/") + ".lua"
    let inside = folder.resolvingSymlinksInPath().standardizedFileURL.path
    let target = folder.appending(path: path).resolvingSymlinksInPath().standardizedFileURL
    guard target.path.hasPrefix(inside.hasSuffix("/") ? inside : inside + "/") else {
      throw Unreadable(
        description: "module \"\(name)\": \(path) is a link out of the flow's folder")
    }
    let slash = displayName.lastIndex(of: "/")
    let shown = slash.map { displayName[...$0] + path } ?? path
    return Source(name: String(shown), text: try read(target, as: "module \"\(name)\" (\(shown))"))
  }

  private func isNameByte(_ byte: UInt8) -> Bool {
    byte == 95 || byte == 45 || (48...57).contains(byte) || (65...90).contains(byte)
      || (97...122).contains(byte)
  }

  private func read(_ file: URL, as name: String) throws -> String {
    let data: Data
    do {
      data = try Data(contentsOf: file)
    } catch {
      throw Unreadable(description: "\(name): the file cannot be read: \(reason(error, file))")
    }
    if data.starts(with: [0x1b]) {
      throw Unreadable(description: "\(name): this is compiled Lua; only text is loaded")
    }
    guard var text = String(validating: data, as: UTF8.self) else {
      throw Unreadable(description: "\(name): the file is not UTF-8")
    }
    if text.hasPrefix("\u{feff}") { text.removeFirst() }
    return text
  }

  private func reason(_ error: any Error, _ file: URL) -> String {
    guard let attributes = try? FileManager.default.attributesOfItem(atPath: file.path) else {
      return "there is no such file"
    }
    return attributes[.type] as? FileAttributeType == .typeDirectory
      ? "it is a folder" : "permission denied"
  }
}

extension String {
  fileprivate func split(
    whereSeparator isSeparator: (Character) -> Bool, omittingEmpty: Bool
  ) -> [Substring] {
    split(maxSplits: .max, omittingEmptySubsequences: omittingEmpty, whereSeparator: isSeparator)
  }
}
