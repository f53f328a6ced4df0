import LuaRuntime
import Synchronization

/// The texts that stood where a type is `secret`, to find them in what scripts have made of them: in what
/// they print, in errors of theirs, in values of views.
///
/// Of texts of fewer than four bytes, of numbers and of booleans nothing is known here: they stand in too
/// much else.
package final class SecretTexts: Sendable {
  private static let shortest = 4
  private static let most = 1_000
  /// So much of a long text is enough to know it by, since what is told is cut short.
  private static let known = 16

  private let kept = Mutex<[[UInt8]]>([])

  package init() {}

  /// Notes the texts in a secret.
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

  /// The text with dots in place of each secret.
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

  /// How many bytes there agree with a secret, 0 where too few do.
  private static func length(of secret: [UInt8], in bytes: [UInt8], at start: Int) -> Int {
    guard secret[0] == bytes[start] else { return 0 }
    let end = min(secret.count, bytes.count - start)
    var length = 1
    while length < end, secret[length] == bytes[start + length] { length += 1 }
    if length < min(known, secret.count) { return 0 }
    // No character is taken apart.
    while length > 0, start + length < bytes.count, bytes[start + length] & 0xc0 == 0x80 {
      length -= 1
    }
    return length
  }
}
