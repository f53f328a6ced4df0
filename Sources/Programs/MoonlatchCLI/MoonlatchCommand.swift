import ArgumentParser
import FlowKernel
import FlowLanguage
import LuaRuntime
import Platform
import SharedCommands

/// The `moonlatch` command.
@main
struct MoonlatchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "moonlatch",
    abstract: "Runs state machines written in Lua: scenario files in batch, a flow at a prompt.",
    discussion: """
      EXAMPLES:
        moonlatch run examples              every scenario below a folder
        moonlatch run door.scenario.lua:12  the scenario at a line
        moonlatch repl door.lua             play a flow by hand
        moonlatch replay door.lua log.csv   offer a recorded log to a flow
        moonlatch journal show door.journal what happened to the cases that are kept
        moonlatch explore door.lua          every state that a flow can reach
        moonlatch check                     every fault of every file here
        moonlatch new door                  a flow to begin with
        moonlatch serve door.lua            its cases over HTTP
        moonlatch inspect door.lua          what it does, in the browser

      EXIT CODES:
        0   success
        1   an expectation failed, or a strict check has warnings
        2   a file or a journal could not be loaded
        3   a script raised an error outside an expectation
        4   nothing was selected
        5   shards do not add up
        6   an exploration is incomplete, and found no error
        64  wrong usage
        69  a required program is not installed
        70  an internal error: please report it
        74  a system error: the disk is full, too many files are open
        124 out of time
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
    var command = try parseAsRoot()
    // Databases are read by the other program, `moonlatch-serve`.
    let serving = NamedJournal.Databases { _ in
      try ServeProgram.become(Array(CommandLine.arguments.dropFirst()))
    }
    try NamedJournal.$databases.withValue(serving) { try command.run() }
  }

  /// True if a person sits at a prompt and can interrupt long scripts.
  private static var isPrompt: Bool {
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
