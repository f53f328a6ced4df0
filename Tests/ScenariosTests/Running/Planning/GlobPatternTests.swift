import Testing

@testable import Scenarios

@Suite struct GlobPatternTests {
  private func matches(_ pattern: String, _ path: String) throws -> Bool {
    try #require(GlobPattern(pattern)).matches(path)
  }

  @Test("stars and question marks stay within a folder, and two stars do not")
  func stars() throws {
    #expect(try matches("*.lua", "a.lua"))
    #expect(try !matches("*.lua", "sub/a.lua"))
    #expect(try matches("**/*.lua", "a.lua"))
    #expect(try matches("**/*.lua", "x/y/a.lua"))
    #expect(try matches("**", "x/y"))
    #expect(try matches("x/**/a.lua", "a.lua"))
    #expect(try matches("?.lua", "a.lua"))
    #expect(try !matches("?.lua", "ab.lua"))
  }

  @Test("brackets match one of several characters, a range, or none of them")
  func brackets() throws {
    #expect(try matches("[abc].lua", "b.lua"))
    #expect(try matches("[a-c]x", "cx"))
    #expect(try !matches("[a-c]x", "dx"))
    #expect(try matches("[!a-c]x", "dx"))
    #expect(try !matches("[!a]x", "ax"))
    #expect(try !matches("[a", "a"))
  }

  @Test("a pattern is searched in the folder before its first wildcard")
  func base() {
    #expect(GlobPattern("a/b/*.lua")?.base == "a/b")
    #expect(GlobPattern("/a/*.lua")?.base == "/a")
    #expect(GlobPattern("*.lua")?.base == "")
    #expect(GlobPattern("plain.lua") == nil)
  }
}
