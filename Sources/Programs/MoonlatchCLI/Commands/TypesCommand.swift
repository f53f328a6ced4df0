import ArgumentParser
import FlowKernel
import FlowLanguage
import FlowTools
import Platform
import Scenarios
import SharedCommands

/// The command `moonlatch types`, which writes definitions for editors, to complete and check a flow's own names.
struct TypesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "types",
    abstract: "Writes definitions of flows for editors: completion and type checks.",
    discussion: """
      Files are written into the folder of the flows, or into that of --output:

        .moonlatch/library   LuaCATS definitions: the language, and for each flow its
                             actions with their payloads, state, views, scopes
        .luarc.json          settings of lua-language-server; not overwritten
        .luacheckrc          settings of luacheck; your own is not overwritten

      Run this again when the declarations of a flow have changed. A capability is
      defined if an effect calls it on self, or a scenario beside the flow stubs it.
      The type of a view is that of its initial value.
      """)

  @Argument(
    help: "Flows, or folders of them. Default: the current folder.",
    completion: .file(extensions: ["lua", "scxml"]))
  var flows: [String] = ["."]

  @Option(
    name: .shortAndLong, help: "The folder that the editor opens. Default: that of the flows.",
    completion: .directory)
  var output: String?

  @OptionGroup var limiting: LimitOptions

  func run() throws {
    let selected = CheckedFiles(flows)
    for fault in selected.faults { Terminal.writeError("\(fault)\n") }
    guard selected.faults.isEmpty else { throw ExitStatus.unloadable }
    guard let first = selected.flows.first else {
      Terminal.writeError("moonlatch: there is no flow in \(flows.joined(separator: ", "))\n")
      throw ExitStatus.nothingSelected
    }
    let folder = output.map { URL(filePath: $0) } ?? first.url.deletingLastPathComponent()
    guard output != nil || Set(selected.flows.map { $0.url.deletingLastPathComponent() }).count == 1
    else {
      throw ValidationError(
        "the flows are in several folders; name the one that the editor opens with --output")
    }
    let stems = selected.flows.map { FlowDefinitions.stem(of: $0.name) }
    if let twice = stems.first(where: { stem in stems.filter { $0 == stem }.count > 1 }) {
      throw ValidationError("two flows are named \(twice).lua and would have the same definition")
    }
    try write(files(for: selected.flows), to: folder, named: output ?? shown(first.name))
  }

  /// Returns a file's folder as the user named it.
  private func shown(_ name: String) -> String {
    name.lastIndex(of: "/").map { String(name[..<$0]) } ?? ""
  }

  private func files(for flows: [CheckedFiles.File]) throws -> EditorFiles {
    var stubs: [String: Set<String>] = [:]
    let texts = try flows.map { file in
      stubs[file.name] = EditorFiles.stubs(
        beside: file.url, readFlow: ScenarioFile.readFlow)
      return FlowText(try loadFlow(file.name, limiting.limits))
    }
    do {
      return try EditorFiles(texts, stubs: stubs)
    } catch {
      Terminal.writeError("\(error)\n")
      throw ExitStatus.unloadable
    }
  }

  private func write(_ editor: EditorFiles, to folder: URL, named name: String) throws {
    for file in editor.files {
      let url = folder.appending(path: file.path)
      let shown = name.isEmpty || name == "." ? file.path : "\(name)/\(file.path)"
      guard PathSandbox([folder.path]).holds(url.path) else {
        Terminal.writeError(
          "moonlatch: \(shown) is a link out of the folder, and was not changed\n")
        continue
      }
      let isThere = TextFile.kind(of: url.path) != nil
      if isThere, (try? TextFile.read(url, name: shown)).map(file.mayReplace) != true {
        Terminal.writeError("moonlatch: \(shown) is your own file, and was not changed\n")
        continue
      }
      try makeFolder(url.deletingLastPathComponent(), for: shown)
      try writeFile(file.text, to: url.path, named: shown) { _ in true }
      Terminal.writeOutput("\(shown)\n")
    }
  }
}

/// Creates a folder and its parents; if that fails, prints the reason and throws exit code 3.
func makeFolder(_ folder: URL, for file: String) throws {
  do {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  } catch {
    Terminal.writeError("moonlatch: the folder of \(file) cannot be created\n")
    throw ExitStatus.scriptError
  }
}
