import Testing

@testable import Scenarios

@Suite struct CSVCellsTests {
  private func split(_ text: String) -> (cells: [String], isASCII: Bool) {
    let cells = CSVCells()
    var text = text
    return text.withUTF8 { bytes in
      guard let start = bytes.baseAddress else { return ([], true) }
      let isASCII = cells.split(start, bytes.count)
      return ((0..<cells.count).map(cells.string), isASCII)
    }
  }

  @Test("cells are split at every comma, at any position", arguments: 1..<40)
  func commas(length: Int) {
    var dice = Dice(length)
    for _ in 0..<50 {
      // Bytes next to the comma's, and ones that differ from it in the highest bit alone.
      let text = (0..<length).map { _ in dice.pick(["a", ",", "-", "+", "\u{1}", "\u{7f}"]) }
        .joined()
      let found = split(text)
      #expect(
        found.cells == text.split(separator: ",", omittingEmptySubsequences: false).map { "\($0)" })
      #expect(found.isASCII)
    }
  }

  @Test("a non-ASCII byte is detected at any position", arguments: 0..<20)
  func unicode(place: Int) {
    let text = (0..<20).map { $0 == place ? "¬" : "a" }.joined(separator: ",")
    let found = split(text)
    #expect(!found.isASCII)
    #expect(found.cells.count == 20)
    #expect(found.cells[place] == "¬")
  }

  @Test("a row may have any number of cells, read in place or from a copy")
  func many() {
    #expect(split(String(repeating: ",", count: 10_000)).cells.count == 10_001)
    let cells = CSVCells()
    cells.begin()
    for number in 0..<1_000 {
      for byte in "cell \(number)".utf8 { cells.append(byte) }
      cells.endCell()
    }
    #expect((0..<1_000).allSatisfy { cells.string($0) == "cell \($0)" })
    #expect(cells.notText == nil)
    cells.begin()
    cells.append(0xc3)
    cells.endCell()
    #expect(cells.notText == 0)
  }
}
