import Scenarios
import Testing

@testable import EventLogs

@Suite struct GunzipTests {
  private static let text = Array("case,do\nx,add\ny,add\n".utf8)

  private func unpacked(_ bytes: [UInt8], block: Int = 1 << 16) throws -> [UInt8] {
    try all(Gunzip(source(bytes, block: block)).read(into:), block: block)
  }

  @Test(
    "packed bytes are unpacked unchanged, for any size of input block", arguments: [1, 7, 1 << 16])
  func whole(block: Int) throws {
    let text = Array((0..<3_000).map { "row \($0 * $0)\n" }.joined().utf8)
    #expect(try unpacked(packed(text), block: block) == text)
    #expect(try unpacked(packed([]), block: block) == [])
  }

  @Test("consecutive gzip members are one text, and zeros after them are padding")
  func members() throws {
    let bytes = packed("a".utf8) + packed([]) + packed("b".utf8)
    for block in [1, 9, 100] {
      #expect(try unpacked(bytes, block: block) == Array("ab".utf8))
      #expect(try unpacked(bytes + [0, 0, 0], block: block) == Array("ab".utf8))
    }
  }

  @Test(
    "other data after the last member is reported with its offset", arguments: [[0x41], [0, 0x1f]])
  func rest(bytes: [UInt8]) throws {
    let first = packed("a".utf8)
    let error = #expect(throws: LogError.self) { try unpacked(first + bytes) }
    #expect(
      error?.description
        == "the log's compressed data ends at byte \(first.count + bytes.count - 1), "
        + "but something else follows it")
  }

  @Test("a truncated log is reported as cut off, wherever the cut is")
  func cut() throws {
    let bytes = packed(GunzipTests.text)
    for count in 1..<bytes.count {
      let error = #expect(throws: LogError.self) { try unpacked(Array(bytes.prefix(count))) }
      #expect(
        error?.description
          == "the log is cut off: its compressed data ends at byte \(count), too early")
    }
  }

  @Test("a damaged byte either changes nothing or is reported as damaged compressed data")
  func damaged() throws {
    let bytes = packed(GunzipTests.text)
    for at in bytes.indices {
      var bytes = bytes
      bytes[at] ^= 0x55
      do {
        #expect(try unpacked(bytes) == GunzipTests.text)
      } catch let error as LogError {
        #expect(error.description.contains("compressed data"))
      }
    }
  }

  @Test("a wrong checksum is reported in zlib's own words")
  func sum() throws {
    var bytes = packed(GunzipTests.text)
    bytes[bytes.count - 8] ^= 1
    let error = #expect(throws: LogError.self) { try unpacked(bytes) }
    #expect(error?.description.hasSuffix(": incorrect data check") == true)
  }

  @Test("data that expands a thousandfold is unpacked only as far as it is read")
  func bomb() throws {
    let bytes = packed([UInt8](repeating: 0, count: 1 << 22))
    #expect(bytes.count < 5_000)
    let gunzip = Gunzip(source(bytes, block: 1 << 16))
    var buffer = [UInt8](repeating: 1, count: 1 << 12)
    let count = try buffer.withUnsafeMutableBytes { try gunzip.read(into: $0) }
    #expect(count == 1 << 12)
  }
}
