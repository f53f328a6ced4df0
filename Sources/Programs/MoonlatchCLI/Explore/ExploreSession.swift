import ArgumentParser
import FlowExplore
import FlowKernel
import FlowLanguage
import LuaRuntime
import Platform
import Scenarios
import SharedCommands

/// One run of `moonlatch explore`, from its arguments to its exit code.
struct ExploreSession {
  let paths: [String]
  let bounds: ExploreBoundsOptions
  let walking: ExploreWalkingOptions
  let running: ExploreRunningOptions
  let writing: ExploreWritingOptions
  let comparing: ExploreComparingOptions
  let aligning: ExploreAligningOptions
  let limits: Limits

  func run() throws -> ExitCode {
    for (option, isThere) in [
      ("--graph", writing.graph != nil), ("--against", comparing.against != nil),
      ("--align", aligning.align != nil),
    ] where isThere && paths.count > 1 {
      throw ValidationError("\(option) is for one flow, not \(paths.count)")
    }
    try checkWalking()
    // Signals are watched before a report is begun, so that it gets its end.
    Interrupts.watch()
    let stream = try writing.report.map {
      try ExploreStream(
        $0, sparing: paths + aligning.inputs,
        tool: "moonlatch \(Release.text)")
    }
    do {
      let explored = try explore(stream)
      let status = Interrupts.signal == 0 ? explored : ExitStatus.interrupted
      try stream?.write(ExplorationReport.end(exitCode: Int(status.rawValue)))
      return status
    } catch {
      let status = error as? ExitCode ?? ExploreBoundsOptions.exitCode(for: error)
      try? stream?.write(ExplorationReport.end(exitCode: Int(status.rawValue)))
      throw error
    }
  }

  /// Throws if a random walk is combined with an option that needs the states, which walks do not keep.
  private func checkWalking() throws {
    guard walking.random else { return }
    for (option, isThere) in [
      ("--max-states", bounds.maxStates != nil), ("--memory", bounds.memory != nil),
      ("--hash", bounds.hash), ("--verify", running.verify),
      ("--checkpoint", running.checkpoint != nil), ("--resume", running.resume != nil),
      ("--graph", writing.graph != nil), ("--suite", writing.suite != nil),
      ("--cover", !comparing.cover.isEmpty), ("--against", comparing.against != nil),
      ("--align", aligning.align != nil),
    ] where isThere {
      throw ValidationError("--random stores no states, so it excludes \(option).")
    }
  }

  private func explore(_ stream: ExploreStream?) throws -> ExitCode {
    let resumed: ExplorationCheckpoint?
    do {
      resumed = try running.resume.map(ExplorationCheckpoint.init)
    } catch {
      Terminal.writeError("moonlatch: \(error)\n")
      return ExitStatus.unloadable
    }
    let plan = try ExplorePlan(paths, running.shard)
    if let line = plan.line { Terminal.writeOutput(line) }
    var worst = ExitCode.success
    var isResumed = false
    for part in plan.parts {
      worst = ExitStatus.worse(worst, try explore(part, resumed, &isResumed, stream))
      // Nothing else is explored after an interrupt.
      if worst == ExitStatus.interrupted { return worst }
    }
    guard let resumed, !isResumed else { return worst }
    Terminal.writeError(
      "moonlatch: \(running.resume ?? "") is a checkpoint of \(resumed.title), which is not explored here\n"
    )
    return ExitStatus.worse(worst, ExitStatus.unloadable)
  }

  private func explore(
    _ part: ExplorePlan.Part, _ resumed: ExplorationCheckpoint?, _ isResumed: inout Bool,
    _ stream: ExploreStream?
  ) throws -> ExitCode {
    let path = part.path
    let explorations: [Exploration]
    let old: [Exploration]?
    let aligned: ExploreAligning?
    let flow: (path: String, name: String)
    do {
      (explorations, flow) = try read(path)
      old = try comparing.against.map { try read(path, of: $0).explorations }
      aligned = try ExploreAligning(aligning, of: explorations.first?.flow, named: flow.name)
    } catch let code as ExitCode {
      return code
    } catch {
      guard let report = ExploreSession.report(of: error) else { throw error }
      Terminal.writeError("\(report)\n")
      return ExitStatus.unloadable
    }
    let count = explorations.indices.filter(part.has).count
    if writing.graph != nil, count > 1 {
      throw ValidationError("--graph is for one exploration, and \(path) has \(count)")
    }
    var worst = ExitCode.success
    var files = ExploreAsking.Files(
      found: CounterexampleFiles(of: flow.path, into: writing.write, limits: limits),
      suite: CounterexampleFiles(of: flow.path, into: writing.suite, limits: limits))
    for (number, exploration) in explorations.enumerated() where part.has(number) {
      var exploration = exploration
      let title = exploration.name.map { "\(flow.name): \($0)" } ?? path
      if let resumed, !isResumed, resumed.isOf(exploration) {
        exploration.resumes = resumed
        isResumed = true
      }
      let asking = ExploreAsking(
        writing: writing, comparing: comparing, old: old?[number], aligned: aligned,
        flow: flow.path, name: exploration.name)
      worst = ExitStatus.worse(
        worst, try explore(exploration, title, asking, writing: &files, stream))
      if worst == ExitStatus.interrupted { return worst }
    }
    return worst
  }

