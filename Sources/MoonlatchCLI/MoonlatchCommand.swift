import ArgumentParser

/// The `moonlatch` command.
@main
struct MoonlatchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "moonlatch",
    abstract: "Runs state machines written in Lua: scenario files in batch, a flow at a prompt.",
    discussion: """
      EXAMPLES
        moonlatch run examples              every scenario below a folder
        moonlatch run door.scenario.lua:12  the scenario at a line
        moonlatch repl door.lua             play a flow by hand

      EXIT CODES
        0 all well; 1 an expectation failed; 2 a file could not be loaded; 3 a script error
        outside an expectation; 4 nothing was selected; 64 wrong usage; 70 a fault of ours
      """,
    version: "0.1.0",
    subcommands: [RunCommand.self, ReplCommand.self])
}

/// How the command ends, most serious first where several apply: 70, 5, 2, 3, 1.
enum ExitStatus {
  static let failed = ExitCode(1)
  static let unloadable = ExitCode(2)
  static let scriptError = ExitCode(3)
  static let nothingSelected = ExitCode(4)
  static let usage = ExitCode(64)
}
