import CExplore
import FlowKernel

/// The findings of a search, in the form of its report.
extension StateSearch {
  /// The maximum number of findings that are listed.
  private static let mostFindings = 100

  /// The violations of the flow itself, and the number of further faulty places.
  ///
  /// If an action fails repeatedly at the same place, only the shortest path is listed.
  var findings: (listed: [ExplorationReport.Finding], more: Int) {
    var firsts: [(found: explore_finding, count: UInt64)] = []
    var known: [FaultPlace: Int] = [:]
    for number in 0..<explore_finding_count(search) {
      let found = explore_finding_at(search, number)
      if found.found == EXPLORE_FAULT, let first = known[place(of: found)] {
        firsts[first].count += found.count
        continue
      }
      if found.found == EXPLORE_FAULT { known[place(of: found)] = firsts.count }
      firsts.append((found, found.count))
    }
    // The verdicts report properties.
    firsts.removeAll { isOfProperty($0.found) }
    var listed: [ExplorationReport.Finding] = []
    for first in firsts.prefix(StateSearch.mostFindings) where !isStoppedAfterwards {
      if let finding = finding(first.found, count: first.count) { listed.append(finding) }
    }
    return (listed, max(0, firsts.count - StateSearch.mostFindings))
  }

  private func isOfProperty(_ found: explore_finding) -> Bool {
    switch found.found {
    case EXPLORE_FAULT, EXPLORE_DEADLOCK: return false
    case EXPLORE_NO:
      guard found.trie != EXPLORE_NONE, case .invariant = asked[Int(found.trie)] else {
        return true
      }
      return false
    default: return true
    }
  }

  private func place(of found: explore_finding) -> FaultPlace {
    FaultPlace(mover: mover(found.trie), reasons[Int(found.reason)].text)
  }

  private func finding(
    _ found: explore_finding, count: UInt64
  ) -> ExplorationReport.Finding? {
    let about = found.trie == EXPLORE_NONE ? nil : asked[Int(found.trie)]
    let sentence: String
    let name: String
    var others = 0
    switch (found.found, about) {
    case (EXPLORE_NO, .invariant(let index)?):
      name = flow.flow.invariants[index].function.name
      sentence = reasons[Int(found.reason)].text
    case (EXPLORE_FAULT, _):
      name = mover(found.trie)
      sentence = reasons[Int(found.reason)].text
      others = Int(count) - 1
    case (EXPLORE_DEADLOCK, _):
      name = "deadlock"
      sentence =
        "deadlock: no step is possible in \(found.count) state\(found.count == 1 ? "" : "s")"
    default: return nil
    }
    return .init(
      sentence: sentence, name: name, steps: steps(to: found),
      counterexample: Counterexample(found, in: self), others: others)
  }

  var brokenInvariants: [String] {
    (0..<explore_finding_count(search)).compactMap { number in
      let found = explore_finding_at(search, number)
      guard found.found == EXPLORE_NO, found.trie != EXPLORE_NONE,
        case .invariant(let index) = asked[Int(found.trie)]
      else { return nil }
      return flow.flow.invariants[index].function.name
    }
  }

  /// The violations of the flow itself, in order.
  var found: [FoundFault] {
    var faults: [String: FoundFault] = [:]
    for number in 0..<explore_finding_count(search) {
      let found = explore_finding_at(search, number)
      guard let (what, isCounted) = fault(found) else { continue }
      let leads = found.mover != EXPLORE_NONE && found.state != EXPLORE_NONE
      let moves = path(to: found.state).count + (leads ? 1 : 0)
      let known = faults[what]
      faults[what] = FoundFault(
        what: what, moves: min(known?.moves ?? moves, moves),
        count: (known?.count ?? 0) + (isCounted ? Int(found.count) : 0))
    }
    return faults.values.sorted()
  }

  private func fault(_ found: explore_finding) -> (what: String, isCounted: Bool)? {
    switch found.found {
    case EXPLORE_FAULT: return (reasons[Int(found.reason)].text, true)
    case EXPLORE_DEADLOCK: return (FoundFault.deadlock, true)
    case EXPLORE_NO:
      guard found.trie != EXPLORE_NONE, case .invariant(let index) = asked[Int(found.trie)] else {
        return nil
      }
      return (FoundFault.invariant(flow.flow.invariants[index].function.name), false)
    default: return nil
    }
  }

  private func mover(_ trie: UInt32) -> String {
    switch asked[Int(trie)] {
    case .move(.action(let name, _)): name
    case .move(.time): "time"
    default: "effect"
    }
  }

  // MARK: Paths

  /// Returns the steps that lead to a finding, one string each.
  func steps(to found: explore_finding) -> [String] {
    var lines = path(to: found.state).map { title($0.trie, in: $0.state) }
    if let part = given(before: found), part != [:] { lines.insert("given \(part)", at: 0) }
    if found.mover != EXPLORE_NONE, found.state != EXPLORE_NONE {
      lines.append(title(found.mover, in: found.state))
    }
    return lines
  }

