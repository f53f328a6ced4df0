import Testing

@testable import Scenarios

@Suite struct VisibleTextTests {
  @Test("readable text is unchanged", arguments: ["", "plain", "a\n\tb", "é ü 漢字 🚪", "\u{a0}"])
  func plain(text: String) {
    #expect(text.visible == text)
  }

  @Test(
    "terminal control characters are escaped as in Lua",
    arguments: [
      ("\u{1b}[2J", "\\027[2J"), ("a\rb", "a\\rb"), ("a\r\nb", "a\\r\nb"), ("\u{7}", "\\007"),
      ("\u{8}", "\\008"), ("\u{0}", "\\000"), ("\u{7f}", "\\127"), ("\u{9b}31m", "\\15531m"),
      ("\u{85}é", "\\133é"), ("\u{c}", "\\012"),
    ])
  func controls(text: String, shown: String) {
    #expect(text.visible == shown)
  }

  /// By which the outlet knows a colour of ours.
  private static let mark = Unicode.Scalar(0xfdd1 as UInt32).map { String(Character($0)) } ?? ""

  @Test(
    "invisible and bidirectional characters and line separators are escaped",
    arguments: [
      ("a\u{202e}b", "a\\u{202e}b"), ("\u{2066}", "\\u{2066}"), ("\u{61c}", "\\u{61c}"),
      ("a\u{2028}b", "a\\u{2028}b"), (VisibleTextTests.mark, "\\u{fdd1}"),
    ])
  func unseen(text: String, shown: String) {
    #expect(text.visible == shown)
  }

  @Test(
    "text that a CI server would read as a command is escaped",
    arguments: [
      ("::error::x", "\\058:error::x"), ("a\n \t::set-output::", "a\n \t\\058:set-output::"),
      ("a::b", "a::b"), ("x ##[error]y", "x \\035#[error]y"),
      ("##vso[task.setvariable]", "\\035#vso[task.setvariable]"), ("###[x]", "#\\035#[x]"),
      ("## heading", "## heading"), ("\u{a0}::x::", "\u{a0}\\058:x::"),
    ])
  func commands(text: String, shown: String) {
    #expect(text.visible == shown)
    #expect(text.visible.visible == shown)
  }

  @Test("a line stays one line")
  func line() {
    #expect("a\nb\u{1b}".visibleLine == "a\\nb\\027")
    #expect("a\tb".visibleLine == "a\tb")
  }

  @Test("no report of any format passes on a CI command", arguments: ReportFormat.allCases)
  func formats(format: ReportFormat) {
    var record = Sample.record
    let nasty = "a\u{1b}[2J\u{9b}31m\u{202e}\r\n::error::forged\n##[error]forged,\u{301}"
    record.name = nasty
    record.printed = [nasty]
    record.problem?.message = nasty
    let report = Sample.report(
      format,
      [
        .began(RunHeader()), .nothing(nasty), .unloadable(file: nasty, message: nasty),
        .ended(record), Sample.end(),
      ])
    for scalar in report.unicodeScalars {
      #expect(!scalar.isCommand, "U+\(String(scalar.value, radix: 16))")
    }
    #expect(!report.contains("##["))
    let begins = report.split(separator: "\n").filter {
      $0.drop(while: \.isWhitespace).hasPrefix("::")
    }
    #expect(begins.allSatisfy { format == .github && $0.hasPrefix("::error file=") })
  }

  @Test("no report for people passes on terminal control characters")
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
