/// What a run came to.
package struct RunSummary: Sendable, Hashable {
  /// Scenarios whose every expectation held.
  package var passed = 0
  /// Scenarios in which an expectation did not hold.
  package var failed = 0
  /// Scenarios that say themselves why they do not run.
  package var skipped = 0
  /// Files that could not be loaded, or whose flow could not.
  package var unloadable = 0
  /// Scenarios whose script raised an error of its own, ran out of time or took its process down.
  package var broken = 0

  /// Makes a summary of nothing.
  package init() {}

  /// Everything that did not end well.
  package var notWell: Int { failed + unloadable + broken }
  /// How much was reported.
  package var count: Int { passed + notWell + skipped }
  /// Whether nothing was selected.
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
