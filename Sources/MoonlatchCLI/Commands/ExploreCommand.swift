import ArgumentParser
import FlowExplore
import Moonlatch
import Platform

/// `moonlatch explore`: every state that a flow can reach.
struct ExploreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explore",
    abstract: "Goes through every state that a flow can reach, and says what holds in them.",
    discussion: """
      The flow's own gates and reducers run: what is proved is what runs. Actions
      are dispatched with every payload of finite types (booleans, one_of,
      integers with min and max), else with the samples of their types; timers
      come due, and effects end as the flow's text says that they can.

      It looks for invariants that break, functions that raise, states from which
      nothing leads on, actions that never pass and states of machines that are
      never reached. The shortest way to each fault is written as a scenario file
      that fails.

      A file NAME.explore.lua says which payloads come, where it begins and ends,
      what effects end with, and what must hold in every state, in some state, of
      every step, or at some time.

      EXAMPLES:
        moonlatch explore elevator.lua
        moonlatch explore two-phase-commit.explore.lua
        moonlatch explore elevator.lua --max-states 1000000 --write found

      EXIT CODES:
        0   all states were gone through, and nothing was found
        1   something does not hold
        2   a flow could not be loaded, or cannot be explored
        6   a bound was reached before all states were seen, and nothing was found
        70  a decision that was learned is not what the flow does: a fault of ours
        130 interrupted
      """)

  @Argument(
    help: ArgumentHelp(
      "The flows' files, or NAME.explore.lua, which say more.", valueName: "flow"),
    completion: .file(extensions: ["lua"]))
  var flows: [String]

  @Option(help: "Go through so many states at most.")
  var maxStates: Int = 0

  @Option(help: "Go so many levels deep at most, the beginning included.")
  var maxDepth: Int = 0

  @Option(help: "Take so many bytes at most, as 512M or 4G.")
  var memory = "2G"

  @Flag(
    help:
      "Keep 64 bits of each state in place of the state: less memory, and a chance of overlooking some."
  )
  var hash = false

  @Option(
    help: "Write what fails as scenarios into this folder. Without it: beside the flow.",
    completion: .directory)
  var write: String?

  func validate() throws {
    if maxStates < 0 || maxDepth < 0 {
      throw ValidationError("--max-states and --max-depth take numbers from 1 on")
    }
    _ = try bytes()
  }

  private func bytes() throws -> Int {
    let units: [Character: Int] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30]
    let unit = memory.last.flatMap { units[Character($0.uppercased())] }
    let digits = unit == nil ? memory[...] : memory.dropLast()
    guard let number = Int(digits), number > 0 else {
      throw ValidationError("--memory takes a number of bytes, as 512M or 4G, not \(memory)")
    }
    let (bytes, overflow) = number.multipliedReportingOverflow(by: unit ?? 1)
    guard !overflow else { throw ValidationError("--memory \(memory) is more than there can be") }
    return bytes
  }

  func run() throws {
    var worst = 0
    for flow in flows { worst = ExploreCommand.worse(worst, try explore(flow)) }
    if worst != 0 { throw ExitCode(Int32(worst)) }
  }

  /// Of two codes the more serious one.
  private static func worse(_ one: Int, _ other: Int) -> Int {
    let order = [130, 70, 2, 1, 6, 0]
    return order.first { $0 == one || $0 == other } ?? 0
  }

  private func explore(_ path: String) throws -> Int {
    let explorations: [Exploration]
    let flow: (path: String, name: String)
    do {
      (explorations, flow) = try read(path)
    } catch let code as ExitCode {
      return Int(code.rawValue)
    }
    var worst = 0
    var files: Set<String> = []
    for exploration in explorations {
      let title = exploration.name.map { "\(flow.name): \($0)" } ?? path
      let code = try explore(exploration, title, of: flow.path, writing: &files)
      worst = ExploreCommand.worse(worst, code)
    }
    return worst
  }

  /// What is explored, and of which flow: of a file that says so, or of a flow itself.
  private func read(_ path: String) throws -> ([Exploration], (path: String, name: String)) {
    do {
      guard path.hasSuffix(ExplorationFile.suffix) else {
        return ([try Exploration(try loadFlow(path))], (path, path))
      }
      let file = try ExplorationFile(URL(filePath: path), name: path)
      return (try file.explorations(), (file.flow, file.flowName))
    } catch let error as FlowError {
      Terminal.writeError("\(error.report)\n")
    } catch let error as ScriptError {
      Terminal.writeError("\(error.report)\n")
    } catch let error as ExplorationError {
      Terminal.writeError("moonlatch: \(path) cannot be explored:\n\(error)\n")
    }
    throw ExitStatus.unloadable
  }

  private func explore(
    _ exploration: Exploration, _ title: String, of flow: String, writing files: inout Set<String>
  ) throws -> Int {
    var exploration = exploration
    Interrupts.watch()
    let line = StatusLine()
    do {
      exploration.bounds.states = UInt64(maxStates)
      exploration.bounds.depth = UInt32(clamping: maxDepth)
      exploration.bounds.memory = try bytes()
      exploration.bounds.hashes = hash
      exploration.progress = { progress in
        line.show { seconds in
          "\(progress.states) states, \(progress.frontier) to go on from, depth \(progress.depth), "
            + "\(Int(Double(progress.states) / seconds))/s, \(Int(progress.bytesPerState)) bytes each"
        }
        return Interrupts.signal == 0
      }
      let report = try exploration.run()
      line.clear()
      Terminal.writeOutput(report.text(title))
      try keep(report, of: flow, in: &files)
      return code(of: report)
    } catch let error as ExplorationError {
      line.clear()
      Terminal.writeError("moonlatch: \(title) cannot be explored:\n\(error)\n")
      return error.kind == .difference ? 70 : 2
    }
  }

  private func code(of report: ExplorationReport) -> Int {
    switch report.ending {
    case .stopped: 130
    case _ where report.fails: 1
    case .bounded: 6
    case .whole: 0
    }
  }

  /// Writes the scenarios that fail by what was found.
  private func keep(
    _ report: ExplorationReport, of path: String, in names: inout Set<String>
  ) throws {
    let flow = URL(filePath: path)
    let folder = write.map { URL(filePath: $0) } ?? flow.deletingLastPathComponent()
    let stem = flow.deletingPathExtension().lastPathComponent
    for finding in report.findings {
      var name = "\(stem).\(ExploreCommand.fileName(finding.name))"
      while !names.insert(name).inserted { name += "-again" }
      let file = folder.appending(component: "\(name).scenario.lua").path
      guard
        let text = finding.scenario(flow: ExploreCommand.relative(flow, from: folder))
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
