import StateCharts

/// Transitions that exit and enter the same states as the machine's own.
extension ExportedChart {
  /// The position of an exported transition, and its targets.
  struct Placement {
    /// The state that contains it; if `isAdded` is true, it comes after that state's own transitions.
    let state: ExportedState
    var isAdded: Bool { part != nil }
    /// The region that it moves, if it is a transition of a parallel state.
    var part: Int?
    var targets: [ExportedState] = []
    var isInternal = false
    var reenters = false
    /// The condition under which nothing moves because the target is active.
    var stays = ExportedCondition.never
    var condition = ExportedCondition.always
  }

  /// A trigger of a transition, and the condition under which it is taken.
  typealias Cause = (trigger: ExportedTransition.Trigger, condition: ExportedCondition)

  // MARK: Causes

  func causes(
    of transition: Chart.Transition, _ key: TimerKey, _ names: ExportNames, _ all: [ExportedChart],
    _ index: Int
  ) -> [Cause] {
    switch transition.trigger {
    case .events(let events): return [(.events(events), .always)]
    case .timer(let timer): return [(.timer(timer), .always)]
    case .done where awaited[key] == nil && raisesDone(key.state, names): return [(.done, .always)]
    case .always, .done:
      let due = transition.trigger == .done ? finished(key.state) : .always
      return [(awaited[key].map { .events([$0]) } ?? .always, due)]
    case .action(let action):
      return merged(events(of: action, at: key.state, names, all, index), names)
    }
  }

  /// Returns the events that stand for an action in a state, and the conditions under which the other machines take it.
  private func events(
    of action: String, at number: Int, _ names: ExportNames, _ all: [ExportedChart], _ index: Int
  ) -> [(event: String, condition: ExportedCondition)] {
    let others = all.indices.filter { other in
      other != index && machine.records == nil && all[other].machine.records == nil
        && all[other].machine.names(action)
    }
    let event = names.eventOfAction[action] ?? action
    var found = [(event, ExportedCondition.all(of: others.map { all[$0].accepts(action) }))]
    for owner in all.indices {
      for timer in all[owner].timersOfAction[action] ?? [] {
        let state = Chart.StateNumber(timer.state)
        let number = Chart.StateNumber(number)
        guard let event = all[owner].eventOfTimer[timer],
          owner != index || chart.contains(state, number) || chart.contains(number, state)
        else { continue }
        let accepted = others.map { other in
          all[other].accepts(action, inside: other == owner ? timer.state : 0)
        }
        found.append((event, .all(of: accepted)))
      }
    }
    return found
  }

  /// Returns the events as causes, with one transition for each condition.
  private func merged(
    _ events: [(event: String, condition: ExportedCondition)], _ names: ExportNames
  ) -> [Cause] {
    var causes: [Cause] = []
    for (event, condition) in events {
      if format == .scxml, names.beginsOthers(event) {
        causes.append((.exactEvent(event), condition))
      } else if let place = causes.firstIndex(where: { $0.condition == condition }),
        case .events(let before) = causes[place].trigger
      {
        causes[place].trigger = .events(before + [event])
      } else {
        causes.append((.events([event]), condition))
      }
    }
    return causes
  }

  // MARK: Leads

  mutating func add(
    _ transition: Chart.Transition, _ causes: [Cause], isFirst: Bool, _ names: inout ExportNames
  ) {
    let number = Int(transition.source)
    var exported = withContent(of: transition, ExportedTransition(trigger: .always))
    let isUnasked = causes.allSatisfy { $0.trigger == .always || $0.trigger == .done }
    if let condition = transition.condition.map(name) {
      exported.guardName = condition
      if format == .scxml {
        exported.guardName = nil
        var message = "\(title(of: transition)): \(condition) is not evaluated"
        if case .events(let events)? = causes.first?.trigger,
          transition.trigger == .always || transition.trigger == .done
        {
          message += ": the transition waits for \(events.joined(separator: " "))"
        }
        exported.notes.append(message)
        warn([number], actions(of: transition), message)
      }
    }
    if transition.postpones {
      let message =
        "\(title(of: transition)): it is refused, and not postponed until \(chart.states[number].path) is left"
      exported.notes.append(message)
      warn([number], actions(of: transition), message)
    } else if transition.reach == .forbids {
      exported.notes.append("refused" + (transition.refusal.map { ": \($0)" } ?? ""))
    }
    if transition.restarts != nil {
      let message =
        "\(title(of: transition)): restart_timer is not exported: its timers keep running"
      exported.notes.append(message)
      warn([number], actions(of: transition), message)
    }
    // A target that is already active is not due.
    if isUnasked,
      alwaysStays(transition)
        || transition.targets.allSatisfy({ chart.contains($0, transition.source) })
    {
      return
    }
    if format == .scxml, !isFirst, !isUnasked, isOfParts(transition) {
      return states[number].notes += exported.notes
    }
    for placement in placements(transition, &names) {
      for cause in causes {
        if states[number].kind == .final {
          block(exported, cause, number, actions(of: transition))
        } else {
          add(exported, cause, placement, from: number)
        }
      }
      exported.notes = []
    }
  }

