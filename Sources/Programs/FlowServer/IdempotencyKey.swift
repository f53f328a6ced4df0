#if Server
  /// The name of a thing that is to be done once, in the header `Idempotency-Key`.
  enum IdempotencyKey {
    /// So many characters one has at most.
    private static let longest = 1_024
    /// What is one, as a regular expression: a word, or a text in quotes, as structured headers have it (RFC 8941).
    static let pattern = "^([!#-~]{1,\(longest)}|\"[ !#-~]{1,\(longest)}\")$"

    /// The key that a header names; nil where there is none.
    ///
    /// - Throws: `Problem`, where it is no such text.
    static func read(_ header: String?) throws -> String? {
      guard let header else { return nil }
      let bytes = Array(header.utf8)
      let isQuoted = bytes.count >= 2 && bytes.first == quote && bytes.last == quote
      let key = isQuoted ? bytes[1..<bytes.count - 1] : bytes[...]
      let characters: ClosedRange<UInt8> = isQuoted ? 0x20...0x7e : 0x21...0x7e
      guard (1...longest).contains(key.count),
        key.allSatisfy({ characters.contains($0) && $0 != quote })
      else {
        throw Problem.badRequest(
          "an Idempotency-Key is a word, or a text in quotes, of 1 to \(longest) characters of ASCII"
        )
      }
      return String(decoding: key, as: UTF8.self)
    }

    private static let quote = UInt8(ascii: "\"")
  }
#endif
