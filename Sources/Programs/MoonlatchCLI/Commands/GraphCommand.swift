import ArgumentParser
import FlowKernel
import FlowLanguage
import FlowTools
import LuaRuntime
import Platform
import SharedCommands

/// The command `moonlatch graph`, which draws a flow.
struct GraphCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "graph",
    abstract: "Draws a flow as DOT, Mermaid, SCXML, XState, or through Graphviz as SVG, PNG, PDF.",
    discussion: """
      Machines are drawn as statecharts. An action is a box with its payload, gates
      and gatekeepers, inside the scope that owns it. A green arrow leads to a field
      that the action's reducer writes, a dashed arrow to an action that its effect
      dispatches, as far as static analysis finds them.

      What SCXML or XState cannot express is reported as a comment in the file and a
      line on standard error; with --strict the exit code is then 1.

      EXAMPLES:
        moonlatch graph door.lua --output door.svg
        moonlatch graph door.lua --format mermaid >>README.md
        moonlatch graph door.lua --output door.scxml
      """)

  @Argument(help: "The flow's file.", completion: .file(extensions: ["lua", "scxml"]))
  var flow: String

  @Option(help: "The format. Default: the one of the output file's name, or dot.")
  var format: GraphFormat?

  @Option(
    name: .shortAndLong, help: "The file to write. Default: standard output.",
    completion: .file())
  var output: String?

  @Flag(help: "Exit with code 1 if SCXML or XState cannot express all of the machines.")
  var strict = false

  @OptionGroup var limiting: LimitOptions

  func run() throws {
    let text = try FlowText(loadFlow(flow, limiting.limits))
    let drawing = FlowDrawing(text)
    let format = try wantedFormat()
    if strict, format != .scxml, format != .xstate {
      throw ValidationError("--strict is for SCXML and XState only, not for \(format).")
    }
    switch format {
    case .dot: try write(DOTWriter.text(drawing), as: .dot)
    case .mermaid: try write(MermaidWriter.text(drawing), as: .mermaid)
    case .scxml: try write(SCXMLWriter.export(text), as: .scxml)
    case .xstate: try write(XStateWriter.export(text), as: .xstate)
    case let drawn: try draw(DOTWriter.text(drawing), as: drawn)
    }
  }

  private func wantedFormat() throws -> GraphFormat {
    if let format { return format }
    guard let output else { return .dot }
    let ending = output.split(separator: ".").last.map(String.init) ?? ""
    let endings = ["mmd": GraphFormat.mermaid, "gv": .dot, "json": .xstate]
    guard output.contains("."), let format = endings[ending] ?? GraphFormat(rawValue: ending) else {
      let known = GraphFormat.allCases.map(\.rawValue).joined(separator: ", ")
      throw ValidationError(
        "the name \(output) does not determine the format; add --format (\(known))")
    }
    return format
  }

  private func draw(_ text: String, as format: GraphFormat) throws {
    do {
      guard let output else { return try Graphviz.draw(text, format: format.rawValue, to: nil) }
      let file = try OutputFile(output, sparing: [flow], over: OwnFile.isPicture(format))
      try file.fill { try Graphviz.draw(text, format: format.rawValue, to: $0) }
      try file.close()
    } catch let error as OutputFile.Refused {
      throw notWritten(error)
    } catch let error as Graphviz.Failed {
      Terminal.writeError("moonlatch: \(error)\n")
      throw ExitStatus.scriptError
    }
  }

  /// Writes an export, and lists on standard error what its format cannot express.
  private func write(_ exported: ExportedFlow, as format: GraphFormat) throws {
    try write(exported.text, as: format)
    for warning in exported.warnings {
      Terminal.writeError("moonlatch: \(flow) as \(format): \(warning)\n")
    }
    if strict, !exported.warnings.isEmpty { throw ExitStatus.failed }
  }

  private func write(_ text: String, as format: GraphFormat) throws {
    guard let output else { return Terminal.writeOutput(text) }
    try writeFile(text, to: output, sparing: [flow], over: OwnFile.isPicture(format))
  }
}

/// Loads a flow for a tool; if that fails, prints the reason and throws exit code 2.
func loadFlow(_ path: String, _ limits: Limits) throws -> LoadedFlow {
  do {
    return try LoadedFlow(
      FlowSources(file: URL(filePath: path), displayName: path), limits: limits,
      log: ScriptLog { Terminal.writeError($0 + "\n") })
  } catch let error as ScriptError {
    Terminal.writeError("\(error.report)\n")
  } catch {
    Terminal.writeError("\(error)\n")
  }
  throw ExitStatus.unloadable
}
