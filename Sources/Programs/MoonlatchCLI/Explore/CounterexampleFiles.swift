import FlowExplore
import FlowKernel
import FlowLanguage
import LuaRuntime
import Platform
import Scenarios
import SharedCommands

/// The scenario files of counterexamples for a flow: `NAME.FINDING.scenario.lua`.
struct CounterexampleFiles {
  private let path: String
  private let flow: URL
  private let folder: URL
  private let limits: Limits
  private var names: Set<String> = []

  /// Creates the files of a flow.
  ///
  /// - Parameter folder: the folder for the files; nil for that of the flow.
  init(of path: String, into folder: String?, limits: Limits) {
    (self.path, self.limits) = (path, limits)
    flow = URL(filePath: path)
    self.folder = folder.map { URL(filePath: $0) } ?? flow.deletingLastPathComponent()
  }

  /// Writes the failing scenarios of findings, and prints how to run them if that is not obvious.
  mutating func keep(_ findings: [ExplorationReport.Finding]) throws {
    var isWritten = false
    for finding in findings
    where try keep(finding.name, { finding.scenario(flow: $0) }) != nil {
      isWritten = true
    }
    if isWritten { tellHowToRun() }
  }

  /// Writes the failing scenarios of differences between the flow and another one.
  mutating func keep(_ comparison: FlowComparison) throws {
    var isWritten = false
    for difference in comparison.differences
    where try keep("against.\(difference.name)", { difference.text(flow: $0) }) != nil {
      isWritten = true
    }
    if isWritten { tellHowToRun() }
  }

  private func tellHowToRun() {
    if let command = commandFromElsewhere {
      Terminal.writeOutput("  to run these files: \(command)\n")
    }
  }

  /// Creates the folder if there is none; errors are reported when a file is written.
  private func makeFolder() {
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  /// The command that runs scenarios from a folder where they do not find the flow by themselves; nil if they do.
  private var commandFromElsewhere: String? {
    let here = FileManager.default.currentDirectoryPath
    guard !PathSandbox(of: [folder.path], from: here).holds(flow.path) else { return nil }
    let (to, from) = CounterexampleFiles.parts(flow, folder)
    let common = zip(to, from).prefix { $0 == $1 }.map(\.0)
    if common.count <= 1 {
      let flows = flow.absoluteURL.standardized.deletingLastPathComponent().path
      return "moonlatch run \(folder.absoluteURL.standardized.path) \(flows)"
    }
    let base = "/" + common.dropFirst().joined(separator: "/")
    return "cd \(base) && moonlatch run \(from[common.count...].joined(separator: "/"))"
  }

  /// Returns the path components of a flow, with its own name last, and those of a folder.
  private static func parts(_ flow: URL, _ folder: URL) -> (flow: [String], folder: [String]) {
    (
      flow.absoluteURL.standardized.pathComponents, folder.absoluteURL.standardized.pathComponents
    )
  }

  /// Writes scenarios for the behaviour of the flow, and plays them.
  ///
  /// - Parameter exploration: the name of the exploration in its file; nil without a file.
  /// - Returns: the report of those that do not pass; nil if all pass.
  mutating func keep(_ suite: Suite, of exploration: String?) throws -> String? {
    let name = exploration.map { "\($0).suite" } ?? "suite"
    let file = try keep(name) { suite.text(flow: $0) }
    return file.flatMap { RecordedScenario.problem(in: $0, of: path, limits: limits) }
  }

  /// Writes a scenario file.
  ///
  /// - Parameter text: returns the text for a path of the flow; nil if there is none.
  /// - Returns: the file that was written.
  @discardableResult
  private mutating func keep(_ finding: String, _ text: (String) -> String?) throws -> String? {
    guard let text = text(CounterexampleFiles.relative(flow, from: folder)) else { return nil }
    let stem = flow.deletingPathExtension().lastPathComponent
    let first = "\(stem).\(CounterexampleFiles.fileName(finding))"
    var name = first
    var number = 1
    while !names.insert(name).inserted {
      number += 1
      name = "\(first)-\(number)"
    }
    let file = folder.appending(component: "\(name).scenario.lua").path
    makeFolder()
    try writeFile(text, to: file, sparing: [path], over: OwnFile.isCounterexample)
    Terminal.writeOutput("  written \(CounterexampleFiles.shown(file))\n")
    return file
  }

  /// Returns a path relative to the current folder, if it is inside it.
  private static func shown(_ path: String) -> String {
    let here = FileManager.default.currentDirectoryPath + "/"
    return path.hasPrefix(here) ? String(path.dropFirst(here.count)) : path
  }

  private static func fileName(_ name: String) -> String {
    var text = ""
    for character in name {
      if character.isLetter || character.isNumber || "_.".contains(character) {
        text.append(character)
      } else if text.last != "-" {
        text.append("-")
      }
    }
    return text
  }

  /// Returns the path of the flow relative to the folder.
  private static func relative(_ flow: URL, from folder: URL) -> String {
    let (target, base) = parts(flow, folder)
    var common = 0
    while common < min(target.count - 1, base.count), target[common] == base[common] { common += 1 }
    let up = Array(repeating: "..", count: base.count - common)
    return (up + target[common...]).joined(separator: "/")
  }
}
