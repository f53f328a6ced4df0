import Platform
import Testing

/// Digests of FIPS 180-4, and of texts with lengths around a block.
@Suite struct SHA256Tests {
  @Test(
    "digests match the examples of the standard",
    arguments: [
      ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
      (
        "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmno"
          + "ijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
        "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
      ),
    ])
  func standard(text: String, digest: String) {
    #expect(SHA256.hexadecimal(of: text) == digest)
  }

  @Test("a million letters have the standard's digest, however they are divided")
  func long() {
    var hash = SHA256()
    for _ in 0..<1_000 { hash.add([UInt8](repeating: UInt8(ascii: "a"), count: 1_000)) }
    #expect(
      SHA256.hexadecimal(hash.digest())
        == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
  }

  @Test("texts of every length around a block have distinct digests")
  func lengths() {
    let digests = Set((0...130).map { SHA256.hexadecimal(of: String(repeating: "x", count: $0)) })
    #expect(digests.count == 131)
    #expect(digests.allSatisfy { $0.count == 64 })
  }
}
