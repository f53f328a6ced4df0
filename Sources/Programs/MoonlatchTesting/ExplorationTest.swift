import FlowExplore
import FlowKernel
import FlowLanguage
import LuaRuntime
import Platform
import Scenarios

/// An exploration as the argument of a test.
public struct ExplorationTest: Sendable, CustomStringConvertible {
  private enum Content: Sendable {
    /// The exploration with this number in a file.
    case file(path: String, name: String, Int)
    /// A flow, explored without a file of explorations.
    case flow(path: String, name: String)
    case problem(String)
  }

  private let content: Content
  private var options = HostOptions()
  private var bounds = ExplorationBounds()
  /// The name of the test in reports: `turnstile.explore.lua: coins of two kinds`.
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

  /// Returns the explorations of a file, or the one of a flow.
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

  /// Explores every state, with the rules and reducers that the host adds.
  ///
  /// - Throws: `ExplorationFailure` with the violated property and the shortest path to it, or the reason why not all
  ///   states were visited.
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

/// The error of an exploration that failed or is incomplete, with the report of the command.
public struct ExplorationFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// The report: the violated properties, and the steps that lead to each.
  public let description: String
}
