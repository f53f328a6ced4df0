import CExplore
import FlowKernel
import FlowLanguage

/// What became of a property that an exploration file has.
public struct Verdict: Sendable {
  /// How it came out.
  public enum Outcome: String, Sendable {
    /// It holds of all that can be reached.
    case holds
    /// It does not.
    case fails
    /// Nothing has broken it, or borne it out, in what was gone through, which is not all.
    case open
  }

  /// How messages name it: `always consistent`.
  public let title: String
  /// Where it stands.
  public let place: SourcePlace
  /// How it came out.
  public let outcome: Outcome
  /// Why it fails, or is open; empty where it holds.
  public let reason: String
  /// The shortest way to what breaks it, or to a witness; nil where there is none.
  public let steps: [String]?
  /// In how many states, or steps, it is broken.
  public let count: Int
  let name: String
  let counterexample: Counterexample?
  /// True if it is about runs, not about states or steps.
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

  /// The same among what was found.
  var finding: ExplorationReport.Finding {
    .init(
      sentence: sentence, name: name, steps: steps ?? [], counterexample: counterexample)
  }

  var sentence: String { title + (reason.isEmpty ? "" : ": \(reason)") }

  /// A line of a report: `fails   sometimes "all commit": no reachable state`.
  public var line: String {
    let word = outcome.rawValue.padded(to: 8)
    return word + sentence
  }
}

extension String {
  /// The text with blanks behind it, so that it is that long.
  fileprivate func padded(to count: Int) -> String {
    self + String(repeating: " ", count: Swift.max(0, count - self.count))
  }
}
