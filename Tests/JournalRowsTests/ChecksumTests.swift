import CChecksum
import Testing

@testable import JournalRows

@Suite struct ChecksumTests {
  @Test("the checksum is CRC-32C: the standard's value for 123456789 is e3069283")
  func standard() {
    let bytes = Array("123456789".utf8)
    #expect(Checksum.of(bytes) == 0xe306_9283)
    #expect(checksum_crc32c_by_table(0, bytes, bytes.count) == 0xe306_9283)
    #expect(Checksum.of([]) == 0)
  }

  @Test("the hardware and the table give the same checksum for every length and split of the bytes")
  func agreement() {
    let bytes = (0..<70).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 11) }
    for count in 0...bytes.count {
      let whole = checksum_crc32c_by_table(0, bytes, count)
      #expect(checksum_crc32c(0, bytes, count) == whole)
      var parted = Checksum()
      parted.add(Array(bytes[..<(count / 3)]))
      parted.add(Array(bytes[(count / 3)..<count]))
      #expect(parted.value == whole)
    }
  }

  @Test("texts are delimited in a checksum, and nil differs from zero")
  func boundaries() {
    func sum(_ add: (inout Checksum) -> Void) -> UInt32 {
      var sum = Checksum()
      add(&sum)
      return sum.value
    }
    #expect(
      sum {
        $0.add("ab"); $0.add("c")
      }
        != sum {
          $0.add("a"); $0.add("bc")
        })
    #expect(sum { $0.add(nil as Int?) } != sum { $0.add(0 as Int?) })
  }
}
