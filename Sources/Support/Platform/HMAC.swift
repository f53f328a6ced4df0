/// HMAC (RFC 2104): a digest that only those who have the key can compute.
package enum HMAC {
  /// The length of a block of SHA-256, in bytes.
  private static let block = 64

  /// Returns the HMAC of a message with SHA-256: 32 bytes.
  package static func sha256(of message: some Sequence<UInt8>, key: [UInt8]) -> [UInt8] {
    var key = key.count > block ? SHA256.digest(of: key) : key
    key += [UInt8](repeating: 0, count: block - key.count)
    var inner = SHA256()
    inner.add(key.map { $0 ^ 0x36 })
    inner.add(message)
    var outer = SHA256()
    outer.add(key.map { $0 ^ 0x5c })
    outer.add(inner.digest())
    return outer.digest()
  }
}
