import Scenarios
import Testing

@testable import EventLogs

@Suite struct UTF16SourceTests {
  private func bytes(_ units: [UInt16], _ encoding: UTF16Source.Encoding) -> [UInt8] {
    units.flatMap { unit in
      let pair = [UInt8(unit & 0xff), UInt8(unit >> 8)]
      return encoding == .littleEndian ? pair : pair.reversed()
    }
  }

  private func read(
    _ units: [UInt16], _ encoding: UTF16Source.Encoding = .littleEndian, block: Int = 1 << 16
  ) throws -> [UInt8] {
    try all(
      UTF16Source(encoding, source(bytes(units, encoding), block: block)).read(into:), block: 8)
  }

  @Test(
    "UTF-16 of either byte order becomes UTF-8, for any size of input block",
    arguments: [.littleEndian, .bigEndian] as [UTF16Source.Encoding], [1, 3, 1 << 16])
  func orders(encoding: UTF16Source.Encoding, block: Int) throws {
    let text = "\u{feff}case,né,€,𝄞\r\n\u{7ff}\u{800}\u{ffff}\u{10000}\u{10ffff}"
    #expect(try read(Array(text.utf16), encoding, block: block) == Array(text.utf8))
  }

  @Test(
    "an unpaired surrogate becomes invalid UTF-8, and the text around it is kept",
    arguments: [[0xd834], [0xdd1e], [0xd834, 0xd834]] as [[UInt16]])
  func half(units: [UInt16]) throws {
    let text = try read([0x61] + units + [0x62])
    #expect(text.first == 0x61)
    #expect(text.last == 0x62)
    #expect(String(validating: text, as: UTF8.self) == nil)
    #expect(String(validating: try read(units), as: UTF8.self) == nil)
  }

  @Test("an odd byte at the end is an error")
  func odd() throws {
    let cut = UTF16Source(.bigEndian, source([0, 0x61, 0]))
    let error = #expect(throws: LogError.self) { try all(cut.read(into:)) }
    #expect(error?.description == "the log is cut off: it is UTF-16 and ends with half a character")
  }
}
