import ArgumentParser
import FlowExplore
import Moonlatch
import Platform

/// One run of `moonlatch explore`, from its arguments to its exit code.
struct ExploreSession {
  let paths: [String]
  let bounds: ExploreBoundsOptions
  let running: ExploreRunningOptions
  let writing: ExploreWritingOptions

  func run() throws -> ExitCode {
    var worst = ExitCode.success
    for path in paths { worst = ExitStatus.worse(worst, try explore(path)) }
    return worst
  }

  private func explore(_ path: String) throws -> ExitCode {
    let explorations: [Exploration]
    let flow: (path: String, name: String)
    do {
      (explorations, flow) = try read(path)
    } catch let code as ExitCode {
      return code
    }
    var worst = ExitCode.success
    var files = CounterexampleFiles(of: flow.path, into: writing.write)
    for exploration in explorations {
      let title = exploration.name.map { "\(flow.name): \($0)" } ?? path
      worst = ExitStatus.worse(worst, try explore(exploration, title, writing: &files))
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
    _ exploration: Exploration, _ title: String, writing files: inout CounterexampleFiles
  ) throws -> ExitCode {
    var exploration = exploration
    Interrupts.watch()
    let line = StatusLine()
    do {
      exploration.bounds = bounds.bounds
      exploration.jobs = running.jobs ?? exploration.jobs
      exploration.verifies = running.verify
      exploration.isStopped = { Interrupts.signal != 0 }
      exploration.progress = { progress in
        line.show { seconds in
          "\(progress.states) states, \(progress.frontier) to go on from, depth \(progress.depth), "
            + "\(Int(Double(progress.states) / seconds))/s, \(Int(progress.bytesPerState)) bytes each"
        }
      }
      let report = try exploration.run()
      line.clear()
      Terminal.writeOutput(report.text(title))
      try files.keep(report)
      return ExitStatus.of(report)
    } catch let error as ExplorationError {
      line.clear()
      Terminal.writeError("moonlatch: \(title) cannot be explored:\n\(error)\n")
      return error.kind == .difference ? ExitStatus.internalFault : ExitStatus.unloadable
    }
  }
}
