import LuaRuntime
import Moonlatch

/// Runs scenario files one after the other and reports as it goes.
///
/// One file is open at a time.
public struct Runner: Sendable {
  /// What the runs came to.
  public struct Summary: Sendable, Equatable {
    /// Scenarios whose every expectation held.
    public var passed = 0
    /// Scenarios in which an expectation did not hold.
    public var failed = 0
    /// Scenarios that say themselves why they do not run.
    public var skipped = 0
    /// Files that could not be loaded, or whose flow could not.
    public var unloadable = 0
    /// Scenarios whose script raised an error of its own.
    public var broken = 0

    /// Makes a summary of nothing.
    public init() {}

    /// Everything that did not end well.
    public var notWell: Int { failed + unloadable + broken }
    /// Whether nothing was selected.
    public var isEmpty: Bool { passed + notWell + skipped == 0 }
  }

  /// Something that happened, in the order of files and scenarios.
  public enum Event: Sendable {
    /// A path selected nothing; the sentence says which and why.
    case nothing(String)
    /// A file could not be loaded.
    case unloadable(file: String, message: String)
    /// A scenario ended; `printed` is what scripts printed meanwhile, cut short when it is a lot.
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
    for note in selection.notes { report(.nothing(note)) }
    for item in selection.items {
      do {
        let file = try load(item)
        run(file, entries: select(item, from: file, report), &summary, report)
      } catch {
        summary.unloadable += 1
        report(.unloadable(file: item.name, message: error.description))
      }
    }
    return summary
  }

  /// Runs one scenario.
  package func run(
    _ entry: ScenarioFile.Entry, of file: ScenarioFile, report: (Event) -> Void
  ) -> Summary {
    var summary = Summary()
    run(file, entries: [entry], &summary, report)
    return summary
  }

  private struct Unloadable: Error {
    let description: String
  }

  private func load(_ item: Selection.Item) throws(Unloadable) -> ScenarioFile {
    if let problem = item.problem { throw Unloadable(description: problem) }
    do {
      return try ScenarioFile(item.url, name: item.name, limits: limits)
    } catch let error as ScriptError {
      throw Unloadable(description: error.report)
    } catch let error as FlowError {
      throw Unloadable(description: error.report)
    } catch {
      throw Unloadable(description: String(describing: error))
    }
  }

  /// The scenarios of the file that were asked for, in its order.
  private func select(
    _ item: Selection.Item, from file: ScenarioFile, _ report: (Event) -> Void
  ) -> [ScenarioFile.Entry] {
    if file.entries.isEmpty { report(.nothing("\(file.name) declares no scenario")) }
    if item.lines.isEmpty || file.entries.isEmpty { return file.entries }
    var selected: Set<Int> = []
    for line in item.lines.sorted() {
      let found = file.entries(atLine: line)
      selected.formUnion(found.map(\.index))
      if found.isEmpty {
        let first = file.entries.map(\.line).min() ?? 0
        report(
          .nothing(
            "no scenario stands at \(file.name):\(line) (the first begins at line \(first), "
              + "the file has \(file.lines.count))"))
      }
    }
    return file.entries.filter { selected.contains($0.index) }
  }

  private func run(
    _ file: ScenarioFile, entries: [ScenarioFile.Entry], _ summary: inout Summary,
    _ report: (Event) -> Void
  ) {
    for entry in entries {
      let printed = PrintedLines()
      let result = ScenarioRun.run(entry, of: file, limits: limits) { printed.add($0) }
      if case .unloadable(let message) = result {
        // What is wrong with the flow is told once, not once a scenario.
        summary.unloadable += 1
        report(.unloadable(file: file.name, message: message))
        return
      }
      count(result, in: &summary)
      report(.ended(entry, file: file, result: result, printed: printed.lines))
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
