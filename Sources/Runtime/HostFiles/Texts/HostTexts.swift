import FlowLanguage
import LuaRuntime
import Platform

/// The texts of the environment and of files that a host file reads.
///
/// Each is read once, so that all VMs of the host file get the same text. None of them is shown: `hiding` replaces it
/// by its name.
package final class HostTexts: Sendable {
  /// The origin of the texts.
  package enum Source: Sendable {
    /// The environment of the process, and files.
    case process
    /// These variables, and files.
    case variables([String: String])
    /// Nothing is read: `$NAME` stands in place of each text.
    case names
  }

  /// An error for a text that cannot be read.
  package struct Missing: Error, CustomStringConvertible {
    package let description: String
  }

  private struct Secret {
    let name: String
    let bytes: [UInt8]
  }

  private struct State {
    var variables: [String: String] = [:]
    var files: [String: String] = [:]
    /// The texts to hide, longest first.
    var secrets: [Secret] = []

    /// Adds a text to hide, also as JSON writes it; some writers escape slashes too.
    mutating func hide(_ text: String, as name: String) {
      guard text.utf8.count >= HostTexts.shortest else { return }
      let json = Array(JSONText.text(.string(text)).utf8.dropFirst().dropLast())
      let escaped = json.flatMap { $0 == UInt8(ascii: "/") ? Array("\\/".utf8) : [$0] }
      for bytes in Set([Array(text.utf8), json, escaped])
      where !secrets.contains(where: { $0.bytes == bytes }) {
        secrets.append(Secret(name: name, bytes: bytes))
      }
      secrets.sort { $0.bytes.count > $1.bytes.count }
    }
  }

  /// The length in bytes of the shortest text that is hidden: shorter ones occur in too much other text.
  private static let shortest = 8
  /// The greatest size of a file in bytes.
  private static let largestFile = 1 << 20

  package let source: Source
  /// The folder from which paths of files lead: that of the host file.
  let folder: URL
  private let state = Mutex(State())

  /// - Parameter folder: the folder from which paths of files lead.
  package init(_ source: Source, folder: URL) { (self.source, self.folder) = (source, folder) }

  /// True if names stand in place of the texts.
  package var areNames: Bool { if case .names = source { true } else { false } }

  /// Returns the text of a variable.
  package func variable(_ name: String) throws(Missing) -> String {
    if let known = state.withLock({ $0.variables[name] }) { return known }
    let text: String?
    switch source {
    case .names: return "$\(name)"
    case .variables(let variables): text = variables[name]
    case .process: text = getenv(name).map { String(cString: $0) }
    }
    guard let text else {
      throw Missing(
        description:
          "the environment variable \(name) is not set; env(\"\(name)\", \"...\") has a default")
    }
    return state.withLock { state in
      if let known = state.variables[name] { return known }
      state.variables[name] = text
      state.hide(text, as: name)
      return text
    }
  }

  /// Returns a variable that programs of the host file inherit, such as `PATH`, which is no secret.
  ///
  /// - Returns: nil if it is not set, or names stand in place of the texts.
  func inherited(_ name: String) -> String? {
    if areNames { return nil }
    if case .variables(let variables) = source, let text = variables[name] { return text }
    return getenv(name).map { String(cString: $0) }
  }

  /// Returns the text of a file without its last line break.
  package func file(_ path: String) throws(Missing) -> String {
    let name = URL(filePath: path).lastPathComponent
    if areNames { return "$\(name)" }
    if let known = state.withLock({ $0.files[path] }) { return known }
    let place = path.utf8.first == UInt8(ascii: "/") ? path : folder.appending(path: path).path
    var text: String
    do {
      text = try TextFile.read(place, name: path, longest: HostTexts.largestFile)
    } catch {
      throw Missing(description: "file: \(path): \(error.reason)")
    }
    if text.unicodeScalars.last == "\n" {
      text.unicodeScalars.removeLast()
      if text.unicodeScalars.last == "\r" { text.unicodeScalars.removeLast() }
    }
    return state.withLock { state in
      if let known = state.files[path] { return known }
      state.files[path] = text
      state.hide(text, as: name)
      return text
    }
  }

  /// The length in bytes of the longest text that is hidden; 0 if there is none.
  package var longest: Int { state.withLock { $0.secrets.first?.bytes.count ?? 0 } }

  /// Returns a text with `$NAME` in place of each text that was read and has at least 8 bytes.
  package func hiding(_ text: String) -> String {
    let secrets = state.withLock(\.secrets)
    if secrets.isEmpty { return text }
    let bytes = Array(text.utf8)
    var shown: [UInt8] = []
    var (place, isChanged) = (0, false)
    while place < bytes.count {
      if let secret = secrets.first(where: { bytes[place...].starts(with: $0.bytes) }) {
        shown += "$\(secret.name)".utf8
        place += secret.bytes.count
        isChanged = true
      } else {
        shown.append(bytes[place])
        place += 1
      }
    }
    return isChanged ? String(decoding: shown, as: UTF8.self) : text
  }
}
