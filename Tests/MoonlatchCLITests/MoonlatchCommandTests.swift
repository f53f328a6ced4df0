import Foundation
import LuaRuntime
import SharedCommands
import Testing

@testable import MoonlatchCLI

/// The command without arguments, or with wrong ones.
@Suite struct MoonlatchCommandTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("without arguments the command prints its help, with examples and exit codes")
  func alone() throws {
    let ran = try moonlatch(in: folder)
    #expect(ran.code == 0)
    #expect(ran.errors.isEmpty)
    #expect(ran.output.contains("USAGE: moonlatch <subcommand>"))
    #expect(ran.output.contains("  moonlatch run door.scenario.lua:12  the scenario at a line\n"))
    #expect(ran.output.contains("  64  wrong usage\n"))
    #expect(ran.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
    #expect(try moonlatch("--help", in: folder) == ran)
  }

  @Test("--version prints one line, with the release of the linked Lua")
  func version() throws {
    let ran = try moonlatch("--version", in: folder)
    #expect(ran.code == 0 && ran.errors.isEmpty)
    let parts = try #require(ran.output.wholeMatch(of: /(\d+\.\d+\.\d+) \(Lua (5\.4\.\d+)\)\n/))
    #expect(parts.1 == Release.version)
    #expect(parts.2 == LuaVM.release)
  }

  @Test("the newest release in the changelog is the command's version")
  func changelog() throws {
    let text = try String(contentsOf: Page.root.appending(path: "CHANGELOG.md"), encoding: .utf8)
    let newest = try #require(text.firstMatch(of: /(?m)^## \[(\d.*)\] - \d{4}-\d\d-\d\d$/))
    #expect(newest.1 == Release.version)
  }

  @Test("a mistyped command is an error with the nearest one")
  func mistyped() throws {
    #expect(
      try moonlatch("rnu", in: folder)
        == Ran(
          code: 64, output: "", errors: "moonlatch: there is no command rnu; did you mean run?\n"))
    #expect(try moonlatch("rpl", "x.lua", in: folder).errors.contains("did you mean repl?"))
    #expect(
      try moonlatch("frobnicate", in: folder).errors.hasPrefix(
        "moonlatch: there is no command frobnicate (there are run, report, repl, replay"))
  }

  @Test("an unknown option and an extra argument are usage errors")
  func wrongOptions() throws {
    for arguments in [["run", "--bad"], ["repl", "a", "b"], ["--bad"]] {
      let ran = try moonlatch(arguments, in: folder, input: .init())
      #expect(ran.code == 64, "\(arguments)")
      #expect(ran.output.isEmpty, "\(arguments)")
      #expect(ran.errors.contains("Usage: moonlatch"), "\(arguments)")
    }
    #expect(
      try moonlatch("run", "--quite", in: folder).errors.contains("Did you mean '--quiet'?"))
  }

  @Test("each command has its own help")
  func subcommandHelp() throws {
    for name in ["run", "repl", "check", "graph", "types", "new"] {
      let ran = try moonlatch(name, "--help", in: folder)
      #expect(ran.code == 0)
      #expect(ran.output.contains("USAGE: moonlatch \(name) "))
    }
  }

  @Test("every shell has completions for every command", arguments: ["bash", "zsh", "fish"])
  func completions(shell: String) throws {
    let ran = try moonlatch("--generate-completion-script", shell, in: folder)
    #expect(ran.code == 0)
    #expect(ran.errors.isEmpty)
    for command in MoonlatchCommand.configuration.subcommands {
      let name = try #require(command.configuration.commandName)
      #expect(ran.output.contains(name), "\(name)")
    }
    #expect(try moonlatch("--generate-completion-script", "tcsh", in: folder).code == 64)
  }

  @Test("the manual's source has every command with its purpose")
  func manual() throws {
    let ran = try moonlatch("--experimental-dump-help", in: folder)
    #expect(ran.code == 0)
    for command in MoonlatchCommand.configuration.subcommands {
      let name = try #require(command.configuration.commandName)
      #expect(ran.output.contains("\"commandName\" : \"\(name)\""), "\(name)")
      #expect(!command.configuration.abstract.isEmpty, "\(name)")
      #expect(
        command.configuration.discussion.split(separator: "\n").allSatisfy {
          !$0.hasPrefix(".") && !$0.hasPrefix("'")
        }, "\(name): a line of a manual must not begin like a macro")
    }
  }

  @Test("commands, options and no arguments are not treated as mistyped commands")
  func wellTyped() {
    #expect(MistypedCommand("run") == nil)
    #expect(MistypedCommand("help") == nil)
    #expect(MistypedCommand("--version") == nil)
    #expect(MistypedCommand(nil) == nil)
    #expect(MistypedCommand("rnu") != nil)
  }
}
