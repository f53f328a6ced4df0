import FlowExplore
import Moonlatch
import Platform
import Scenarios

/// The scenario files that fail by what was found of a flow: `NAME.FINDING.scenario.lua`.
struct CounterexampleFiles {
  private let path: String
  private let flow: URL
  private let folder: URL
  private var names: Set<String> = []

  /// - Parameter folder: where they are written; beside the flow without one.
  init(of path: String, into folder: String?) {
    self.path = path
    flow = URL(filePath: path)
    self.folder = folder.map { URL(filePath: $0) } ?? flow.deletingLastPathComponent()
  }

  /// Writes the scenarios that fail by what was found.
  mutating func keep(_ report: ExplorationReport) throws {
    for finding in report.findings { try keep(finding.name) { finding.scenario(flow: $0) } }
  }

  /// Writes the scenarios that fail by how the flow differs from another one.
  mutating func keep(_ comparison: FlowComparison) throws {
    for difference in comparison.differences {
      try keep("against.\(difference.name)") { difference.text(flow: $0) }
    }
  }

  /// Writes the scenarios that show what the flow does, and plays them.
  ///
  /// - Parameter exploration: what the file calls what was explored; nil where there is no file.
  /// - Returns: what is told of those that do not pass; nil where all do.
  mutating func keep(_ suite: Suite, of exploration: String?) throws -> String? {
    let name = exploration.map { "\($0).suite" } ?? "suite"
    let file = try keep(name) { suite.text(flow: $0) }
    return file.flatMap { RecordedScenario.problem(in: $0, of: path) }
  }

  /// - Parameter text: makes the text, given how it names the flow; nil if there is none.
  /// - Returns: the file that was written.
  @discardableResult
  private mutating func keep(_ finding: String, _ text: (String) -> String?) throws -> String? {
    let stem = flow.deletingPathExtension().lastPathComponent
    var name = "\(stem).\(CounterexampleFiles.fileName(finding))"
    while !names.insert(name).inserted { name += "-again" }
    let file = folder.appending(component: "\(name).scenario.lua").path
    guard let text = text(CounterexampleFiles.relative(flow, from: folder)) else { return nil }
    try writeFile(text, to: file, sparing: [path], over: OwnFile.isCounterexample)
    Terminal.writeOutput("  written \(file)\n")
    return file
  }

  private static func fileName(_ name: String) -> String {
    String(name.map { $0.isLetter || $0.isNumber || "_-.".contains($0) ? $0 : "-" })
  }

  /// The flow as a file in the folder names it.
  private static func relative(_ flow: URL, from folder: URL) -> String {
    let (to, from) = (flow.absoluteURL.standardized, folder.absoluteURL.standardized)
    let target = to.pathComponents, base = from.pathComponents
    var common = 0
    while common < min(target.count - 1, base.count), target[common] == base[common] { common += 1 }
    let up = Array(repeating: "..", count: base.count - common)
    return (up + target[common...]).joined(separator: "/")
  }
}
