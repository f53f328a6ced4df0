import ArgumentParser
import FlowExplore
import FlowKernel
import FlowLanguage
import LuaRuntime
import Platform
import SharedCommands

/// What is asked of an exploration once it is over: `--suite`, `--cover`, `--against` of its states, and `--align`.
struct ExploreAsking {
  let writing: ExploreWritingOptions
  let comparing: ExploreComparingOptions
  /// The old flow's exploration, where there is one.
  let old: Exploration?
  /// The recorded log, where there is one.
  let aligned: ExploreAligning?
  /// The flow's file, and what the exploration is called.
  let flow: String
  let name: String?

  /// Whether anything is asked of the states.
  var isNeeded: Bool { writing.suite != nil || !comparing.cover.isEmpty || old != nil }

  /// Asks all that is asked of the states, tells it, and gives the exit code.
  func ask(
    _ states: ExploredStates, bounds: ExplorationBounds, writing files: inout Files,
    _ stream: ExploreStream?
  ) throws -> ExitCode {
    var worst = ExitCode.success
    if writing.suite != nil {
      let suite = try Suite(states)
      let scenarios = "\(suite.scenarios) scenario\(suite.scenarios == 1 ? "" : "s")"
      let behaviours = "\(suite.behaviours) behaviour\(suite.behaviours == 1 ? "" : "s")"
      Terminal.writeOutput("  suite   \(behaviours) in \(scenarios)\n")
      if let problem = try files.suite.keep(suite, of: name) {
        Terminal.writeError(
          "moonlatch: not all of it passes; a capability that it calls is to be stubbed there:\n"
            + "\(problem)\n")
        worst = ExitStatus.failed
      }
    }
    if !comparing.cover.isEmpty {
      let covered = try CoveredBehaviours(of: states, by: comparing.cover, flow: flow)
      Terminal.writeOutput(covered.text)
      for problem in covered.problems { Terminal.writeError("moonlatch: \(problem)\n") }
      try stream?.write(covered.event(flow: flow))
      if !covered.problems.isEmpty { worst = ExitStatus.failed }
    }
    if var old, let path = comparing.against {
      old.bounds = bounds
      old.isStopped = { Interrupts.signal != 0 }
      var comparison: FlowComparison?
      old.finished = { comparison = try FlowComparison(of: states, with: $0, named: path) }
      _ = try old.run()
      guard let comparison else { return worst }
      Terminal.writeOutput(comparison.text)
      try files.found.keep(comparison)
      try stream?.write(comparison.event(flow: flow, old: path))
      worst = ExitStatus.worse(
        worst,
        comparison.differs
          ? ExitStatus.failed : comparison.isWhole ? .success : ExitStatus.bounded)
    }
    return worst
  }

  /// The files of scenarios: those that fail, and those of a suite.
  struct Files {
    var found: CounterexampleFiles
    var suite: CounterexampleFiles
  }
}

/// What `--report` writes, line by line.
final class ExploreStream {
  private let file: OutputFile

  /// Opens the file, so that one that cannot be written is known before anything is explored.
  init(_ path: String, sparing inputs: [String], tool: String) throws {
    do {
      file = try OutputFile(path, sparing: inputs, grows: true, over: OwnFile.isExploreStream)
    } catch {
      throw notWritten(error)
    }
    try write(ExplorationReport.begin(tool: tool))
  }

  /// Writes a line.
  func write(_ event: Value) throws {
    do {
      try file.write(JSONText.visible(event) + "\n")
    } catch {
      throw notWritten(error)
    }
  }
}
