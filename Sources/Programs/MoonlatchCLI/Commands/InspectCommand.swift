import ArgumentParser

/// The command `inspect` of the other program, declared here for help and completions.
struct InspectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inspect",
    abstract: "Opens the inspector of a flow for the browser (moonlatch-serve).")

  @Argument(
    parsing: .captureForPassthrough,
    help: "A flow and options: see \"moonlatch inspect --help\".",
    completion: .file(extensions: ["lua", "scxml"]))
  var arguments: [String] = []

  mutating func run() throws { try ServeProgram.become(["inspect"] + arguments) }
}
