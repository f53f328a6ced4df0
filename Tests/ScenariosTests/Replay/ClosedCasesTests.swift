import Testing

@testable import Scenarios

@Suite struct ClosedCasesTests {
  @Test("a name is new once, however many there are")
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
}
