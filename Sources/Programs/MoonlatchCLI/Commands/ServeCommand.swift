import ArgumentParser

/// The command `serve` of the other program, declared here for help and completions.
struct ServeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Serves the cases of a flow over HTTP (moonlatch-serve).")

  @Argument(
    parsing: .captureForPassthrough,
    help: "A flow and options: see \"moonlatch serve --help\".",
    completion: .file(extensions: ["lua", "scxml"]))
  var arguments: [String] = []

  mutating func run() throws { try ServeProgram.become(["serve"] + arguments) }
}
