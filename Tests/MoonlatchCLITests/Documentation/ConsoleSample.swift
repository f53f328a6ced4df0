import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A shell session on a page.
struct ConsoleSample {
  /// A line that is typed, and what it prints.
  private struct Command {
    let place: String
    let text: String
    var printed: [String] = []
  }

  private var commands: [Command] = []
  private let place: String

  init(_ block: Page.Block, of page: Page) {
    place = "\(page.name):\(block.line)"
    for (index, line) in block.lines.enumerated() {
      if line.hasPrefix("$ ") {
        let text = line.dropFirst(2).replacing("./scripts/moonlatch", with: "moonlatch")
        commands.append(Command(place: "\(page.name):\(block.line + index)", text: String(text)))
      } else if !commands.isEmpty {
        commands[commands.count - 1].printed.append(line)
      }
    }
  }

  /// Plays the session again, and compares.
  func problems(in folder: TemporaryFolder) throws -> [String] {
    if commands.isEmpty { return ["\(place): no line begins with \"$ \""] }
    return try commands.compactMap { command in
      let shown =
        command.text.contains(/^moonlatch repl( [^ ]+)?$/) && !command.printed.isEmpty
        ? try screen(of: command, in: folder) : try output(of: command, in: folder)
      return ConsoleSample.matches(shown, command.printed[...])
        ? nil
        : "\(command.place): $ \(command.text) prints\n" + shown.joined(separator: "\n")
    }
  }

  /// Returns the final contents of a terminal after the inputs are typed at their prompts.
  private func screen(of command: Command, in folder: TemporaryFolder) throws -> [String] {
    let arguments = command.text.split(separator: " ").dropFirst().map(String.init)
    let terminal = try PseudoTerminal(arguments, in: folder, term: "dumb", columns: 200)
    let flow = arguments.count > 1 ? arguments[1] : "flow"
    let name = URL(filePath: flow).deletingPathExtension().lastPathComponent
    for line in command.printed {
      guard line.hasPrefix(name + "#"), let end = line.firstRange(of: "> ") else { continue }
      let prompt = String(line[..<end.upperBound])
      let input = String(line[end.upperBound...])
      try terminal.wait(for: prompt)
      try terminal.type(input, until: prompt + input)
      terminal.send("\r")
    }
    let code = try terminal.leave(typing: "\u{4}")
    var lines = terminal.screen.split(separator: "\n", omittingEmptySubsequences: false)
      .map(String.init)
    // The prompt at which the session is left.
    while let last = lines.last, last.isEmpty || last.contains(/^\S+#[0-9]+> ?$/) {
      lines.removeLast()
    }
    return code == 0 ? lines : lines + ["exit code \(code)"]
  }

  /// Returns the output of a shell, both streams in their order.
  private func output(of command: Command, in folder: TemporaryFolder) throws -> [String] {
    let streams = try TemporaryFolder()
    try streams.write("", to: "out")
    let out = ChildProcess.Stream(
      path: streams.url.path + "/out", flags: O_WRONLY | O_CREAT | O_APPEND)
    let built = URL(filePath: ChildProcess.command).deletingLastPathComponent().path
    let child = try ChildProcess(
      ["-c", command.text], in: folder.url, streams: [.reading("/dev/null"), out, out],
      command: "/bin/sh", environment: ["PATH": "\(built):/usr/bin:/bin"])
    let code = child.wait()
    if command.printed.allSatisfy(\.isEmpty), code == 0 { return [] }
    let text = try streams.text(of: "out")
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    while lines.last?.isEmpty == true { lines.removeLast() }
    return lines
  }

  /// Returns true if the lines are as shown; `...` matches any number of lines.
  static func matches(_ lines: [String], _ shown: ArraySlice<String>) -> Bool {
    var wanted = Array(shown)
    while wanted.last?.isEmpty == true { wanted.removeLast() }
    guard let gap = wanted.firstIndex(of: "...") else { return lines == wanted }
    guard lines.starts(with: wanted[..<gap]) else { return false }
    let rest = wanted[(gap + 1)...]
    let left = Array(lines.dropFirst(gap))
    return (0...left.count).contains { matches(Array(left.dropFirst($0)), rest) }
  }
}
