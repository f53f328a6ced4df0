import FlowKernel
import FlowLanguage
import FlowTools
import LuaRuntime
import Scenarios

/// The commands `:graph` and `:coverage`, about the flow as a whole.
extension Session {
  /// The formats of `:graph`; the first is the default.
  static let graphFormats = ["mermaid", "dot", "scxml", "xstate"]

  /// Returns the drawing of the flow that `moonlatch graph` makes, as text.
  func graph(_ format: String) throws -> String {
    let text = FlowText(try own(for: "graph"))
    let drawn: String
    switch format {
    case "", "mermaid": drawn = MermaidWriter.text(FlowDrawing(text))
    case "dot": drawn = DOTWriter.text(FlowDrawing(text))
    case "scxml": drawn = SCXMLWriter.export(text).text
    case "xstate": drawn = XStateWriter.export(text).text
    default:
      let known = Session.graphFormats.joined(separator: ", ")
      throw CommandError(
        ":graph takes a format (\(known)), not \"\(format)\"; \"moonlatch graph --output FILE\" makes "
          + "pictures")
    }
    return drawn.hasSuffix("\n") ? String(drawn.dropLast()) : drawn
  }

  /// Returns what the inputs have exercised since the flow was loaded, as `moonlatch run --coverage` reports it.
  func coverageReport() throws -> String {
    let flow = try own(for: "coverage")
    guard var notes = coverage else { return "" }
    notes.noteRecords(of: engine)
    // The lines outside of functions ran when the flow was loaded, before the session.
    let vm = try LuaVM(limits: options.limits)
    vm.coverLines()
    try ScriptLog { _ in }.attach(to: vm)
    try flow.start(in: vm, limits: options.limits)
    let lines = engine.vm.coveredLines.merging(vm.coveredLines) { $0.union($1) }
    return CoverageText(record: notes.record(of: flow, lines: lines)).lines.joined(separator: "\n")
  }

  /// Returns the session's own flow.
  private func own(for command: String) throws -> LoadedFlow {
    guard let loaded else {
      throw CommandError(
        ":\(command) is about the session's own flow, not that of a scenario"
          + (aside == nil ? "" : "; :look goes back to it"))
    }
    return loaded
  }
}
