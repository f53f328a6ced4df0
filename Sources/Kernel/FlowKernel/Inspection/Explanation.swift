import FlowLanguage

/// What steps 1 to 5 of a dispatch would decide, each of them, also behind the first refusal.
package struct Explanation: Sendable {
  /// What one of those who are asked says.
  package enum Verdict: Sendable, Equatable {
    case agrees
    /// It refuses; the sentence says why, if it said why.
    case refuses(String?)
    /// It fails; the sentence says why.
    case fails(String)
    /// It was not asked: it is asked about a payload, and this one has faults.
    case notAsked
  }

  /// One decision.
  package struct Decision: Sendable {
    /// Who decides; nil for the payload's type.
    package let refuser: Refusal.Refuser?
    package let verdict: Verdict
    /// What it would do if the action passes, or how it came to its verdict.
    package let note: String?
    /// What each region of a machine says, where it has several: `legal agrees (asked -> agreed)`.
    package var regions: [String] = []
    /// True if it agrees since it postpones the action, so that nobody else is asked.
    package var postpones = false
    /// The rule by which regions or records came to the verdict; nil where all of them say the same.
    package var rule: String?
    /// Where it is declared.
    package let place: SourcePlace?
    /// The last line of its function, if it is one.
    package let lastLine: Int?

    /// Who decides: `gate push`.
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

  /// The rule of several machines that disagree.
  package var ruleOfMachines: String? {
    let machines = decisions.filter { $0.step == 3 && $0.verdict != .notAsked }
    guard machines.contains(where: { $0.verdict == .agrees }),
      machines.contains(where: { $0.verdict != .agrees })
    else { return nil }
    return "each machine that names it has to take it"
  }

  /// Whether all agree.
  package var passes: Bool { decisions.allSatisfy { $0.verdict == .agrees } }
}
