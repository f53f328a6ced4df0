import Foundation
import Testing

@testable import MoonlatchCLI

/// The pager of the prompt.
@Suite struct PagerTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(turnstile, to: "turnstile.lua")
  }

  @Test("a text is long if it and the next prompt take more rows than the terminal has")
  func long() {
    let rows = { (count: Int) in
      Array(repeating: "x", count: count).joined(separator: "\n") + "\n"
    }
    #expect(!Pager.isLong(rows(22), width: 80, height: 24))
    #expect(Pager.isLong(rows(24), width: 80, height: 24))
    let wide = String(repeating: "x", count: 200)
    #expect(!Pager.isLong(wide, width: 80, height: 4))
    #expect(Pager.isLong(wide, width: 80, height: 3))
    let colored = "\u{1b}[32m" + String(repeating: "x", count: 80) + "\u{1b}[0m"
    #expect(!Pager.isLong(colored, width: 80, height: 2))
  }

  @Test("there is no pager if PAGER is empty, or the terminal can only print")
  func none() {
    #expect(Pager(["TERM": "xterm"]) != nil)
    #expect(Pager(["TERM": "xterm", "PAGER": "more"]) != nil)
    #expect(Pager(["TERM": "xterm", "PAGER": ""]) == nil)
    #expect(Pager(["TERM": "xterm", "PAGER": " "]) == nil)
    #expect(Pager(["TERM": "dumb", "PAGER": "more"]) == nil)
  }

  /// Returns the output of a session on a terminal that shows a short and a long result.
  private func output(_ pager: String, _ options: String...) throws -> String {
    let terminal = try PseudoTerminal(
      ["repl", "turnstile.lua"] + options, in: folder,
      environment: ["NO_COLOR": "1", "PAGER": pager])
    try terminal.wait(for: "turnstile#0> ")
    try terminal.enter("s.coins", until: "turnstile#0> ")
    try terminal.enter(":set width 20", until: "turnstile#0> ")
    let list = "(function() local t = {} for i = 1, 30 do t[i] = i * 1000 end return t end)()"
    try terminal.enter(list, until: "turnstile#0> ")
    #expect(try terminal.leave(typing: PseudoTerminal.Key.control("D")) == 0)
    return terminal.screen
  }

  @Test("a result that is longer than the terminal is shown with the pager")
  func paged() throws {
    let shown = try output("sed s/^/P:/")
    #expect(shown.contains("\n0\n"))
    #expect(shown.contains("P:  1000,\n"), "\(shown)")
    #expect(shown.contains("P:  30000\n") || shown.contains("P:  30000,\n"), "\(shown)")
  }

  @Test(
    "a long result is printed with --no-pager, without PAGER and if the pager cannot be run",
    arguments: [("sed s/^/P:/", ["--no-pager"]), ("", []), ("/there/is/no/pager", [])])
  func printed(pager: String, options: [String]) throws {
    let shown = try options.isEmpty ? output(pager) : output(pager, options[0])
    #expect(shown.contains("\n  1000,\n"), "\(shown)")
    #expect(!shown.contains("P:"))
  }

  @Test("without a terminal nothing is paged")
  func noTerminal() throws {
    let ran = try moonlatch(["repl", "turnstile.lua"], in: folder, input: Data(":help\n".utf8))
    #expect(ran.code == 0)
    #expect(ran.output.split(separator: "\n").count > 24)
  }
}
