import Platform
import Testing

/// The test cases of RFC 4231, and comparisons of secrets.
@Suite struct HMACTests {
  private func hmac(_ key: [UInt8], _ message: [UInt8]) -> String {
    SHA256.hexadecimal(HMAC.sha256(of: message, key: key))
  }

  private func bytes(_ byte: UInt8, _ count: Int) -> [UInt8] {
    [UInt8](repeating: byte, count: count)
  }

  @Test("digests match the test cases of RFC 4231")
  func standard() {
    #expect(
      hmac(bytes(0x0b, 20), Array("Hi There".utf8))
        == "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7")
    #expect(
      hmac(Array("Jefe".utf8), Array("what do ya want for nothing?".utf8))
        == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    #expect(
      hmac(bytes(0xaa, 20), bytes(0xdd, 50))
        == "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe")
    #expect(
      hmac(Array(1...25), bytes(0xcd, 50))
        == "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b")
    #expect(
      hmac(bytes(0x0c, 20), Array("Test With Truncation".utf8)).hasPrefix(
        "a3b6167473100ee06e0c796c2955552b"))
  }

  @Test("a key that is longer than a block is hashed first")
  func longKeys() {
    #expect(
      hmac(
        bytes(0xaa, 131), Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8))
        == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
    let message =
      "This is a test using a larger than block-size key and a larger than block-size data. "
      + "The key needs to be hashed before being used by the HMAC algorithm."
    #expect(
      hmac(bytes(0xaa, 131), Array(message.utf8))
        == "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2")
    let block = bytes(1, 64)
    #expect(hmac(block, []) != hmac(block + [0], []))
  }

  @Test("secrets are equal if all bytes and the lengths are")
  func comparison() {
    let known = Array("0123456789".utf8)
    #expect(ConstantTime.areEqual(known, known) && ConstantTime.areEqual([], []))
    for other in ["", "012345678", "01234567890", "0123456780", "1123456789"] {
      #expect(!ConstantTime.areEqual(known, Array(other.utf8)), "\(other)")
      #expect(!ConstantTime.areEqual(Array(other.utf8), known), "\(other)")
    }
  }
}
