import FlowExplore
import Moonlatch
import Platform

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
    let stem = flow.deletingPathExtension().lastPathComponent
    for finding in report.findings {
      var name = "\(stem).\(CounterexampleFiles.fileName(finding.name))"
      while !names.insert(name).inserted { name += "-again" }
      let file = folder.appending(component: "\(name).scenario.lua").path
      guard
        let text = finding.scenario(flow: CounterexampleFiles.relative(flow, from: folder))
      else { continue }
      try writeFile(text, to: file, sparing: [path], over: OwnFile.isCounterexample)
      Terminal.writeOutput("  written \(file)\n")
    }
  }

  private static func fileName(_ name: String) -> String {
    String(name.map { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" ? $0 : "-" })
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