  private mutating func add(
    _ transition: ExportedTransition, _ cause: Cause, _ placement: Placement, from number: Int
  ) {
    var exported = transition
    exported.trigger = cause.trigger
    exported.condition = cause.condition
    let source = states[number]
    if case .timer(let index) = cause.trigger {
      let timer = source.timers[index]
      if placement.state !== source { exported.trigger = .events([timer.event]) }
      if timer.repeats, placement.state === source,
        placement.targets.isEmpty || placement.isInternal
      {
        exported.restarts = [timer]
      }
    }
    if placement.stays != .never, cause.trigger != .always, cause.trigger != .done {
      var staying = exported
      staying.condition = exported.condition.and(placement.stays)
      place(staying, placement)
      exported.notes = []
    } else {
      exported.condition = exported.condition.and(placement.stays.negated)
    }
    exported.targets = placement.targets
    (exported.isInternal, exported.reenters) = (placement.isInternal, placement.reenters)
    guard let part = placement.part, case .events(let events) = exported.trigger else {
      exported.condition = exported.condition.and(placement.condition)
      return place(exported, placement)
    }
    // The event of a timer is only for the leaves inside its state.
    for event in events {
      let timer = eventOfTimer.first { $0.value == event }?.key
      let isElsewhere = timer.map {
        !chart.contains(Chart.StateNumber(part), Chart.StateNumber($0.state))
      }
      var one = exported
      one.trigger = .events([event])
      one.condition = exported.condition.and(
        isElsewhere == true
          ? timer.map { misses($0, inside: number) } ?? .always : placement.condition)
      place(one, placement)
    }
  }

  private mutating func place(_ transition: ExportedTransition, _ placement: Placement) {
    let isUnasked = transition.trigger == .always || transition.trigger == .done
    if transition.condition == .never || (isUnasked && transition.targets.isEmpty) { return }
    if placement.isAdded {
      added.append((placement.state, transition))
    } else {
      placement.state.transitions.append(transition)
    }
  }

  /// Adds a transition to the state around a final state, which consumes the event in its place if another would.
  private mutating func block(
    _ transition: ExportedTransition, _ cause: Cause, _ number: Int, _ actions: [String]
  ) {
    let around = ancestors(of: number)
    guard let action = actions.first, around.contains(where: { first(action, at: $0) != nil })
    else { return }
    var blocking = transition
    blocking.trigger = cause.trigger
    blocking.condition = cause.condition.and(.active(states[number].id))
    self.blocking[around[0], default: []].append(blocking)
  }

  private mutating func placements(
    _ transition: Chart.Transition, _ names: inout ExportNames
  ) -> [Placement] {
    let number = Int(transition.source)
    let own = states[number]
    if alwaysStays(transition) { return [Placement(state: own)] }
    if isOfParts(transition) { return placementsOfParts(transition, &names) }
    let targets = targets(of: transition)
    let top = around(transition)
    let isUnasked = isUnasked(transition)
    var placement = Placement(state: own, targets: targets, isInternal: top == number)
    if transition.reach == .reenters, top > 0 {
      placement = reentering(transition, top, targets, &names)
    }
    let leavesTrace =
      transition.reach == .inner
      && !transition.targets.allSatisfy { isEnteredWithoutTrace(Int($0), from: number) }
    if top == number, isUnasked || leavesTrace {
      placement.stays = .all(of: transition.targets.map { .active(states[Int($0)].id) })
    }
    return [placement]
  }

  func targets(of transition: Chart.Transition) -> [ExportedState] {
    transition.targets.map { target in
      transition.history.flatMap { histories[HistoryKey(state: Int(target), depth: $0)] }
        ?? states[Int(target)]
    }
  }

  /// Places a transition that also exits and enters the state around both ends, but no parallel region.
  private mutating func reentering(
    _ transition: Chart.Transition, _ top: Int, _ targets: [ExportedState],
    _ names: inout ExportNames
  ) -> Placement {
    let parent = Int(chart.states[top].parent)
    var around = states[parent]
    if around.kind == .parallel {
      around = wrapper(of: top, &names)
    }
    let own = states[Int(transition.source)]
    let isEnd = top == Int(transition.source) || transition.targets == [Chart.StateNumber(top)]
    if isEnd, transition.history == nil {
      return Placement(state: own, targets: targets, reenters: true)
    }
    // An intermediate sibling state, from which the target is entered.
    let id = names.claim("\(states[top].id).again")
    let between = ExportedState(id: id, key: id, kind: .atomic)
    between.transitions = [ExportedTransition(trigger: .always, targets: targets)]
    around.children.append(between)
    return Placement(state: own, targets: [between])
  }

  mutating func wrapper(of region: Int, _ names: inout ExportNames) -> ExportedState {
    if let known = wrappers[region] { return known }
    let made = wrap(region, &names)
    wrappers[region] = made
    return made
  }
}
