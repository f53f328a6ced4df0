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

  /// Writes the scenarios that fail by what was found, and says how they run where that needs saying.
  mutating func keep(_ report: ExplorationReport) throws {
    var isWritten = false
    let stem = flow.deletingPathExtension().lastPathComponent
    for finding in report.findings {
      let first = "\(stem).\(CounterexampleFiles.fileName(finding.name))"
      var name = first
      var number = 1
      while !names.insert(name).inserted {
        number += 1
        name = "\(first)-\(number)"
      }
      let file = folder.appending(component: "\(name).scenario.lua").path
      guard
        let text = finding.scenario(flow: CounterexampleFiles.relative(flow, from: folder))
      else { continue }
      if !isWritten { makeFolder() }
      try writeFile(text, to: file, sparing: [path], over: OwnFile.isCounterexample)
      Terminal.writeOutput("  written \(file)\n")
      isWritten = true
    }
    if isWritten, let command = commandFromElsewhere {
      Terminal.writeOutput("  to run what is written: \(command)\n")
    }
  }

  /// Makes the folder if there is none; who writes a file then says what is wrong.
  private func makeFolder() {
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  /// How scenarios run that stand where their words do not reach the flow; nil where they do.
  private var commandFromElsewhere: String? {
    let here = FileManager.default.currentDirectoryPath
    guard !Reach(of: [folder.path], from: here).holds(flow.path) else { return nil }
    let (to, from) = CounterexampleFiles.parts(flow, folder)
    let common = zip(to, from).prefix { $0 == $1 }.map(\.0)
    if common.count <= 1 {
      let flows = flow.absoluteURL.standardized.deletingLastPathComponent().path
      return "moonlatch run \(folder.absoluteURL.standardized.path) \(flows)"
    }
    let base = "/" + common.dropFirst().joined(separator: "/")
    return "cd \(base) && moonlatch run \(from[common.count...].joined(separator: "/"))"
  }

  /// The folders on the way to a flow, its own name last, and to a folder.
  private static func parts(_ flow: URL, _ folder: URL) -> (flow: [String], folder: [String]) {
    (
      flow.absoluteURL.standardized.pathComponents, folder.absoluteURL.standardized.pathComponents
    )
  }

  private static func fileName(_ name: String) -> String {
    String(name.map { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" ? $0 : "-" })
  }

  /// The flow as a file in the folder names it.
  private static func relative(_ flow: URL, from folder: URL) -> String {
    let (target, base) = parts(flow, folder)
    var common = 0
    while common < min(target.count - 1, base.count), target[common] == base[common] { common += 1 }
    let up = Array(repeating: "..", count: base.count - common)
    return (up + target[common...]).joined(separator: "/")
  }
}
