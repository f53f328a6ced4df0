import Foundation
import Testing

@testable import MoonlatchCLI

/// Completion when Tab is typed in a shell on a terminal.
@Suite struct ShellCompletionTests {
  /// A shell, and how it starts with the completions and the prompt `> `.
  private struct Shell {
    let name: String
    let arguments: [String]
    /// The file that it reads at the start.
    var startup: (name: String, text: String)?
    /// The number of times that Tab is typed for a list.
    var tabs = 1

    static let bash = Shell(
      name: "bash", arguments: ["--noprofile", "--rcfile", ".bashrc", "-i"],
      startup: (".bashrc", "PS1='> '\nsource ./completion\n"), tabs: 2)

    static let zsh = Shell(
      name: "zsh", arguments: ["-d", "-i"],
      startup: (
        ".zshrc",
        """
        PS1='> '
        autoload -U compinit
        compinit -u
        source ./completion
        compdef _moonlatch moonlatch

        """
      ))

    static let fish = Shell(
      name: "fish",
      arguments: [
        "--private", "--init-command",
        "function fish_greeting; end; function fish_prompt; echo -n '> '; end; source completion",
      ])

    /// The path of the shell; nil if it is not installed.
    var path: String? {
      ["/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"].map { "\($0)/\(name)" }
        .first { FileManager.default.isExecutableFile(atPath: $0) }
    }
  }

  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write("state { n = 0 }", to: "door.lua")
    try folder.write("", to: "note.txt")
    try folder.makeFolder("flows")
    // Without this folder, fish reads all manual pages in the background.
    try folder.makeFolder(".local/share/fish/generated_completions")
  }

  /// Types a text in a new shell until it shows what is expected, and returns the screen.
  private func type(_ text: String, in shell: Shell, showing expected: String) throws -> String {
    let script = CompletionScript.text(for: ["--generate-completion-script", shell.name])
    try folder.write(try #require(script), to: "completion")
    if let startup = shell.startup { try folder.write(startup.text, to: startup.name) }
    let terminal = try PseudoTerminal(
      shell.arguments, in: folder,
      environment: ["HOME": folder.url.path, "ZDOTDIR": folder.url.path],
      command: try #require(shell.path))
    try terminal.wait(for: "> ")
    try terminal.type(text, showing: expected)
    let screen = terminal.screen
    _ = try terminal.end(by: SIGKILL)
    return screen
  }

  private func expectCompletion(in shell: Shell) throws {
    let tabs = String(repeating: PseudoTerminal.Key.tab, count: shell.tabs)
    let list = try type("moonlatch run " + tabs, in: shell, showing: "flows/")
    #expect(list.contains("door.lua"), "\(list)")
    #expect(!list.contains("note.txt"), "\(list)")
    for (typed, completed) in [
      ("moonlatch run do\t", "moonlatch run door.lua"),
      ("moonlatch run --report ju\tx.xml", "moonlatch run --report junit=x.xml"),
      ("moonlatch help repo\t", "moonlatch help report"),
      ("moonlatch new --template g\t", "moonlatch new --template game"),
    ] {
      let screen = try type(typed, in: shell, showing: completed)
      #expect(screen.contains(completed), "\(screen)")
    }
  }

  @Test("bash completes paths, formats of reports, commands behind help, and templates")
  func bash() throws { try expectCompletion(in: .bash) }

  @Test(
    "zsh completes paths, formats of reports, commands behind help, and templates",
    .enabled(
      if: Shell.zsh.path != nil, "zsh is not installed; scripts/setup --tests installs it"))
  func zsh() throws { try expectCompletion(in: .zsh) }

  @Test(
    "fish completes paths, formats of reports, commands behind help, and templates",
    .enabled(
      if: Shell.fish.path != nil, "fish is not installed; scripts/setup --tests installs it"))
  func fish() throws { try expectCompletion(in: .fish) }
}
