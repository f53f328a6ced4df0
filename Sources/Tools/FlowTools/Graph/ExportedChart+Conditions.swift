import StateCharts

/// Conditions on active states that express the rules of machines.
extension ExportedChart {
  /// Returns the first transition that a state lists for an action.
  func first(_ action: String, at number: Int) -> Chart.Transition? {
    chart.states[number].transitions.first { $0.trigger == .action(action) }
  }

  /// Returns the condition under which a machine takes an action, without regard to its guards.
  func accepts(_ action: String, inside number: Int = 0) -> ExportedCondition {
    let outer = ancestors(of: number).lazy.compactMap { first(action, at: $0) }.first
    let found = leaves(inside: number, action, outer) { $0.map { $0.reach != .forbids } ?? false }
    return found.isWhole ? .always : found.condition
  }

  /// Returns the condition that some active leaf finds a transition for which `holds` is true.
  ///
  /// - Parameter outer: the transition that is found if the states inside list none.
  /// - Returns: the condition, and true if it holds whenever the state is active.
  func leaves(
    inside number: Int, without skipped: Int? = nil, _ action: String, _ outer: Chart.Transition?,
    where holds: (Chart.Transition?) -> Bool
  ) -> (condition: ExportedCondition, isWhole: Bool) {
    if number == skipped { return (.never, false) }
    let found = first(action, at: number) ?? outer
    let children = inner[number]
    let isActive = ExportedCondition.active(states[number].id)
    if children.isEmpty { return holds(found) ? (isActive, true) : (.never, false) }
    let parts = children.map { leaves(inside: $0, without: skipped, action, found, where: holds) }
    let isWhole =
      states[number].kind == .parallel
      ? parts.contains(where: \.isWhole) : parts.allSatisfy(\.isWhole)
    return (isWhole ? isActive : .any(of: parts.map(\.condition)), isWhole)
  }

  /// Returns the condition that a state has finished, which is never if nothing inside it is final.
  func finished(_ number: Int) -> ExportedCondition {
    switch states[number].kind {
    case .parallel: .all(of: inner[number].map(finished))
    case .compound:
      .any(of: inner[number].filter { states[$0].kind == .final }.map { .active(states[$0].id) })
    default: .never
    }
  }

  /// Returns true if the done event means the same as the machine's rule: the finished state is exited at once.
  func raisesDone(_ number: Int, _ names: ExportNames) -> Bool {
    if format == .xstate { return true }
    return !names.beginsOtherIDs(states[number].id) && !states.contains { $0.kind == .parallel }
      && !chart.states.contains { $0.transitions.contains { $0.trigger == .always } }
  }

  func isUnasked(_ transition: Chart.Transition) -> Bool {
    transition.trigger == .always || transition.trigger == .done
  }

  /// Returns the eventless transitions of the same state that are tried before this one.
  func unasked(before transition: Chart.Transition) -> [Chart.Transition] {
    let all = chart.states[Int(transition.source)].transitions.filter(isUnasked)
    return Array(
      all.prefix {
        $0.trigger != transition.trigger || $0.targets != transition.targets
          || $0.reach != transition.reach
      })
  }

  /// Returns the condition under which an eventless transition is due, without regard to its guard.
  func due(_ transition: Chart.Transition) -> ExportedCondition {
    let source = Int(transition.source)
    let hasEnded = transition.trigger == .done ? finished(source) : .always
    let missing = transition.targets.filter { !chart.contains($0, transition.source) }
    if missing.isEmpty || transition.condition != nil { return .never }
    let mayBeThere = missing.allSatisfy { chart.contains(transition.source, $0) }
    let isThere = ExportedCondition.all(of: missing.map { .active(states[Int($0)].id) })
    return mayBeThere ? hasEnded.and(isThere.negated) : hasEnded
  }

  /// Returns true if exiting and entering a state makes no difference.
  func isEnteredWithoutTrace(_ target: Int, from source: Int) -> Bool {
    guard inner[target].isEmpty, chart.states[target].timers.isEmpty else { return false }
    // A transition that stays does not conflict with others, which makes a difference in parallel regions.
    let around = ancestors(of: target)
    return around.allSatisfy { states[$0].kind != .parallel }
      && around.prefix { $0 != source }.allSatisfy { chart.states[$0].timers.isEmpty }
  }

  /// Returns the innermost state that contains both ends of a transition, either of them included.
  func around(_ transition: Chart.Transition) -> Int {
    let source = Int(transition.source)
    return ([source] + ancestors(of: source)).first { outer in
      transition.targets.allSatisfy { chart.contains(Chart.StateNumber(outer), $0) }
    } ?? 0
  }

  /// Returns true if a transition exits no state in any configuration.
  func alwaysStays(_ transition: Chart.Transition) -> Bool {
    transition.targets.isEmpty || transition.reach == .stays || transition.reach == .forbids
      || (transition.reach == .inner
        && transition.targets.allSatisfy { chart.contains($0, transition.source) })
  }

  /// Returns true if a transition exits a state inside or around `state`.
  func leaves(_ transition: Chart.Transition, inside state: Int) -> Bool {
    if alwaysStays(transition) { return false }
    let state = Chart.StateNumber(state)
    return tops(of: transition).contains { top in
      chart.contains(Chart.StateNumber(top), state) || chart.contains(state, Chart.StateNumber(top))
    }
  }

  /// Returns the states whose descendants a transition exits.
  private func tops(of transition: Chart.Transition) -> [Int] {
    guard isOfParts(transition) else { return [around(transition)] }
    let parts = transition.targets.map { part(of: Int(transition.source), with: Int($0)) }
    // Whole regions are already active.
    return zip(parts, transition.targets).filter { part, target in
      transition.reach == .reenters || part != Int(target)
    }.map(\.0)
  }

  /// Returns true if a transition of a parallel state moves some of its regions, and leaves the others as they are.
  func isOfParts(_ transition: Chart.Transition) -> Bool {
    states[Int(transition.source)].kind == .parallel && transition.targets != [transition.source]
      && !alwaysStays(transition) && around(transition) == Int(transition.source)
  }

  /// Returns the outermost state between a parallel state and a target that is not parallel, or the target.
  func part(of parallel: Int, with target: Int) -> Int {
    ([target] + ancestors(of: target)).prefix { $0 > parallel }
      .last { states[$0].kind != .parallel } ?? target
  }
}
