import Testing

@testable import Scenarios

@Suite struct LinesOfPatternsTests {
  @Test("a line without a scenario in any file of its pattern is reported, by pattern")
  func notes() {
    var lines = LinesOfPatterns()
    lines.note("b*", 3, in: "b", isFound: false)
    lines.note("a*", 3, in: "a", isFound: false)
    lines.note("a*", 3, in: "ab", isFound: true)
    lines.note("a*", 9, in: "a", isFound: false)
    lines.note("a*", 9, in: "ab", isFound: false)
    #expect(
      lines.notes == [
        "there is no scenario at line 3 of a file that matches b* (b)",
        "there is no scenario at line 9 of a file that matches a* (a, ab)",
      ])
  }

  @Test("many files are counted, and nothing is reported if one cannot be loaded")
  func many() {
    var lines = LinesOfPatterns()
    for name in ["a", "b", "c", "d", "e"] { lines.note("*", 3, in: name, isFound: false) }
    #expect(lines.notes == ["there is no scenario at line 3 of a file that matches * (5 files)"])
    var item = Selection.Item(path: "/f", name: "f", lines: [3])
    item.patterns = [3: "*"]
    lines.cannotTell(item)
    #expect(lines.notes == [])
  }
}
