import FlowExplore
import FlowKernel
import FlowLanguage
import LuaRuntime
import Platform
import Scenarios

/// An exploration as the argument of a test.
public struct ExplorationTest: Sendable, CustomStringConvertible {
  private enum Content: Sendable {
    /// The exploration of that number of a file.
    case file(path: String, name: String, Int)
    /// A flow as it stands.
    case flow(path: String, name: String)
    case problem(String)
  }

  private let content: Content
  private var options = HostOptions()
  private var bounds = ExplorationBounds()
  /// `turnstile.explore.lua: coins of two kinds`: what the test is called in reports.
  public let description: String

  init(name: String, problem: String) {
    content = .problem(problem)
    description = name
  }

  private init(
    _ content: Content, _ description: String, _ options: HostOptions, _ bounds: ExplorationBounds
  ) {
    (self.content, self.description) = (content, description)
    (self.options, self.bounds) = (options, bounds)
  }

  /// The explorations of a file, or of a flow.
  static func all(
    of path: String, named name: String, _ options: HostOptions, _ bounds: ExplorationBounds
  ) -> [ExplorationTest] {
    guard path.hasSuffix(ExplorationFile.suffix) else {
      return [ExplorationTest(.flow(path: path, name: name), name, options, bounds)]
    }
    do {
      let file = try ExplorationFile(URL(filePath: path), name: name, limits: options.limits)
      return file.names.enumerated().map { index, title in
        ExplorationTest(
          .file(path: path, name: name, index), "\(name): \(title)", options, bounds)
      }
    } catch {
      return [ExplorationTest(name: name, problem: sentence(error))]
    }
  }

  /// Goes through every state, with the rules and reducers that the host adds.
  ///
  /// - Throws: `ExplorationFailure` with what does not hold and the shortest way there, or why not all was seen.
  public func run() throws(ExplorationFailure) {
    let report: ExplorationReport
    do {
      report = try exploration().run()
    } catch let error as ExplorationFailure {
      throw error
    } catch {
      throw ExplorationFailure(description: "\(description): \(ExplorationTest.sentence(error))")
    }
    guard !report.fails, report.ending == .whole, report.isDecided else {
      throw ExplorationFailure(description: report.text(description))
    }
  }

  private func exploration() throws -> Exploration {
    var exploration: Exploration
    switch content {
    case .problem(let problem): throw ExplorationFailure(description: problem)
    case .flow(let path, let name):
      let flow = try LoadedFlow(
        FlowSources(file: URL(filePath: path), displayName: name), limits: options.limits,
        log: ScriptLog { _ in })
      exploration = try Exploration(flow, for: options)
    case .file(let path, let name, let index):
      let file = try ExplorationFile(URL(filePath: path), name: name, limits: options.limits)
      let all = try file.explorations(for: options)
      guard all.indices.contains(index) else {
        throw ExplorationFailure(description: "\(description): the file has changed since")
      }
      exploration = all[index]
    }
    exploration.bounds = bounds
    return exploration
  }

  private static func sentence(_ error: any Error) -> String {
    switch error {
    case let error as FlowError: error.report
    case let error as ScriptError: error.report
    default: "\(error)"
    }
  }
}

/// Why an exploration did not end well, as the command reports it.
public struct ExplorationFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// The report: what does not hold, and the steps that lead there.
  public let description: String
}
