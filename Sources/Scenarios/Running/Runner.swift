import LuaRuntime
import Moonlatch

/// Runs scenario files one after the other and reports as it goes.
public struct Runner: Sendable {
  /// What the runs came to.
  public struct Summary: Sendable {
    /// Scenarios whose every expectation held.
    public var passed = 0
    /// Scenarios in which an expectation did not hold.
    public var failed = 0
    /// Scenarios that say themselves why they do not run.
    public var skipped = 0
    /// Files and flows that could not be loaded.
    public var unloadable = 0
    /// Scenarios whose script raised an error of its own.
    public var broken = 0

    /// Everything that did not end well.
    public var notWell: Int { failed + unloadable + broken }
    /// Whether nothing was selected.
    public var isEmpty: Bool { passed + notWell + skipped == 0 }
  }

  /// Something that happened, in the order of files and scenarios.
  public enum Event: Sendable {
    /// A file could not be loaded.
    case unloadable(file: String, message: String)
    /// A scenario ended; `printed` is what scripts printed meanwhile.
    case ended(
      ScenarioFile.Entry, file: ScenarioFile, result: ScenarioResult, printed: [String])
  }

  /// What flows and scenarios may use.
  public var limits: Limits

  /// Makes a runner.
  public init(limits: Limits = Limits()) { self.limits = limits }

  /// Runs what was selected.
  public func run(_ selection: Selection, report: (Event) -> Void) -> Summary {
    var summary = Summary()
    for item in selection.items {
      let file: ScenarioFile
      do {
        file = try ScenarioFile(item.url, name: item.name, limits: limits)
      } catch {
        summary.unloadable += 1
        report(.unloadable(file: item.name, message: String(describing: error)))
        continue
      }
      for entry in file.entries where isSelected(entry, of: file, item) {
        let (result, printed) = play(entry, of: file)
        if case .unloadable(let message) = result {
          // What is wrong with the flow is told once, not once a scenario.
          summary.unloadable += 1
          report(.unloadable(file: item.name, message: message))
          break
        }
        count(result, in: &summary)
        report(.ended(entry, file: file, result: result, printed: printed))
      }
    }
    return summary
  }

  private func play(_ entry: ScenarioFile.Entry, of file: ScenarioFile)
    -> (ScenarioResult, [String])
  {
    let printed = PrintedLines()
    let result = ScenarioRun.run(entry, of: file, limits: limits) { printed.add($0) }
    return (result, printed.lines)
  }

  /// A line selects the scenario that stands there: the last one that begins at or before it.
  private func isSelected(
    _ entry: ScenarioFile.Entry, of file: ScenarioFile, _ item: Selection.Item
  ) -> Bool {
    item.lines.isEmpty
      || item.lines.contains { line in
        file.entries.last { $0.line <= line }?.line == entry.line
      }
  }

  private func count(_ result: ScenarioResult, in summary: inout Summary) {
    switch result {
    case .passed: summary.passed += 1
    case .skipped: summary.skipped += 1
    case .failed: summary.failed += 1
    case .unloadable: summary.unloadable += 1
    case .broken: summary.broken += 1
    }
  }
}
