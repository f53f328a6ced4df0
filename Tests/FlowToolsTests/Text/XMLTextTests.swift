import Testing

@testable import FlowTools

@Suite struct XMLTextTests {
  @Test("markup is escaped")
  func markup() {
    #expect(
      XMLText.content("<a b=\"c\">&</a>]]>") == "&lt;a b=&quot;c&quot;&gt;&amp;&lt;/a&gt;]]&gt;")
  }

  @Test("colour codes are removed, and other control characters are replaced by a mark")
  func control() {
    #expect(XMLText.content("\u{1b}[1;31mred\u{1b}[0m") == "red")
    #expect(XMLText.content("a\u{0}b\u{8}c\u{ffff}") == "a\u{fffd}b\u{fffd}c\u{fffd}")
    #expect(XMLText.content("\u{1b}(B\u{1b}[") == "(B[")
  }

  @Test("line ends are kept in content and escaped in an attribute")
  func lines() {
    #expect(XMLText.content("a\n\tb\r\n") == "a\n\tb&#13;\n")
    #expect(XMLText.attribute("a\n\tb") == "a&#10;&#9;b")
  }
}
