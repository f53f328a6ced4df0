#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Reading files of text, with a reason in words where that cannot be done.
package enum TextFile {
  package enum Kind {
    case file, folder
  }

  package struct Unreadable: Error, CustomStringConvertible {
    package let name: String
    package let reason: String
    package var description: String { "\(name): \(reason)" }
  }

  /// What stands at the path, links followed; nil for nothing.
  package static func kind(of path: String) -> Kind? {
    let resolved = URL(filePath: path).resolvingSymlinksInPath().path
    guard let attributes = try? FileManager.default.attributesOfItem(atPath: resolved) else {
      return nil
    }
    return attributes[.type] as? FileAttributeType == .typeDirectory ? .folder : .file
  }

  /// The text of a UTF-8 file, without a byte-order mark.
  package static func read(_ file: URL, name: String) throws(Unreadable) -> String {
    switch kind(of: file.path) {
    case nil: throw Unreadable(name: name, reason: "there is no such file")
    case .folder: throw Unreadable(name: name, reason: "this is a folder, not a file")
    case .file: break
    }
    guard let data = try? Data(contentsOf: file) else {
      throw Unreadable(name: name, reason: "the file cannot be read (permission denied)")
    }
    if data.first == 0x1b {
      throw Unreadable(name: name, reason: "this is compiled Lua; only text is loaded")
    }
    guard var text = String(validating: data, as: UTF8.self) else {
      throw Unreadable(name: name, reason: "the file is not UTF-8 text")
    }
    if text.unicodeScalars.first == "\u{feff}" { text.unicodeScalars.removeFirst() }
    return text
  }
}
