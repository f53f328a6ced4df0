import FlowKernel
import FlowLanguage
import LuaRuntime
import Platform
import Scenarios

/// The destination of a scenario that records a case of a log.
///
/// This is a file, or standard output with the paths of a file in the current folder.
package struct RecordedFile {
  package let flow: String
  /// The file; nil for standard output.
  package let file: OutputFile?
  /// The limits of the flow when the scenario is played.
  package let limits: Limits

  package init(flow: String, file: OutputFile?, limits: Limits) {
    (self.flow, self.file, self.limits) = (flow, file, limits)
  }

  /// Writes the scenario, plays it, and returns the report if it does not pass.
  package func write(_ scenario: RecordedScenario) throws -> String? {
    try write { scenario.text(flow: $0) }
  }

  /// Writes the text of a scenario for a path of the flow, plays it, and returns the report if it does not pass.
  package func write(_ text: (_ flow: String) throws -> String) throws -> String? {
    let folder = URL(filePath: file?.path ?? "x").deletingLastPathComponent()
    let here = try text(RecordedFile.path(from: folder, to: URL(filePath: flow)))
    if let file {
      try file.write(here)
      try file.close()
      return RecordedScenario.problem(in: file.path, of: flow, limits: limits)
    }
    Terminal.writeOutput(here)
    let folderOfItsOwn = FileManager.default.temporaryDirectory
      .appending(path: "moonlatch-\(UUID().uuidString)")
    try FileManager.default.createDirectory(
      at: folderOfItsOwn, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folderOfItsOwn) }
    let file = folderOfItsOwn.appending(path: "case.scenario.lua").path
    try OutputFile.write(
      try text(URL(filePath: flow).standardizedFileURL.path), to: file)
    return RecordedScenario.problem(in: file, of: flow, limits: limits)
  }

  /// Returns the path of a file relative to a folder.
  package static func path(from folder: URL, to file: URL) -> String {
    let here = parts(of: folder)
    let there = parts(of: file)
    let shared = zip(here, there).prefix { $0 == $1 }.count
    // If only the root is common, the absolute path is clearer.
    if shared == 0 { return "/" + there.joined(separator: "/") }
    return (here.dropFirst(shared).map { _ in ".." } + there.dropFirst(shared))
      .joined(separator: "/")
  }

  private static func parts(of url: URL) -> [String] {
    url.standardizedFileURL.path.split(separator: "/").map(String.init)
  }
}
