import ArgumentParser
import Foundation
import Testing

@testable import MoonlatchCLI

/// The completion scripts, used as the shells use them.
@Suite struct CompletionScriptTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write("state { n = 0 }", to: "door.lua")
    try folder.write("", to: "note.txt")
    try folder.makeFolder("flows")
  }

  private func script(for shell: String) throws -> String {
    try #require(CompletionScript.text(for: ["--generate-completion-script", shell]))
  }

  /// Returns what bash offers for the last word of a command.
  private func offered(_ words: String...) throws -> [String] {
    try folder.write(script(for: "bash"), to: "completion.bash")
    let quoted = words.map { "'\($0)'" }.joined(separator: " ")
    try folder.write(
      """
      source ./completion.bash
      COMP_WORDS=(\(quoted)); COMP_CWORD=\(words.count - 1); COMP_LINE="${COMP_WORDS[*]}"
      COMP_POINT=${#COMP_LINE}; COMPREPLY=()
      _moonlatch moonlatch "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
      printf '%s\\n' "${COMPREPLY[@]}"
      """, to: "offer.bash")
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(filePath: "/bin/bash")
    process.arguments = ["--norc", "offer.bash"]
    process.currentDirectoryURL = folder.url
    process.standardOutput = output
    try process.run()
    let text = String(
      decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    return text.split(separator: "\n").map(String.init).sorted()
  }

  @Test("bash completes the paths of a run: Lua files and folders")
  func paths() throws {
    let found = try offered("moonlatch", "run", "")
    #expect(found.contains("door.lua"))
    #expect(found.contains { $0.hasPrefix("flows") })
    #expect(!found.contains("note.txt"))
    #expect(try offered("moonlatch", "run", "do") == ["door.lua"])
  }

  @Test("bash completes the formats of reports, and the commands that help takes")
  func words() throws {
    #expect(try offered("moonlatch", "run", "--report", "j") == ["jsonl=", "junit="])
    #expect(try offered("moonlatch", "help", "re") == ["repl", "replay", "report"])
    #expect(try offered("moonlatch", "new", "--template", "g") == ["game"])
  }

  @Test(
    "the scripts for zsh and fish have the commands that help takes", arguments: ["zsh", "fish"])
  func others(shell: String) throws {
    #expect(try script(for: shell).contains("run report repl replay journal explore check"))
  }

  @Test("other arguments ask for no script")
  func none() {
    #expect(CompletionScript.text(for: ["run"]) == nil)
    #expect(CompletionScript.text(for: ["--generate-completion-script", "tcsh"]) == nil)
  }
}
