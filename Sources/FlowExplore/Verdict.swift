import CExplore
import LuaRuntime
import Moonlatch

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

  /// A line of a report: `fails   sometimes "all commit": no reachable state`.
  public var line: String {
    let word = outcome.rawValue.padded(to: 8)
    return word + title + (reason.isEmpty ? "" : ": \(reason)")
  }
}

extension String {
  /// The text with blanks behind it, so that it is that long.
  fileprivate func padded(to count: Int) -> String {
    self + String(repeating: " ", count: Swift.max(0, count - self.count))
  }
}

extension Session {
  /// What became of the properties, in the order of the file.
  func verdicts(isWhole: Bool) -> [Verdict] {
    let found = (0..<explore_finding_count(search)).map { explore_finding_at(search, $0) }
    return setup.said.properties.enumerated().map { number, property in
      let own = found.filter { finding in
        guard finding.trie != EXPLORE_NONE else { return false }
        guard case .property(number) = asked[Int(finding.trie)] else { return false }
        return finding.found == (property.isFoundByYes ? EXPLORE_YES : EXPLORE_NO)
      }
      return verdict(on: property, own.first, isWhole: isWhole)
    }
  }

  private func verdict(
    on property: Property, _ finding: explore_finding?, isWhole: Bool
  ) -> Verdict {
    func verdict(_ outcome: Verdict.Outcome, _ reason: String) -> Verdict {
      Verdict(
        title: property.title, place: property.place, outcome: outcome, reason: reason,
        steps: finding.map(steps), count: Int(finding?.count ?? 0))
    }
    switch (property.kind, finding) {
    case (.sometimes, nil):
      return isWhole ? verdict(.fails, "no reachable state") : verdict(.open, "no state so far")
    case (.sometimes, _?): return verdict(.holds, "")
    case (_, nil): return isWhole ? verdict(.holds, "") : verdict(.open, "not broken so far")
    case (_, let finding?): return verdict(.fails, reasons[Int(finding.reason)].text)
    }
  }
}

extension Property {
  /// Whether it is a state of which its function says yes that decides it.
  fileprivate var isFoundByYes: Bool { kind == .never || kind == .sometimes }
}
