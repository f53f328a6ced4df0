/// The encoding of texts in URLs and in forms.
enum PercentEncoding {
  /// Returns a text as a part of a path or query: all bytes but unreserved characters are encoded (RFC 3986).
  static func encoded(_ text: String) -> String {
    encoded(text) { isAlphanumeric($0) || "-._~".utf8.contains($0) }
  }

  /// Returns a text as a name or value of a form (`application/x-www-form-urlencoded`).
  static func form(_ text: String) -> String {
    let space = UInt8(ascii: " ")
    return encoded(text) { isAlphanumeric($0) || "*-._".utf8.contains($0) || $0 == space }
      .replacing(" ", with: "+")
  }

  /// Returns the byte that the digits after a percent sign stand for; nil if they are not two hexadecimal digits.
  static func byte(_ digits: some Collection<UInt8>) -> UInt8? {
    guard digits.count == 2 else { return nil }
    var byte: UInt8 = 0
    for digit in digits {
      guard let value = Character(Unicode.Scalar(digit)).hexDigitValue else { return nil }
      byte = byte << 4 | UInt8(value)
    }
    return byte
  }

  private static func encoded(_ text: String, _ keeps: (UInt8) -> Bool) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      if keeps(byte) {
        bytes.append(byte)
      } else {
        bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  static func isAlphanumeric(_ byte: UInt8) -> Bool {
    (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
  }
}
