import ArgumentParser
import LuaRuntime
import Moonlatch

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
        0   all well
        1   an expectation failed, or a strict check has warnings
        2   a file could not be loaded
        3   a script raised an error outside an expectation
        4   nothing was selected
        5   shards do not add up
        6   an exploration was bounded, and found nothing
        64  wrong usage
        69  a program that is asked for is not there
        70  a fault of ours
        124 out of time
        130 interrupted
      """,
    version: "0.1.0 (Lua \(LuaVM.release))",
    subcommands: [
      RunCommand.self, ReportCommand.self, ReplCommand.self, ReplayCommand.self,
      JournalCommand.self, ExploreCommand.self, CheckCommand.self, GraphCommand.self,
      TypesCommand.self, NewCommand.self, ServeCommand.self, InspectCommand.self,
    ])

  /// Runs the command and ends the process with its exit code.
  static func main() {
    do {
      try ServeProgram.becomeIfAsked(CommandLine.arguments)
      let watchdog = try Watchdog.fromEnvironment()
      if !isPrompt { watchdog.start() }
      if Worker.runIfAsked() { return }
      do {
        try runCommand()
      } catch  where watchdog.hasFired {
        throw ExitStatus.outOfTime
      }
      if watchdog.hasFired { throw ExitStatus.outOfTime }
    } catch let error as ServeProgram.Missing {
      Terminal.writeError("moonlatch: \(error)\n")
      leave(ExitStatus.unavailable)
    } catch let error as Watchdog.BadPatience {
      Terminal.writeError("moonlatch: \(error)\n")
      leave(ExitStatus.usage)
    } catch {
      end(with: error)
    }
  }

  private static func runCommand() throws {
    if let request = RunRequest(plain: CommandLine.arguments.dropFirst()) {
      return try request.run()
    }
    var command = try parseAsRoot()
    try command.run()
  }

  /// Whether a person sits at a prompt, who interrupts what takes too long.
  private static var isPrompt: Bool {
    Terminal.isInteractive && CommandLine.arguments.dropFirst().first == "repl"
  }

  private static func end(with error: any Error) -> Never {
    if let mistyped = MistypedCommand(CommandLine.arguments.dropFirst().first),
      exitCode(for: error) == .validationFailure
    {
      Terminal.writeError("moonlatch: \(mistyped)\n")
      leave(ExitStatus.usage)
    }
    // The parser's own errors have codes of their own; another error is none that was foreseen.
    if !(error is ExitCode), exitCode(for: error) == .failure {
      Terminal.writeError("moonlatch: this is a fault of ours, please report it: \(error)\n")
      leave(ExitStatus.internalFault)
    }
    leave(error)
  }

  /// Ends the process, telling what the parser has to say: help, or what was wrong with the arguments.
  private static func leave(_ error: any Error) -> Never {
    let code = exitCode(for: error)
    let message = fullMessage(for: error)
    if !message.isEmpty {
      if code.isSuccess {
        Terminal.writeOutput(message + "\n")
      } else {
        Terminal.writeError(message + "\n")
      }
    }
    code.leave()
  }
}

/// A first argument that is no command.
struct MistypedCommand: CustomStringConvertible {
  private let word: String

  /// Nil for a command, an option, or nothing at all.
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
