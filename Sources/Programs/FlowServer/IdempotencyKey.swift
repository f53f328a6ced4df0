#if Server
  /// The name of a request that must take effect only once, in the header `Idempotency-Key`.
  enum IdempotencyKey {
    /// The maximum number of characters.
    private static let longest = 1_024
    /// The regular expression of a key: a word, or a text in quotes as in structured headers (RFC 8941).
    static let pattern = "^([!#-~]{1,\(longest)}|\"[ !#-~]{1,\(longest)}\")$"

    /// Returns the key that a header names; nil without a header.
    ///
    /// - Throws: `Problem` if the header is malformed.
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
          "an Idempotency-Key must be a word or a quoted string of 1 to \(longest) ASCII characters"
        )
      }
      return String(decoding: key, as: UTF8.self)
    }

    private static let quote = UInt8(ascii: "\"")
  }
#endif
