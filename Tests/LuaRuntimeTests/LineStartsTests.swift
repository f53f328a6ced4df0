import Testing

@testable import LuaRuntime

@Suite("Starts of lines") struct LineStartsTests {
  @Test(
    "the lines around a line are those of the split text",
    arguments: [
      "", "\n", "one", "one\n", "one\n\ntwo", "\n\none\ntwo\n\n", "é\nzwei ß\n三\n", "a\r\nb\nc\r\n",
      "a\rb\n",
    ])
  func around(text: String) {
    let starts = LineStarts(of: text)
    let lines = SourceLines.all(of: text)
    for line in -1...lines.count + 3 {
      var expected = SourceLines.around(line, of: lines)
      if lines.indices.contains(line), lines[line].isEmpty { expected = expected.dropLast() }
      #expect(starts.around(line) == expected, "\(line)")
    }
  }

  @Test("the last lines of a long text are found with their neighbours")
  func many() throws {
    let count = 20_000
    let starts = LineStarts(of: (1...count).map { "line \($0)" }.joined(separator: "\n"))
    for line in count / 2..<count {
      #expect(starts.around(line).count == 3)
    }
    #expect(
      starts.around(count) == ["  19999 | line 19999", "> 20000 | line 20000"])
  }
}
