import ArgumentParser
import FlowKernel
import FlowLanguage
import FlowTools
import Platform

/// The command `moonlatch new`, which creates a folder with a flow whose scenarios pass.
struct NewCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "new",
    abstract: "Creates a folder with a flow, a passing scenario and editor settings.",
    discussion: """
      The folder must be new or empty. Its last part is the flow's name:

        moonlatch new flows/door    creates flows/door/door.lua and its other files

      TEMPLATES:
        blank    a state, an action and an invariant
        machine  a machine that is drafted, reviewed and published, with a timer
        durable  a payment with retries that outlives the process
        game     players who take turns
      """)

  @Argument(help: "The folder to create.", completion: .directory)
  var name: String

  @Option(help: "The flow to begin with: blank, machine, durable or game.")
  var template = FlowTemplate.Kind.machine

  func run() throws {
    let path = name.last == "/" ? String(name.dropLast()) : name
    let flow = path.split(separator: "/").last.map(String.init) ?? path
    if let problem = FlowTemplate.problem(with: flow) {
      throw ValidationError("\(name): \(problem)")
    }
    let folder = URL(filePath: path)
    try checkIsFree(folder, named: path)
    for file in try FlowTemplate(name: flow, kind: template).files {
      let url = folder.appending(path: file.path)
      try makeFolder(url.deletingLastPathComponent(), for: "\(path)/\(file.path)")
      try writeFile(file.text, to: url.path, named: "\(path)/\(file.path)")
      Terminal.writeOutput("\(path)/\(file.path)\n")
    }
    Terminal.writeError(
      """

      Next:
        moonlatch run \(path)
        moonlatch check \(path)
        moonlatch repl \(path)/\(flow).lua

      """)
  }

  private func checkIsFree(_ folder: URL, named path: String) throws {
    switch TextFile.kind(of: folder.path) {
    case nil: return
    case .file?: throw ValidationError("\(path) exists and is a file")
    case .folder?:
      let entries = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? ["?"]
      guard entries.isEmpty else {
        throw ValidationError("\(path) exists and is not empty")
      }
    }
  }
}
