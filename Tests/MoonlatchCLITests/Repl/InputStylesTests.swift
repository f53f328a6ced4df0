import Testing

@testable import MoonlatchCLI

/// The colours of an input while it is typed.
@Suite struct InputStylesTests {
  /// Returns the styles as letters, one for each byte.
  private func letters(_ text: String) -> String {
    let letters = Array(".ksnc!")
    return String(InputStyles(of: text) { $0 == "coin" }.styles.map { letters[Int($0)] })
  }

  @Test(
    "keywords, strings, numbers, comments and known names have a style each",
    arguments: [
      ("local x = 1.5", "kkkkk.....nnn"), ("coin{n=1}", "!!!!...n."),
      ("x = 'a' -- b", "....sss.cccc"), ("x = \"a\\\"b\"", "....ssssss"),
      ("[[a]] .. [=[b]=]", "sssss....sssssss"), ("--[[a]]1", "cccccccn"),
    ])
  func styled(text: String, styles: String) {
    #expect(letters(text) == styles)
  }

  @Test(
    "any text has one style for each byte, also if it is cut off",
    arguments: [
      "\"", "'\\", "[", "[=", "[[", "--", "--[", "--[==[", "é", "\u{1F600} \"é", "1e", "\\", "",
    ])
  func cutOff(text: String) {
    #expect(InputStyles(of: text) { _ in false }.styles.count == text.utf8.count)
  }

  @Test("the indentation for continuation prompts is added and removed without a trace")
  func indented() {
    for text in ["a", "a\nb", "a\n\n", "a\n  b\nc", ""] {
      #expect(LineEditor.unindented(LineEditor.indented(text)) == text)
    }
    #expect(LineEditor.unindented("a\nb\n          c") == "a\nb\nc")
  }
}
