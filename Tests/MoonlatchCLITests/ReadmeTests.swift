import Foundation
import Testing

/// The sessions in the README, played again: they read there as they go.
@Suite struct ReadmeTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  private struct Recorded {
    let flow: String
    let lines: [String]
    var name: String { URL(filePath: flow).deletingPathExtension().lastPathComponent }
  }

  /// Each block that begins with the command.
  private static func sessions() throws -> [Recorded] {
    let text = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
    let command = "$ ./scripts/moonlatch repl "
    return text.split(separator: "```\n").compactMap { block in
      guard block.hasPrefix(command) else { return nil }
      var lines = block.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      if lines.last?.isEmpty == true { lines.removeLast() }
      return Recorded(flow: String(lines.removeFirst().dropFirst(command.count)), lines: lines)
    }
  }

  @Test("the sessions in the README are what a terminal shows")
  func sessions() throws {
    let sessions = try ReadmeTests.sessions()
    #expect(sessions.count == 2)
    for recorded in sessions {
      let folder = try TemporaryFolder()
      try FileManager.default.createDirectory(
        at: folder.url.appending(path: "examples"), withIntermediateDirectories: true)
      try FileManager.default.copyItem(
        at: ReadmeTests.root.appending(path: recorded.flow).deletingLastPathComponent(),
        to: folder.url.appending(path: recorded.flow).deletingLastPathComponent())
      let terminal = try PseudoTerminal(
        "repl", recorded.flow, in: folder, term: "dumb", columns: 200)
      let prompts = recorded.lines.compactMap { line -> (prompt: String, input: String)? in
        guard line.hasPrefix(recorded.name + "#"), let end = line.firstRange(of: "> ") else {
          return nil
        }
        return (String(line[..<end.upperBound]), String(line[end.upperBound...]))
      }
      #expect(prompts.count >= 5)
      for (prompt, input) in prompts {
        try terminal.wait(for: prompt)
        try terminal.type(input, until: prompt + input)
        terminal.send("\r")
      }
      #expect(try terminal.leave(typing: "\u{4}") == 0)
      #expect(terminal.screen.hasPrefix(recorded.lines.joined(separator: "\n") + "\n"))
    }
  }
}
