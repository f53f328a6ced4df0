import Testing

@testable import Scenarios

@Suite struct VisibleTextTests {
  @Test(
    "what is to be read stays as it is", arguments: ["", "plain", "a\n\tb", "é ü 漢字 🚪", "\u{a0}"])
  func plain(text: String) {
    #expect(text.visible == text)
  }

  @Test(
    "what a terminal would obey is written as Lua writes it",
    arguments: [
      ("\u{1b}[2J", "\\027[2J"), ("a\rb", "a\\rb"), ("a\r\nb", "a\\r\nb"), ("\u{7}", "\\007"),
      ("\u{8}", "\\008"), ("\u{0}", "\\000"), ("\u{7f}", "\\127"), ("\u{9b}31m", "\\15531m"),
      ("\u{85}é", "\\133é"), ("\u{c}", "\\012"),
    ])
  func controls(text: String, shown: String) {
    #expect(text.visible == shown)
  }

  @Test("a line stays one")
  func line() {
    #expect("a\nb\u{1b}".visibleLine == "a\\nb\\027")
    #expect("a\tb".visibleLine == "a\tb")
  }

  @Test("no report for people hands on what a script would have a terminal do")
  func report() throws {
    let played = try Played(
      """
      scenario("a\\27[2Jb\\nok    forged", function()
        print("\\27[31mred\\7")
        error("cleared \\27[2J\\155")
      end)
      scenario("s", { skip = "\\27]0;title\\7" }, function() end)
      """)
    #expect(
      !played.report.unicodeScalars.contains { $0.value < 32 && $0 != "\n" || $0.value == 0x9b })
    #expect(played.report.hasPrefix("ERROR a.scenario.lua:2  a\\027[2Jb\\nok    forged\n"))
    #expect(played.report.contains("| \\027[31mred\\007\n"))
  }
}
