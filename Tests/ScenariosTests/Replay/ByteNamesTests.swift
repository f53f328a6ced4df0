import Testing

@testable import Scenarios

@Suite struct ByteNamesTests {
  private func bytes<Answer>(_ text: String, _ body: (UnsafeBufferPointer<UInt8>) -> Answer)
    -> Answer
  {
    var text = text
    return text.withUTF8(body)
  }

  @Test("equal bytes have the same number, and different ones different numbers")
  func numbers() {
    var names = ByteNames()
    let texts = [""] + (0..<1_000).map { "name \($0 % 7) and \($0)" } + ["\0", "\0\0", "12345678"]
    for (number, text) in texts.enumerated() {
      #expect(bytes(text) { names.number(of: $0) } == nil)
      #expect(bytes(text) { names.add($0) } == number)
    }
    for (number, text) in texts.enumerated() {
      #expect(bytes(text) { names.number(of: $0) } == number)
      #expect(bytes(text) { names.add($0) } == number)
      #expect(Array(names[number]) == Array(text.utf8))
    }
    #expect(names.count == texts.count)
    #expect(names.byteCount == texts.reduce(0) { $0 + $1.utf8.count })
  }
}
