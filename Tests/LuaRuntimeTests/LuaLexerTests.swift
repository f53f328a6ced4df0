import Testing

@testable import LuaRuntime

/// Tokens of Lua source, as needed by checks.
@Suite struct LuaLexerTests {
  private func words(_ text: String) -> [String] { LuaLexer(text).tokens.map(\.text) }

  @Test("names, numbers, strings and symbols are words with their lines")
  func words() {
    let tokens = LuaLexer("local x = 0x1F\nreturn x..'a\\'b' // 2.5e-3").tokens
    #expect(
      tokens.map(\.text) == ["local", "x", "=", "0x1F", "return", "x", "..", "a'b", "//", "2.5e-3"])
    #expect(tokens.map(\.line) == [1, 1, 1, 1, 2, 2, 2, 2, 2, 2])
    #expect(tokens[0].kind == .keyword)
    #expect(tokens[1].kind == .name)
    #expect(tokens[7].kind == .string)
  }

  @Test("long strings and comments count their lines, and hide what is in them")
  func longBrackets() {
    let lexer = LuaLexer("--[==[ s.x\n]] ]==] a\nb = [[\nc]] -- check\nd")
    #expect(lexer.tokens.map(\.text) == ["a", "b", "=", "\nc", "d"])
    #expect(lexer.tokens.map(\.line) == [2, 3, 3, 3, 5])
    #expect(lexer.comments.map(\.line) == [1, 4])
    #expect(lexer.comments.last?.text == " check")
  }

  @Test(
    "an unfinished text is read to its end, without a trap",
    arguments: [
      "\"abc", "'a\\", "[[ab", "--[[ab", "[==", "a[", "\\", "\u{1F600}", "", "#!x", "1e+",
    ])
  func unfinished(text: String) {
    #expect(LuaLexer(text).tokens.count <= text.utf8.count)
  }
}
