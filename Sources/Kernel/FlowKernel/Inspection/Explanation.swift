import FlowLanguage

/// The decisions of steps 1 to 5 of a dispatch, including those after the first refusal.
package struct Explanation: Sendable {
  /// The verdict of one decision.
  package enum Verdict: Sendable, Equatable {
    case agrees
    /// It refuses, with the reason if it gave one.
    case refuses(String?)
    /// It fails, with the error.
    case fails(String)
    /// It was not asked: it decides on a payload, and this one is invalid.
    case notAsked
  }

  /// A decision.
  package struct Decision: Sendable {
    /// The refuser; nil for the payload's type.
    package let refuser: Refusal.Refuser?
    package let verdict: Verdict
    /// The effect on it if the action passes, or the reason of its verdict.
    package let note: String?
    /// The verdict of each region of a machine with several regions, such as `legal agrees (asked -> agreed)`.
    package var regions: [String] = []
    /// True if it agrees because it postpones the action, so that nothing else is asked.
    package var postpones = false
    /// The rule by which regions or records came to the verdict; nil if all of them agree.
    package var rule: String?
    /// The place of its declaration.
    package let place: SourcePlace?
    /// The last line of its function, if it is one.
    package let lastLine: Int?

    /// The name of the refuser, such as `gate push`.
    package var by: String { refuser?.description ?? "payload" }

    /// The step of a dispatch, from 1 to 5.
    package var step: Int {
      switch refuser {
      case nil, .internal?: 1
      case .scope?: 2
      case .machine?: 3
      case .gatekeeper?: 4
      case .gate?: 5
      }
    }
  }

  package let decisions: [Decision]

  /// The rule by which several machines that disagree come to a verdict; nil if they agree.
  package var ruleOfMachines: String? {
    let machines = decisions.filter { $0.step == 3 && $0.verdict != .notAsked }
    guard machines.contains(where: { $0.verdict == .agrees }),
      machines.contains(where: { $0.verdict != .agrees })
    else { return nil }
    return "each machine that lists it must take it"
  }

  /// True if all decisions agree.
  package var passes: Bool { decisions.allSatisfy { $0.verdict == .agrees } }
}
