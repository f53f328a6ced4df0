import Testing

@testable import Scenarios

@Suite struct ByteBufferTests {
  @Test("bytes are appended, also beyond the capacity, and clearing empties the buffer")
  func appends() {
    let buffer = ByteBuffer()
    let many = (0..<1_000).map { UInt8($0 % 251) }
    buffer.append(7)
    many.withUnsafeBufferPointer { buffer.append($0) }
    for _ in 0..<3_000 { buffer.append(9) }
    #expect(Array(buffer.bytes) == [7] + many + [UInt8](repeating: 9, count: 3_000))
    buffer.append(UnsafeBufferPointer(start: nil, count: 0))
    #expect(buffer.count == 4_001)
    buffer.clear()
    #expect(buffer.bytes.isEmpty)
  }
}
