import ArgumentParser

/// The command `inspect` of the other program, declared here for help and completions.
struct InspectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inspect",
    abstract: "Shows in the browser what a flow does (moonlatch-serve).")

  @Argument(
    parsing: .captureForPassthrough,
    help: "A flow and options: \"moonlatch inspect --help\" tells of them.",
    completion: .file(extensions: ["lua", "scxml"]))
  var arguments: [String] = []

  mutating func run() throws { try ServeProgram.become(["inspect"] + arguments) }
}
