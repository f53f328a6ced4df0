import Testing

@testable import Scenarios

@Suite struct ClosedCasesTests {
  @Test("a name is new once, among any number of names")
  func names() {
    var closed = ClosedCases()
    func insert(_ name: String) -> Bool {
      var name = name
      return name.withUTF8 { closed.insert($0) }
    }
    let names = [""] + (0..<20_000).map { "case-\($0)" }
    #expect(names.allSatisfy { insert($0) })
    #expect(!names.contains { insert($0) })
  }

  @Test("hashes are distinguished, whichever bits they share")
  func hashes() {
    var closed = ClosedCases()
    var hashes: [UInt64] = []
    for number in 0..<500 as Range<UInt64> {
      hashes += [number, (number + 1) << 55, UInt64.max - number, 1 << (number % 64)]
    }
    var count = 0
    for hash in hashes where closed.insert(hash: hash) { count += 1 }
    #expect(count == Set(hashes).count)
    for hash in hashes where closed.insert(hash: hash) { count += 1 }
    #expect(count == Set(hashes).count)
    let isNew = closed.insert(hash: 0x1234_5678_9abc_def0)
    #expect(isNew)
  }
}
