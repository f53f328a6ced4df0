import StateCharts

/// Timers of states, and the events that stand for them and for guarded `always`.
extension ExportedChart {
  /// Names the events that no action has.
  mutating func nameEvents(_ names: inout ExportNames) {
    guard !isDocument else { return }
    if format == .scxml {
      names.reserve(
        states.filter { state in
          state.kind == .parallel || state.children.contains { $0.kind == .final }
        }.map { "done.state.\($0.id)" })
    }
    for number in states.indices {
      for (index, timer) in chart.states[number].timers.enumerated() {
        nameEvents(of: timer, TimerKey(state: number, index: index), &names)
      }
      guard format == .scxml else { continue }
      let unasked = chart.states[number].transitions.enumerated().filter { _, transition in
        transition.condition != nil
          && (transition.trigger == .always || transition.trigger == .done)
      }
      for (place, (index, _)) in unasked.enumerated() {
        awaited[TimerKey(state: number, index: index)] = names.claimEvent(
          "when.\(states[number].id).\(place + 1)")
      }
    }
  }

  private mutating func nameEvents(
    of timer: Chart.Timer, _ key: TimerKey, _ names: inout ExportNames
  ) {
    let state = states[key.state]
    let id = "\(state.id).\(key.index + 1)"
    var (isOwnEvent, event) = (false, "")
    if case .action(let action) = timer.due {
      event = names.eventOfAction[action] ?? action
      if hasRegionsBeside(key.state) {
        event = names.claimEvent("timer.\(id)")
        timersOfAction[action, default: []].append(key)
        eventOfTimer[key] = event
      }
      if timer.repeats, format == .scxml {
        raisedByTimer[key] = event
        (isOwnEvent, event) = (true, names.claimEvent("every.\(id)"))
      }
    } else {
      (isOwnEvent, event) = (true, names.claimEvent("\(timer.repeats ? "every" : "after").\(id)"))
    }
    let delay: ExportedTimer.Delay =
      switch timer.delay {
      case .seconds(let seconds): .seconds(seconds)
      case .workedOut(let function): .named(name(of: function))
      }
    state.timers.append(
      ExportedTimer(
        id: id, event: event, delay: delay, repeats: timer.repeats, isOwnEvent: isOwnEvent))
  }

  /// Returns true if leaves outside a state can be active together with it.
  private func hasRegionsBeside(_ number: Int) -> Bool {
    ancestors(of: number).contains { states[$0].kind == .parallel }
  }

  /// Returns the ancestors of a state, the innermost first.
  func ancestors(of number: Int) -> [Int] {
    var (found, state) = ([Int](), chart.states[number].parent)
    while state >= 0 {
      found.append(Int(state))
      state = chart.states[Int(state)].parent
    }
    return found
  }

  /// Adds the remaining parts of a state's timers: repeated events, and warnings.
  mutating func addTimers(of number: Int) {
    for (index, timer) in chart.states[number].timers.enumerated() {
      let key = TimerKey(state: number, index: index)
      let exported = states[number].timers[index]
      let what = title(number, timer.repeats ? "every[\(index + 1)]" : "after[\(index + 1)]")
      let actions: [String] = if case .action(let action) = timer.due { [action] } else { [] }
      if case .named(let function) = exported.delay, format == .scxml {
        addSentence(
          number, actions,
          "\(what): the delay is computed by \(function): nothing sends \(exported.event)")
      }
      if timer.repeats, format == .xstate {
        addSentence(number, actions, "\(what): fires only once after each entry of the state")
      }
      if let raised = raisedByTimer[key] {
        states[number].transitions.append(
          ExportedTransition(trigger: .timer(index), restarts: [exported], raises: raised))
      }
      if let action = actions.first, let event = eventOfTimer[key] {
        shield(regionsBeside: number, from: event, action)
      }
    }
  }

  /// Prevents regions beside a state from passing its timer's event to the states around them.
  private mutating func shield(regionsBeside number: Int, from event: String, _ action: String) {
    var inside = number
    for outer in ancestors(of: number) {
      defer { inside = outer }
      guard states[outer].kind == .parallel,
        ([outer] + ancestors(of: outer)).contains(where: { first(action, at: $0) != nil })
      else { continue }
      for region in inner[outer] where region != inside {
        shields.append((region, ExportedTransition(trigger: .events([event]))))
      }
    }
  }

  /// Adds a sentence as a note of its state and as a warning.
  mutating func addSentence(_ number: Int, _ actions: [String], _ message: String) {
    states[number].notes.append(message)
    warn([number], actions, message)
  }
}
