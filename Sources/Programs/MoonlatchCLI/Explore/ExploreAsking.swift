import ArgumentParser
import FlowExplore
import FlowKernel
import FlowLanguage
import LuaRuntime
import Platform
import SharedCommands

/// The evaluations of a finished exploration: `--suite`, `--cover` and `--against` of its states, and `--align`.
struct ExploreAsking {
  let writing: ExploreWritingOptions
  let comparing: ExploreComparingOptions
  /// The exploration of the old flow, if there is one.
  let old: Exploration?
  /// The recorded log, if there is one.
  let aligned: ExploreAligning?
  /// The flow's file; `name` is the name of the exploration.
  let flow: String
  let name: String?

  /// True if the states are needed for an evaluation.
  var isNeeded: Bool { writing.suite != nil || !comparing.cover.isEmpty || old != nil }

  /// Evaluates the states as the options ask, prints the results, and returns the exit code.
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
          "moonlatch: some of these scenarios fail; a capability that they call must be stubbed:\n"
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

  /// The scenario files: counterexamples, and those of a suite.
  struct Files {
    var found: CounterexampleFiles
    var suite: CounterexampleFiles
  }
}

/// The stream that `--report` writes, line by line.
final class ExploreStream {
  private let file: OutputFile

  /// Opens the file, so that one that cannot be written is reported before anything is explored.
  init(_ path: String, sparing inputs: [String], tool: String) throws {
    do {
      file = try OutputFile(path, sparing: inputs, grows: true, over: OwnFile.isExploreStream)
    } catch {
      throw notWritten(error)
    }
    try write(ExplorationReport.begin(tool: tool))
  }

  /// Writes an event as a line.
  func write(_ event: Value) throws {
    do {
      try file.write(JSONText.visible(event) + "\n")
    } catch {
      throw notWritten(error)
    }
  }
}
