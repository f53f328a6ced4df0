import StateCharts

/// Transitions of parallel states that move some of their regions and leave the others as they are.
extension ExportedChart {
  /// Places one transition in each moved region, and one in the parallel state to consume the event for the others.
  mutating func placementsOfParts(
    _ transition: Chart.Transition, _ names: inout ExportNames
  ) -> [Placement] {
    let number = Int(transition.source)
    let targets = targets(of: transition)
    var placements = [Placement(state: states[number])]
    let parts = transition.targets.map { part(of: number, with: Int($0)) }
    for part in Set(parts).sorted() {
      let places = parts.indices.filter { parts[$0] == part }
      var placement = Placement(
        state: states[part], part: part, targets: places.map { targets[$0] }, isInternal: true)
      let numbers = places.map { transition.targets[$0] }
      if transition.reach == .reenters {
        placement = Placement(
          state: wrapper(of: part, &names), part: part, targets: placement.targets, isInternal: true
        )
        if isUnasked(transition) {
          placement.stays = .all(of: transition.targets.map { .active(states[Int($0)].id) })
        }
      } else if numbers.allSatisfy({ chart.contains($0, Chart.StateNumber(part)) }) {
        continue
      } else {
        placement.stays = .all(of: numbers.map { .active(states[Int($0)].id) })
      }
      if case .action(let action) = transition.trigger {
        placement.condition = moves(transition, action, part, parts)
        warnOfStays(transition, action, part)
      } else if isUnasked(transition) {
        // The earlier eventless transitions of the parallel state come first.
        placement.condition =
          ExportedCondition.any(of: unasked(before: transition).map(due)).negated
      }
      placements.append(placement)
    }
    return placements
  }

  /// Returns the condition under which the transition of a parallel state moves a region that finds none itself.
  private func moves(
    _ transition: Chart.Transition, _ action: String, _ part: Int, _ parts: [Int]
  ) -> ExportedCondition {
    let number = Int(transition.source)
    let isInTheWay = { (found: Chart.Transition?) in
      found.map { found in parts.contains { leaves(found, inside: $0) } } ?? false
    }
    let obstacles = inner[number].map {
      leaves(inside: $0, without: part, action, nil, where: isInTheWay).condition
    }
    let condition = ExportedCondition.any(of: obstacles).negated
    let between = ancestors(of: part).prefix { $0 > number }.lazy
      .compactMap { first(action, at: $0) }.first
    guard let between else { return condition }
    if isInTheWay(between) { return .never }
    // Its own leaves find that transition; the leaves of other regions must find this one.
    let misses = inner[number].map { leaves(inside: $0, action, nil) { $0 == nil }.condition }
    return condition.and(.any(of: misses))
  }

  /// Warns of a region that takes an action and stays.
  ///
  /// The machine moves it all the same if a region beside it does not take the action; the document does not.
  private mutating func warnOfStays(_ transition: Chart.Transition, _ action: String, _ part: Int) {
    let number = Int(transition.source)
    let isMissed = inner[number].contains { region in
      leaves(inside: region, without: part, action, nil) { $0 == nil }.condition != .never
    }
    let around = ancestors(of: part).prefix { $0 > number }
    let staying = states.indices.filter { state in
      (around.contains(state) || chart.contains(Chart.StateNumber(part), Chart.StateNumber(state)))
        && first(action, at: state).map { found in
          alwaysStays(found) || found.targets.allSatisfy { chart.contains(found.source, $0) }
        } ?? false
    }
    guard isMissed, !staying.isEmpty else { return }
    let names = staying.map { chart.states[$0].path }.joined(separator: ", ")
    let message =
      "\(title(of: transition)): is not taken if a region takes \(action) and stays, in \(names)"
    states[number].notes.append(message)
    warn(staying, [action], message)
  }

  /// Returns the condition that a leaf in a timer's state finds no transition for its action, up to a parallel state.
  func misses(_ timer: TimerKey, inside parallel: Int) -> ExportedCondition {
    guard case .action(let action) = chart.states[timer.state].timers[timer.index].due else {
      return .always
    }
    let outer = ancestors(of: timer.state).prefix { $0 > parallel }.lazy
      .compactMap { first(action, at: $0) }.first
    let found = leaves(inside: timer.state, action, outer) { $0 == nil }
    return found.isWhole ? .always : found.condition
  }
}
