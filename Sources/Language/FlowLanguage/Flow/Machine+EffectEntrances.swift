import StateCharts

extension Machine {
  /// The entrances of the states that have effects, by state; empty if they are not known.
  ///
  /// A new record enters its initial state in any action, so the entrances of a machine of records are not known.
  package var effectEntrances: [Chart.StateNumber: EffectEntrance] {
    guard !effects.isEmpty, records == nil, !chart.dialect.acceptsAnyEvent,
      let all = ChartAnalysis(compiled).entrances(of: Set(effects.keys))
    else { return [:] }
    return all.mapValues { entrances in
      var actions: Set<String> = []
      var (isWithoutAction, followsOthers) = (entrances.isInitial, false)
      for transition in entrances.transitions {
        switch compiled.transition(transition).trigger {
        case .action(let name): actions.insert(name)
        case .timer: isWithoutAction = true
        case .always, .done, .events: followsOthers = true
        }
      }
      return EffectEntrance(
        actions: actions.sorted(), isWithoutAction: isWithoutAction, followsOthers: followsOthers)
    }
  }
}
