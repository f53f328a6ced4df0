import Moonlatch
import Scenarios

/// A scenario as the argument of a test.
public struct ScenarioTest: Sendable, CustomStringConvertible {
  private enum Content: Sendable {
    case scenario(ScenarioFile.Entry, of: ScenarioFile, Limits)
    case problem(String)
  }

  private let content: Content
  /// `turnstile.scenario.lua:5 a coin opens it`: what the test is called in reports.
  public let description: String

  init(file: ScenarioFile, entry: ScenarioFile.Entry, limits: Limits) {
    content = .scenario(entry, of: file, limits)
    description = "\(file.name):\(entry.line) \(entry.name)"
  }

  init(path: String, problem: String) {
    content = .problem(problem)
    description = path
  }

  /// The scenario's tags.
  public var tags: [String] {
    if case .scenario(let entry, _, _) = content { return entry.tags }
    return []
  }

  /// Why the scenario says that it is skipped, or nil.
  public var skip: String? {
    if case .scenario(let entry, _, _) = content { return entry.skip }
    return nil
  }

  /// Plays the scenario in a fresh flow; one that is skipped is not played.
  ///
  /// - Throws: `ScenarioFailure` with what was expected, what was found, and where.
  public func run() throws(ScenarioFailure) {
    switch content {
    case .problem(let problem): throw ScenarioFailure(description: problem)
    case .scenario(let entry, let file, let limits):
      var report = ""
      let summary = Runner(limits: limits).run(entry, of: file) {
        report += TextReport().text(for: $0) + "\n"
      }
      guard summary.notWell == 0 else { throw ScenarioFailure(description: report) }
    }
  }
}

/// Why a scenario did not hold, as the command reports it.
public struct ScenarioFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// The report: what was expected, what was found, where, and the last dispatches.
  public let description: String
}