  func path(to state: UInt32) -> [(state: UInt32, trie: UInt32, next: UInt32)] {
    var steps: [(state: UInt32, trie: UInt32, next: UInt32)] = []
    var at = state
    while at != EXPLORE_NONE {
      var mover: UInt32 = EXPLORE_NONE
      let parent = explore_parent(search, at, &mover)
      if parent == EXPLORE_NONE { break }
      steps.append((parent, mover, at))
      at = parent
    }
    return steps.reversed()
  }

  /// Returns the outcomes of chance that a move has between two states; empty if there were no draws.
  func outcomes(of trie: UInt32, from state: UInt32, to next: UInt32) -> [Int] {
    edges(from: state).first { $0.mover == trie && $0.state == next }?.outcomes ?? []
  }

  func effects(in state: UInt32) -> [String] {
    values(of: state).withUnsafeBufferPointer { canonical($0).effects.map(\.name) }
  }

  func title(_ trie: UInt32, in state: UInt32) -> String {
    let (known, delay) = values(of: state).withUnsafeBufferPointer { values in
      (move(trie, values), canonical(values).delay(by: setup.clock))
    }
    return known?.title(setup.clock == ExploredClock() ? nil : delay ?? 0) ?? "?"
  }

  // MARK: Omissions

  /// The omissions of the search besides its bounds, one clause each.
  var omissions: [String] {
    var clauses: [String] = []
    let fields = setup.defaulted
    if !fields.isEmpty {
      let one = fields.count == 1
      clauses.append(
        "\(fields.joined(separator: ", ")) \(one ? "was explored with its default" : "were explored with their defaults") only "
          + "(give \(one ? "it" : "them") bounds or samples, or list values in NAME.explore.lua)"
      )
    }
    var functions: [String] = []
    for local in setup.changedLocals where !functions.contains(local.function) {
      functions.append(local.function)
    }
    if !functions.isEmpty {
      clauses.append(
        "\(functions.joined(separator: ", ")) \(functions.count == 1 ? "stores" : "store") something outside of "
          + "the state")
    }
    if let unchecked { clauses.append(unchecked) }
    return clauses
  }

  // MARK: Dead actions and states

  /// The actions that never pass, each with the most frequent reason of its refusals.
  var deadActions: [String] {
    var passed: [String: UInt64] = [:]
    var failed: Set<String> = []
    var refusals: [String: [UInt32: UInt64]] = [:]
    for (trie, what) in asked.enumerated() {
      guard case .move(.action(let name, _)) = what else { continue }
      let counts = explore_trie_count(search, UInt32(trie))
      passed[name, default: 0] += counts.passed
      if counts.failed > 0 { failed.insert(name) }
      for given in reasons(givenBy: UInt32(trie)) {
        refusals[name, default: [:]][given.reason, default: 0] += given.count
      }
    }
    let transient = transient
    return passed.keys.sorted().compactMap { name in
      // A failing action is reported among the findings.
      guard passed[name] == 0, !transient.actions.contains(name), !failed.contains(name) else {
        return nil
      }
      // Break ties by the text, so that the result does not depend on the order of the threads.
      let told = refusals[name]?.map { (text: reasons[Int($0.key)].text, count: $0.value) } ?? []
      let most = told.max { ($0.count, $1.text) < ($1.count, $0.text) }
      let why = most.map { " (\($0.text), \($0.count) times)" } ?? ""
      return "action \(name) never passed\(why)"
    }
  }

  private func reasons(givenBy trie: UInt32) -> [explore_reason] {
    let count = explore_reasons(search, trie, nil, 0)
    return Array(unsafeUninitializedCapacity: Int(count)) { reasons, filled in
      filled = Int(min(explore_reasons(search, trie, reasons.baseAddress, count), count))
    }
  }

  /// The machine states that are active in no reachable state.
  var unreachedStates: [String] {
    var lines: [String] = []
    let transient = transient
    for (session, machine) in flow.flow.machines.enumerated() where machine.records == nil {
      for (number, region) in machine.chart.regions.enumerated() {
        guard let field = region.field else { continue }
        let said = texts(of: field)
        for (index, state) in machine.chart.states.enumerated()
        where state.region == number && state.parent >= 0
          && [.atomic, .final].contains(state.kind)
        {
          // A session that was invoked disappears when it ends, so that no state shows its final state.
          if session > 0, flow.flow.document?.isEnd(index, of: session) == true { continue }
          // The field contains the path of the active state relative to its region.
          let isReached =
            said.contains { state.path == $0 || state.path.hasSuffix(".\($0)") }
            || transient.states.contains("\(machine.name).\(state.path)")
          if !isReached {
            lines.append("state \(machine.name).\(state.path) was never entered")
          }
        }
      }
    }
    return lines
  }

  /// Returns the texts that a field of the state contains in the reached states.
  private func texts(of field: String) -> Set<String> {
    guard let place = slots.places.find(.field(field), in: PlaceTable.root),
      let slot = slots.find(.place(place))
    else { return [] }
    var numbers: Set<UInt32> = []
    var values = [UInt32](repeating: 0, count: slots.count)
    for state in 0..<explore_states(search) {
      explore_values(search, state, &values, UInt32(values.count))
      numbers.insert(values[Int(slot)])
    }
    return Set(
      numbers.compactMap { number in
        if case .text(let text) = slots.content(number, in: slot) { text.text } else { nil }
      })
  }
}
