import CExplore
import FlowLanguage
import LuaRuntime

/// A search of the same exploration without symmetry reduction, which decides if the flow is symmetric.
///
/// It reaches every state of each class. If the flow is symmetric, it reaches only images of the states that the
/// reduced search has reached, and yields the same verdicts. It reaches all of these images if exchanges leave each
/// initial state unchanged.
struct UnreducedSearch {
  /// The number of states that the reduced search stands for.
  private let expected: UInt64
  private let areBeginningsSymmetric: Bool
  private let report: ExplorationReport
  let alike: [SymmetryValues]

  /// Runs the search.
  ///
  /// - Returns: nil if there are too many states, or if time or memory end before it has reached all.
  init?(_ exploration: Exploration, beside reduced: StateSearch) throws {
    var expected: UInt64 = 0
    var areBeginningsSymmetric = true
    for state in 0..<explore_states(reduced.search) {
      if state % 1_024 == 0, reduced.isStoppedAfterwards { return nil }
      let orbit = explore_orbit(reduced.search, state)
      var mover: UInt32 = 0
      if orbit > 1, explore_parent(reduced.search, state, &mover) == EXPLORE_NONE {
        areBeginningsSymmetric = false
      }
      expected += orbit
      if expected > exploration.mostUnreduced { return nil }
    }
    var whole = exploration
    whole.setup.said.alike = []
    whole.bounds.states = exploration.mostUnreduced
    whole.bounds.hashes = false
    let session = try whole.makeSearch()
    session.ending = reduced.ending
    let status = try session.run()
    guard status == EXPLORE_OK else { return nil }
    report = try ExplorationReport(session, status)
    (self.expected, self.areBeginningsSymmetric) = (expected, areBeginningsSymmetric)
    alike = exploration.setup.said.alike
  }

  /// Compares the report with that of the reduced search.
  ///
  /// - Throws: `ExplorationError` if the reports differ.
  func compare(with other: ExplorationReport) throws(ExplorationError) {
    guard let difference = difference(from: other), let first = alike.first else { return }
    let names = alike.map(\.name).joined(separator: " and ")
    throw ExplorationError(
      .setup,
      "\(first.place): alike \(names): the values are not symmetric: \(difference)\n"
        + "  remove alike, or fix what distinguishes them")
  }

  private func difference(from other: ExplorationReport) -> String? {
    let (found, claimed) = (outcomes(of: report), outcomes(of: other))
    for title in Set(found.keys).union(claimed.keys).sorted() {
      let (one, two) = (found[title] ?? "holds", claimed[title] ?? "holds")
      if one != two { return "\(title) \(one) without alike, and \(two) with it" }
    }
    let states = UInt64(report.states)
    if areBeginningsSymmetric ? states != expected : states > expected {
      return
        "without alike \(Value.grouped(report.states)) states are reached, but those that are reached "
        + "with it stand for \(Value.grouped(Int(expected)))"
    }
    // An image of an initial state may be reached later than the initial state itself.
    if areBeginningsSymmetric, report.depth != other.depth {
      return "without alike the depth is \(report.depth), and with it \(other.depth)"
    }
    return nil
  }

  /// The outcome of each invariant, property, action and state of a machine.
  private func outcomes(of report: ExplorationReport) -> [String: String] {
    var outcomes: [String: String] = [:]
    for finding in report.findings { outcomes[finding.name] = "fails" }
    for verdict in report.verdicts {
      outcomes[verdict.name] = nil
      outcomes[verdict.title] = "\(verdict.outcome)"
    }
    for invariant in report.invariants {
      outcomes[invariant.name] = nil
      outcomes[Names.dotted("invariant", invariant.name)] = invariant.holds ? "holds" : "fails"
    }
    // The number of refusals depends on the number of states.
    for line in report.dead { outcomes["\(line.prefix { $0 != "(" })"] = "is true" }
    return outcomes
  }
}
