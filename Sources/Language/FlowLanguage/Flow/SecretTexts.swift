import LuaRuntime
import Platform

/// The texts of secret values, which are replaced by dots wherever scripts output them.
///
/// They are searched for in printed lines, in errors and in values of views. Texts of fewer than four bytes,
/// numbers and booleans are not stored, because they occur in too much other text.
package final class SecretTexts: Sendable {
  private static let shortest = 4
  private static let most = 1_000
  /// The number of bytes that identify a long text, because output may be truncated.
  private static let known = 16

  private let kept = Mutex<[[UInt8]]>([])

  package init() {}

  /// Stores the texts in a secret.
  package func note(_ value: Value) {
    switch value {
    case .string(let text): note(text)
    case .list(let elements): elements.forEach(note)
    case .record(let fields): fields.values.forEach(note)
    case .map(let entries): entries.values.forEach(note)
    default: break
    }
  }

  private func note(_ text: String) {
    guard text.utf8.count >= SecretTexts.shortest else { return }
    let quoted = Value.quoted(text, limit: .max).utf8.dropFirst().dropLast()
    kept.withLock { kept in
      for bytes in Set([Array(text.utf8), Array(quoted)]) where !kept.contains(bytes) {
        if kept.count == SecretTexts.most { kept.removeFirst() }
        kept.append(bytes)
      }
    }
  }

  /// Returns the text with dots in place of each secret.
  package func hiding(in text: String) -> String {
    let secrets = kept.withLock { $0 }.sorted { $0.count > $1.count }
    if secrets.isEmpty { return text }
    let bytes = Array(text.utf8)
    var shown: [UInt8] = []
    var (at, isChanged) = (0, false)
    while at < bytes.count {
      let length = secrets.lazy.map { SecretTexts.length(of: $0, in: bytes, at: at) }.max() ?? 0
      if length == 0 {
        shown.append(bytes[at])
        at += 1
      } else {
        shown += "•••".utf8
        at += length
        isChanged = true
      }
    }
    return isChanged ? String(decoding: shown, as: UTF8.self) : text
  }

  /// Returns the number of bytes at a position that agree with a secret; 0 if there are too few.
  private static func length(of secret: [UInt8], in bytes: [UInt8], at start: Int) -> Int {
    guard secret[0] == bytes[start] else { return 0 }
    let end = min(secret.count, bytes.count - start)
    var length = 1
    while length < end, secret[length] == bytes[start + length] { length += 1 }
    if length < min(known, secret.count) { return 0 }
    // A match does not end within a character.
    while length > 0, start + length < bytes.count, bytes[start + length] & 0xc0 == 0x80 {
      length -= 1
    }
    return length
  }
}
