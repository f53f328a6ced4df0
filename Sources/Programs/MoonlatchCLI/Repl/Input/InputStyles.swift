import FlowLanguage
import LuaRuntime

/// The styles of an input while it is typed, byte by byte.
struct InputStyles {
  /// The styles, by the numbers that the editor has for them.
  enum Style: UInt8 {
    case plain, keyword, string, number, comment, known
  }

  private let bytes: [UInt8]
  /// True for a name that the flow declares.
  private let isKnown: (String) -> Bool
  private(set) var styles: [UInt8]

  init(of text: String, isKnown: @escaping (String) -> Bool) {
    bytes = Array(text.utf8)
    self.isKnown = isKnown
    styles = [UInt8](repeating: Style.plain.rawValue, count: bytes.count)
    var position = 0
    while position < bytes.count {
      let (style, end) = token(at: position)
      for index in position..<end { styles[index] = style.rawValue }
      position = end
    }
  }

  /// Returns the style and the end of the token that begins at a byte.
  private func token(at start: Int) -> (Style, Int) {
    switch bytes[start] {
    case UInt8(ascii: "\""), UInt8(ascii: "'"): return (.string, endOfString(from: start))
    case UInt8(ascii: "-") where byte(start + 1) == UInt8(ascii: "-"):
      if let end = endOfLongText(from: start + 2) { return (.comment, end) }
      return (.comment, bytes[start...].firstIndex(of: 10) ?? bytes.count)
    case UInt8(ascii: "["):
      return endOfLongText(from: start).map { (.string, $0) } ?? (.plain, start + 1)
    case let byte where InputStyles.isDigit(byte):
      return (.number, end(from: start) { InputStyles.isWord($0) || $0 == UInt8(ascii: ".") })
    case let byte where InputStyles.isWord(byte):
      let end = end(from: start, while: InputStyles.isWord)
      let word = String(decoding: bytes[start..<end], as: UTF8.self)
      if Value.keywords.contains(word) { return (.keyword, end) }
      return (isKnown(word) ? .known : .plain, end)
    default: return (.plain, start + 1)
    }
  }

  private func byte(_ index: Int) -> UInt8? { index < bytes.count ? bytes[index] : nil }

  private func end(from start: Int, while belongs: (UInt8) -> Bool) -> Int {
    bytes[start...].firstIndex { !belongs($0) } ?? bytes.count
  }

  private func endOfString(from start: Int) -> Int {
    var index = start + 1
    while let byte = byte(index), byte != 10 {
      if byte == bytes[start] { return index + 1 }
      index += byte == UInt8(ascii: "\\") ? 2 : 1
    }
    return min(index, bytes.count)
  }

  /// Returns the end of `[[ ... ]]` or `[=[ ... ]=]`; nil if none begins there.
  private func endOfLongText(from start: Int) -> Int? {
    guard byte(start) == UInt8(ascii: "[") else { return nil }
    let level = bytes[(start + 1)...].prefix { $0 == UInt8(ascii: "=") }.count
    guard byte(start + 1 + level) == UInt8(ascii: "[") else { return nil }
    let closing = Array(("]" + String(repeating: "=", count: level) + "]").utf8)
    var index = start + level + 2
    while index + closing.count <= bytes.count {
      if bytes[index..<(index + closing.count)].elementsEqual(closing) {
        return index + closing.count
      }
      index += 1
    }
    return bytes.count
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }

  private static func isWord(_ byte: UInt8) -> Bool {
    isDigit(byte) || (65...90).contains(byte) || (97...122).contains(byte) || byte == 95
      || byte >= 128
  }
}