  /// Returns the explorations of a file, or the one of a flow, with the flow.
  ///
  /// - Parameter other: the flow to explore instead.
  private func read(
    _ path: String, of other: String? = nil
  ) throws -> (explorations: [Exploration], flow: (path: String, name: String)) {
    do {
      guard path.hasSuffix(ExplorationFile.suffix) else {
        return (
          [try Exploration(try loadFlow(other ?? path, limits), drawing: walking.random)],
          (path, path)
        )
      }
      let file = try ExplorationFile(URL(filePath: path), name: path, limits: limits)
      let explorations = try other.map {
        try file.explorations(of: FlowSources(file: URL(filePath: $0), displayName: $0))
      }
      return (
        try explorations ?? file.explorations(drawing: walking.random), (file.flow, file.flowName)
      )
    } catch let error as ExplorationError {
      Terminal.writeError("moonlatch: \(other ?? path) cannot be explored:\n\(error)\n")
    } catch {
      guard let report = ExploreSession.report(of: error) else { throw error }
      Terminal.writeError("\(report)\n")
    }
    throw ExitStatus.unloadable
  }

  /// Returns the message about a file that cannot be loaded; nil for any other error.
  private static func report(of error: any Error) -> String? {
    switch error {
    case let error as FlowError: error.report
    case let error as ScriptError: error.report
    case let error as LogError: "moonlatch: \(error)"
    default: nil
    }
  }

  private func explore(
    _ exploration: Exploration, _ title: String, _ asking: ExploreAsking,
    writing files: inout ExploreAsking.Files, _ stream: ExploreStream?
  ) throws -> ExitCode {
    var exploration = exploration
    let line = StatusLine()
    do {
      exploration.bounds = bounds.bounds
      exploration.jobs = running.jobs ?? exploration.jobs
      exploration.isStopped = { Interrupts.signal != 0 }
      if let walks = walking.bounds(bounds) {
        return try walk(exploration, walks, title, asking, writing: &files, stream, line)
      }
      exploration.verifies = running.verify
      if let path = running.checkpoint {
        exploration.checkpoint = CheckpointPlan(
          path, every: running.checkpointEvery?.duration ?? .seconds(30))
      }
      exploration.graph = writing.graphFormat
      exploration.progress = { progress in
        line.show { seconds in
          let growing = progress.growing.joined(separator: ", ")
          return
            "\(progress.states) states, \(progress.frontier) unexplored, depth \(progress.depth), "
            + (growing.isEmpty ? "" : "\(growing) growing, ")
            + "\(Int(Double(progress.states) / seconds))/s, \(Int(progress.bytesPerState)) bytes each"
        }
      }
      var states: ExploredStates?
      if asking.isNeeded { exploration.finished = { states = $0 } }
      let report = try exploration.run()
      line.clear()
      Terminal.writeOutput(report.text(title))
      try files.found.keep(report.findings)
      for event in report.events(flow: asking.flow, exploration: asking.name) {
        try stream?.write(event)
      }
      if let path = running.checkpoint, report.canGoOn {
        Terminal.writeError("moonlatch: continue with --resume \(path)\n")
      }
      var status = ExitStatus.worse(ExitStatus.of(report), try writeGraph(of: report))
      if report.ending == .stopped { return status }
      if let states {
        status = ExitStatus.worse(
          status, try asking.ask(states, bounds: bounds.bounds, writing: &files, stream))
      }
      guard let aligned = asking.aligned else { return status }
      return ExitStatus.worse(
        status, try aligned.align(exploration, flow: asking.flow, stream))
    } catch let error as ExplorationError {
      line.clear()
      if error.kind == .stopped { return ExitStatus.interrupted }
      Terminal.writeError("moonlatch: \(title) cannot be explored:\n\(error)\n")
      return error.kind == .difference ? ExitStatus.internalFault : ExitStatus.unloadable
    } catch let error as FlowError {
      // The flow does not start, for example because an invariant does not hold in its initial state.
      line.clear()
      Terminal.writeError("\(error.report)\n")
      return ExitStatus.unloadable
    } catch let error as ScriptError {
      line.clear()
      Terminal.writeError("\(error.report)\n")
      return ExitStatus.unloadable
    } catch let refused as OutputFile.Refused {
      line.clear()
      throw notWritten(refused)
    }
  }

  /// Runs random walks and reports the findings.
  private func walk(
    _ exploration: Exploration, _ walks: WalkBounds, _ title: String, _ asking: ExploreAsking,
    writing files: inout ExploreAsking.Files, _ stream: ExploreStream?, _ line: StatusLine
  ) throws -> ExitCode {
    var exploration = exploration
    exploration.progress = { progress in
      line.show { seconds in
        "\(walks.walks - progress.frontier) of \(walks.walks) walks, \(progress.states) steps, "
          + "\(Int(Double(progress.states) / seconds))/s"
      }
    }
    let report = try exploration.walk(walks)
    line.clear()
    Terminal.writeOutput(report.text(title))
    try files.found.keep(report.findings)
    for event in report.events(flow: asking.flow, exploration: asking.name) {
      try stream?.write(event)
    }
    return report.isStopped
      ? ExitStatus.interrupted : report.fails ? ExitStatus.failed : ExitStatus.bounded
  }

  /// Writes the graph if one was requested, or reports why there is none.
  private func writeGraph(of report: ExplorationReport) throws -> ExitCode {
    guard let path = writing.graph, let format = writing.graphFormat, let graph = report.graph
    else { return .success }
    switch graph {
    case .success(let found):
      let text = format == .html ? ExplorationPage.text(chart: found, report) : found
      try writeFile(text, to: path, sparing: paths, over: OwnFile.isGraph(format))
      Terminal.writeOutput("  written \(path)\n")
      return .success
    case .failure(let error):
      Terminal.writeError("moonlatch: \(path) could not be written: \(error)\n")
      return ExitStatus.scriptError
    }
  }
}
