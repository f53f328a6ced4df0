import Testing

@Suite struct ConsoleSampleTests {
  @Test("a session is run again, and its output is compared")
  func comparing() throws {
    let folder = try TemporaryFolder()
    func problems(_ text: String) throws -> [String] {
      let page = Page(name: "a.md", text: "```console\n" + text + "\n```\n")
      return try ConsoleSample(page.blocks[0], of: page).problems(in: folder)
    }
    #expect(try problems("$ echo a; echo b >&2\na\nb") == [])
    #expect(try problems("$ echo a\n$ echo b\nc") == ["a.md:3: $ echo b prints\nb"])
    #expect(try problems("$ moonlatch --version; echo $?\n...\n0") == [])
    #expect(try problems("$ echo a\n$ echo b; false\n") == ["a.md:3: $ echo b; false prints\nb"])
    #expect(try problems("a").count == 1)
  }

  @Test("three dots match any number of lines")
  func gaps() {
    #expect(ConsoleSample.matches(["a", "b", "c"], ["a", "...", "c"]))
    #expect(ConsoleSample.matches(["a"], ["a", "..."]))
    #expect(ConsoleSample.matches(["a", "b"], ["...", "b", ""]))
    #expect(!ConsoleSample.matches(["a", "b"], ["...", "a"]))
    #expect(!ConsoleSample.matches(["a", "b"], ["b", "..."]))
  }
}
