import Foundation

/// A folder in which a command runs.
struct Folder {
  let path: String

  init(_ path: String) {
    self.path = path
    empty()
  }

  func file(_ name: String) -> String { path + "/" + name }

  /// Makes it anew.
  func empty() {
    try? FileManager.default.removeItem(atPath: path)
    try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  func write(_ text: String, to name: String) {
    try? text.write(toFile: file(name), atomically: false, encoding: .utf8)
  }

  func copy(_ source: String, to name: String) {
    try? FileManager.default.removeItem(atPath: file(name))
    try? FileManager.default.copyItem(atPath: source, toPath: file(name))
  }

  /// The names of what lies in it, at any depth.
  var names: [String] { (FileManager.default.subpaths(atPath: path) ?? []).sorted() }

  /// The contents of its files, by name.
  func contents(but isLeftOut: (String) -> Bool = { _ in false }) -> [String: UInt64] {
    var found: [String: UInt64] = [:]
    for name in names where !isLeftOut(name) { found[name] = Folder.digest(file(name)) }
    return found
  }

  /// The change since then; nil if there is none.
  func difference(
    from before: [String: UInt64], but isLeftOut: (String) -> Bool = { _ in false }
  ) -> String? {
    let now = contents(but: isLeftOut)
    for name in Set(now.keys).union(before.keys).sorted() where now[name] != before[name] {
      let change =
        before[name] == nil ? "is new" : now[name] == nil ? "is gone" : "has changed"
      return "\(name) \(change)"
    }
    return nil
  }

  /// FNV-1a over words: of a file's bytes, or 0 for a folder.
  private static func digest(_ file: String) -> UInt64 {
    guard let data = try? Data(contentsOf: URL(filePath: file)) else { return 0 }
    return data.withUnsafeBytes { bytes in
      var digest = 0xcbf2_9ce4_8422_2325 ^ UInt64(bytes.count)
      for word in bytes.bindMemory(to: UInt64.self) {
        digest = (digest ^ word) &* 0x100_0000_01b3
        digest ^= digest >> 32
      }
      for byte in bytes.suffix(bytes.count % 8) { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01b3 }
      return digest
    }
  }
}
