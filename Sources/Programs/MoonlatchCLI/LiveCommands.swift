import ArgumentParser
import SharedCommands

/// The commands that the program with a client for real calls has too.
package enum LiveCommands {
  private static var all: [any ParsableCommand.Type] { [RunCommand.self, ReplCommand.self] }

  /// Returns the commands of a program, and these.
  package static func beside(_ others: [any ParsableCommand.Type]) -> [any ParsableCommand.Type] {
    others + all
  }

  /// Returns true if a command line names one of them, or starts a worker process of `run`.
  package static func areNamed(by arguments: [String]) -> Bool {
    guard let word = arguments.dropFirst().first else { return false }
    return word == Worker.word || all.contains { $0.configuration.commandName == word }
  }

  /// Runs the command line of this process, on the main thread.
  ///
  /// - Parameter body: parses and runs the command, unless this is a worker process.
  package static func run(_ body: () throws -> Void) throws {
    try Watchdog.watch(isLooking: !MoonlatchCommand.isPrompt) {
      // The caller ends what calls have left behind.
      if Worker.runIfAsked() { return }
      try body()
    }
  }
}
