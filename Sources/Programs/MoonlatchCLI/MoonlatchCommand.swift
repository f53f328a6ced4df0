import ArgumentParser
import FlowKernel
import FlowLanguage
import LuaRuntime
import Platform
import SharedCommands

/// The `moonlatch` command.
struct MoonlatchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "moonlatch",
    abstract: "Runs, tests and checks state machines written in Lua.",
    discussion: """
      EXAMPLES:
        moonlatch run examples              every scenario below a folder
        moonlatch run door.scenario.lua:12  the scenario at a line
        moonlatch repl door.lua             a prompt for a flow
        moonlatch replay door.lua log.csv   replay a recorded log
        moonlatch journal show door.journal the cases of a journal
        moonlatch explore door.lua          model checking: every reachable state
        moonlatch check                     errors and warnings in every file
        moonlatch new door                  a new flow
        moonlatch serve door.lua            serve its cases over HTTP
        moonlatch inspect door.lua          inspect it in the browser

      EXIT CODES:
        0   success
        1   an expectation failed, or a strict check has warnings
        2   a file or a journal could not be loaded
        3   a script raised an error outside an expectation
        4   nothing was selected
        5   shards are missing or do not fit together
        6   an exploration was not complete, and found nothing
        64  wrong usage
        69  a required program is not installed
        70  internal error: please report it
        74  system error: the disk is full, too many files are open
        124 a time limit was reached
        130 interrupted; after another signal 128 and its number
      """,
    version: Release.text,
    subcommands: [
      RunCommand.self, ReportCommand.self, ReplCommand.self, ReplayCommand.self,
      JournalCommand.self, ExploreCommand.self, CheckCommand.self, GraphCommand.self,
      TypesCommand.self, NewCommand.self, ServeCommand.self, InspectCommand.self,
    ])

  /// Runs the command and ends the process with its exit code.
  static func main() {
    StandardStreams.openClosed()
    LuaVM.giveBackLargeBlocks()
    UnfinishedFile.removeOnSignals()
    do {
      try ServeProgram.becomeIfAsked(CommandLine.arguments)
      try Watchdog.watch(isLooking: !isPrompt) {
        if Worker.runIfAsked() { ExitCode.success.leave() }
        try runCommand()
      }
    } catch let error as ServeProgram.Missing {
      Terminal.writeError("moonlatch: \(error)\n")
      leave(ExitStatus.unavailable)
    } catch {
      if let mistyped = MistypedCommand(CommandLine.arguments.dropFirst().first),
        exitCode(for: error) == .validationFailure
      {
        Terminal.writeError("moonlatch: \(mistyped)\n")
        leave(ExitStatus.usage)
      }
      end(with: error)
    }
  }

  private static func runCommand() throws {
    if let request = RunRequest(plain: CommandLine.arguments.dropFirst()) {
      return try request.run()
    }
    if let script = CompletionScript.text(for: CommandLine.arguments.dropFirst()) {
      Terminal.writeDocument(script + "\n")
      return
    }
    var command = try parseAsRoot()
    // Databases are read by the other program, `moonlatch-serve`.
    let serving = NamedJournal.Databases { _ in
      try ServeProgram.become(Array(CommandLine.arguments.dropFirst()))
    }
    try NamedJournal.$databases.withValue(serving) { try command.run() }
  }

  /// True if a person sits at a prompt and can interrupt long scripts.
  static var isPrompt: Bool {
    Terminal.isInteractive && CommandLine.arguments.dropFirst().first == "repl"
  }
}

/// A first argument that is not a command.
struct MistypedCommand: CustomStringConvertible {
  private let word: String

  /// Returns nil for a command, an option, or no argument.
  init?(_ argument: String?) {
    guard let argument, !argument.hasPrefix("-"), !MistypedCommand.known.contains(argument) else {
      return nil
    }
    word = argument
  }

  var description: String {
    let names = MistypedCommand.known
    let suggestion = Names.suggestion(for: word, among: names)
    return "there is no command \(word)"
      + (suggestion.isEmpty ? " (there are \(names.joined(separator: ", ")))" : suggestion)
  }

  private static var known: [String] {
    MoonlatchCommand.configuration.subcommands.compactMap { $0.configuration.commandName }
      + ["help"]
  }
}
