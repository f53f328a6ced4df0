import StateCharts

/// What ways and states are called where they are told and counted.
extension Machine {
  /// What each of its ways is called where ways are counted, by their numbers; nil for one that forbids.
  ///
  /// Those of a flat machine are told by what they lead from and to, and all others apart.
  package var transitionNames: [String?] {
    var known: [String: Int] = [:]
    return compiled.rows.indices.map { number in
      let transition = compiled.transition(Int32(number))
      guard transition.reach != .forbids else { return nil }
      let name = "\(self.name): \(text(of: transition))"
      if isFlat { return name }
      known[name, default: 0] += 1
      return known[name] == 1 ? name : "\(name) (\(known[name] ?? 1))"
    }
  }

  /// `on.playing -stop-> on.stopped`.
  package func text(of transition: Chart.Transition) -> String {
    let targets = transition.targets.isEmpty ? [transition.source] : transition.targets
    return
      "\(path(of: transition.source)) -\(text(of: transition.trigger, in: transition.source))-> "
      + targets.map(path).joined(separator: " + ")
  }

  /// What has a way of a state taken: the action, `always`, `on_done`, `after 20 s`.
  package func text(of trigger: Chart.Trigger, in state: Chart.StateNumber) -> String {
    switch trigger {
    case .action(let name): return name
    case .events(let names): return names.joined(separator: " ")
    case .always: return "always"
    case .done: return "on_done"
    case .timer(let number):
      let timers = chart.states[Int(state)].timers
      return timers.indices.contains(number) ? timers[number].text : "after a while"
    }
  }

  private func path(of state: Chart.StateNumber) -> String {
    state == 0 ? name : chart.states[Int(state)].path
  }

  /// What a state is called where states are counted; nil for what is no state of its own.
  package func nameWhereCounted(_ state: Chart.StateNumber) -> String? {
    compiled.heads[Int(compiled.nodes[Int(state)].region)] == state
      ? nil : "\(name): \(path(of: state))"
  }
}
