import StateCharts

/// Names of transitions and states in reports and statistics.
extension Machine {
  /// The name of each transition in statistics, by its number; nil for one that forbids.
  ///
  /// In a flat machine the name consists of source, action and target, and equal names are counted together. In
  /// other machines equal names get a number.
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

  /// Returns a transition as `on.playing -stop-> on.stopped`.
  package func text(of transition: Chart.Transition) -> String {
    let targets = transition.targets.isEmpty ? [transition.source] : transition.targets
    return
      "\(path(of: transition.source)) -\(text(of: transition.trigger, in: transition.source))-> "
      + targets.map(path).joined(separator: " + ")
  }

  /// Returns the text of a trigger: the action, `always`, `on_done`, or `after 20 s`.
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

  /// Returns the name of a state in statistics; nil for the head of a region, which is no state of its own.
  package func nameWhereCounted(_ state: Chart.StateNumber) -> String? {
    compiled.heads[Int(compiled.nodes[Int(state)].region)] == state
      ? nil : "\(name): \(path(of: state))"
  }
}
