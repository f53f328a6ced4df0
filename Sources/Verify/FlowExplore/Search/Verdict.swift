import CExplore
import FlowKernel
import FlowLanguage

/// A verdict on a property of an exploration file.
public struct Verdict: Sendable {
  /// The result of checking a property.
  public enum Outcome: String, Sendable {
    /// The property holds in all reachable states and runs.
    case holds
    /// The property is violated.
    case fails
    /// The explored part, which is not all, neither violates nor proves the property.
    case open
  }

  /// The property's title in messages: `always consistent`.
  public let title: String
  /// The place in the exploration file at which the property is declared.
  public let place: SourcePlace
  /// The result.
  public let outcome: Outcome
  /// The reason why the property fails or is open; empty if it holds.
  public let reason: String
  /// The shortest path to a violation or a witness; nil if there is none.
  public let steps: [String]?
  /// The number of states or steps that violate the property, or that are witnesses.
  public let count: Int
  let name: String
  let counterexample: Counterexample?
  /// True if the property is about runs, not about states or steps.
  package let isAboutRuns: Bool

  init(
    _ property: Property, _ outcome: Outcome, _ reason: String, steps: [String]?, count: Int,
    _ counterexample: Counterexample?
  ) {
    isAboutRuns = property.isLive
    (title, place, name) = (property.title, property.place, property.name)
    (self.outcome, self.reason, self.steps, self.count) = (outcome, reason, steps, count)
    self.counterexample = counterexample
  }

  /// The verdict as a finding.
  var finding: ExplorationReport.Finding {
    .init(
      sentence: sentence, name: name, steps: steps ?? [], counterexample: counterexample)
  }

  var sentence: String { title + (reason.isEmpty ? "" : ": \(reason)") }

  /// The line of a report: `fails   sometimes "all commit": no reachable state`.
  public var line: String {
    let word = outcome.rawValue.padded(to: 8)
    return word + sentence
  }
}

extension String {
  /// Returns the text, padded with trailing blanks to the given length.
  fileprivate func padded(to count: Int) -> String {
    self + String(repeating: " ", count: Swift.max(0, count - self.count))
  }
}
