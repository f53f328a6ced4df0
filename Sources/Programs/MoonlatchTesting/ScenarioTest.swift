import Scenarios

/// A scenario as the argument of a test.
public struct ScenarioTest: Sendable, CustomStringConvertible {
  private enum Content: Sendable {
    case scenario(ScenarioFile.Entry, of: Selection.Item, PlaySettings)
    case problem(String)
  }

  private let content: Content
  /// The name of the test in reports: `turnstile.scenario.lua:5 a coin opens it`.
  public let description: String

  init(_ entry: ScenarioFile.Entry, of item: Selection.Item, _ settings: PlaySettings) {
    content = .scenario(entry, of: item, settings)
    description = "\(item.name):\(entry.line) \(entry.name)"
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

  /// The reason for which the scenario is skipped, such as its own, or nil.
  ///
  /// One with the tag `live` is skipped, because tests make no real calls.
  public var skip: String? {
    if case .scenario(let entry, _, let settings) = content { return entry.reasonToSkip(settings) }
    return nil
  }

  /// Plays the scenario in a fresh flow, unless it is skipped.
  ///
  /// - Throws: `ScenarioFailure` with the expected and the actual result, and the source position.
  public func run() throws(ScenarioFailure) {
    switch content {
    case .problem(let problem): throw ScenarioFailure(description: problem)
    case .scenario(let entry, let item, let settings):
      let event = play(entry, of: item, Runner(settings: settings))
      guard event.isWell else {
        throw ScenarioFailure(description: TextReport().text(for: event) ?? "\(event)")
      }
    }
  }

  private func play(
    _ entry: ScenarioFile.Entry, of item: Selection.Item, _ runner: Runner
  ) -> RunEvent {
    do {
      return runner.play(entry, of: try runner.open(item))
    } catch {
      return .unloadable(file: item.name, message: error.description)
    }
  }
}

/// The error of a scenario that failed, with the report of the command.
public struct ScenarioFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// The report: the expected and the actual result, the source position, and the last dispatches.
  public let description: String
}
