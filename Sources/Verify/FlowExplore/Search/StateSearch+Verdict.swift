import CExplore
import FlowKernel
import FlowLanguage

extension StateSearch {
  /// Returns the property that a finding is about; nil if it is about something else.
  func property(_ found: explore_finding) -> Property? {
    guard found.trie != EXPLORE_NONE, case .property(let number) = asked[Int(found.trie)] else {
      return nil
    }
    return setup.said.properties[number]
  }

  /// Returns the verdicts on the properties, in the order of the file.
  func verdicts(_ ending: ExplorationReport.Ending) throws(ExplorationError) -> [Verdict] {
    let found = (0..<explore_finding_count(search)).map { explore_finding_at(search, $0) }
    var verdicts: [Verdict] = []
    let isWhole = ending == .whole
    for (number, property) in setup.said.properties.enumerated() {
      if property.isLive {
        verdicts.append(try verdict(onLive: property, number, ending))
        continue
      }
      let first = found.first { finding in
        guard finding.trie != EXPLORE_NONE, case .property(number) = asked[Int(finding.trie)] else {
          return false
        }
        return finding.found == (property.isFoundByYes ? EXPLORE_YES : EXPLORE_NO)
      }
      verdicts.append(verdict(on: property, first, isWhole: isWhole))
    }
    return verdicts
  }

  private func verdict(
    on property: Property, _ finding: explore_finding?, isWhole: Bool
  ) -> Verdict {
    func verdict(_ outcome: Verdict.Outcome, _ reason: String) -> Verdict {
      Verdict(
        property, outcome, reason, steps: finding.map(steps), count: Int(finding?.count ?? 0),
        finding.flatMap { Counterexample($0, in: self) })
    }
    switch (property.kind, finding) {
    case (.sometimes, nil):
      let isLeft = explore_count(search).outside > 0
      return isWhole && !isLeft
        ? verdict(.fails, "no reachable state")
        : verdict(.open, isLeft ? "no explored state" : "no state so far")
    case (.sometimes, _?): return verdict(.holds, "")
    case (_, nil): return isWhole ? verdict(.holds, "") : verdict(.open, "not violated so far")
    case (_, let finding?): return verdict(.fails, reasons[Int(finding.reason)].text)
    }
  }

  private func verdict(
    onLive property: Property, _ number: Int, _ ending: ExplorationReport.Ending
  ) throws(ExplorationError) -> Verdict {
    // A stopped search must return soon.
    let isAsked = ending != .stopped
    func verdict(_ outcome: Verdict.Outcome, _ reason: String) -> Verdict {
      Verdict(property, outcome, reason, steps: nil, count: 0, nil)
    }
    guard isAsked, !isStoppedAfterwards else { return verdict(.open, "not checked") }
    let lasso: Lasso
    switch try promise(of: property, number) {
    case .isKept:
      return ending == .whole ? verdict(.holds, "") : verdict(.open, "not violated so far")
    case .isLeft:
      return verdict(.open, "a run leaves the explored states before it happens")
    case .isUnknown: return verdict(.open, "not checked")
    case .isBroken(let found): lasso = found
    }
    var steps = (path(to: lasso.begin) + lasso.steps).map { title($0.trie, in: $0.state) }
    if let part = given(before: lasso.begin), part != [:] { steps.insert("given \(part)", at: 0) }
    return Verdict(
      property, .fails, lasso.sentence, steps: steps, count: 1,
      Counterexample(lasso, breaking: property, in: self))
  }
}
