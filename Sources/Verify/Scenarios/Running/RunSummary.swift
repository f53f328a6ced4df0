/// The counts of a run, by how scenarios and files ended.
package struct RunSummary: Sendable, Hashable {
  /// Scenarios whose every expectation held.
  package var passed = 0
  /// Scenarios in which an expectation did not hold.
  package var failed = 0
  /// Scenarios that say themselves why they do not run.
  package var skipped = 0
  /// Files that could not be loaded, or whose flow could not.
  package var unloadable = 0
  /// Scenarios whose script raised an error of its own, ran out of time or crashed its process.
  package var broken = 0

  /// Makes an empty summary.
  package init() {}

  /// The number of scenarios and files that did not end well.
  package var notWell: Int { failed + unloadable + broken }
  /// The number of scenarios and files that were reported.
  package var count: Int { passed + notWell + skipped }
  /// True if nothing was reported.
  package var isEmpty: Bool { count == 0 }

  package mutating func count(_ event: RunEvent) {
    switch event {
    case .unloadable: unloadable += 1
    case .ended(let record):
      switch record.status {
      case .passed: passed += 1
      case .failed: failed += 1
      case .skipped: skipped += 1
      case .broken, .crashed, .timedOut: broken += 1
      }
    default: break
    }
  }
}
