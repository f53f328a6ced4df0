import StateCharts

/// The contents of exported states, by the rules of the machine's own states.
extension ExportedChart {
  /// Fills the states with transitions, timers and functions.
  ///
  /// - Parameter all: the charts of all machines, of which this one has that index.
  mutating func fill(_ names: inout ExportNames, beside all: [ExportedChart], _ index: Int) {
    for number in states.indices.reversed() {
      describe(number)
      if isDocument {
        for transition in chart.states[number].transitions { addOfDocument(transition, number) }
        continue
      }
      let transitions = chart.states[number].transitions
      for (place, transition) in transitions.enumerated() {
        let causes = causes(
          of: transition, TimerKey(state: number, index: place), names, all, index)
        add(
          transition, causes,
          isFirst: transitions.firstIndex { $0.trigger == transition.trigger } == place, &names)
      }
      addTimers(of: number)
    }
    for (state, transition) in added { state.transitions.append(transition) }
    for (region, transition) in shields {
      (wrappers[region] ?? states[region]).transitions.append(transition)
    }
    for (number, blocking) in blocking {
      states[number].transitions.insert(contentsOf: blocking, at: 0)
    }
  }

  /// Adds the parts of a state other than its transitions.
  private mutating func describe(_ number: Int) {
    let (state, exported) = (chart.states[number], states[number])
    if exported.kind == .compound || exported.isHistory {
      exported.initial = isDocument ? documentBeginning(of: number) : beginning(of: number)
    }
    if number == 0, let records = machine.records {
      addSentence(
        0, [],
        "machine \(machine.name) (\(machine.place)): each of \(records.path.joined(separator: ".")) has its own; the export has a single one"
      )
    }
    exported.onEnter = state.onEnter.map(name)
    exported.onExit = state.onExit.map(name)
    exported.effect = state.effect.map(name)
    guard format == .scxml else { return }
    for (word, functions) in [
      ("on entry", exported.onEnter), ("on exit", exported.onExit),
      ("effect", [exported.effect].compactMap { $0 }),
    ] {
      for function in functions {
        addSentence(number, [], "\(title(number, word)): \(function) is not run")
      }
    }
  }

  private func documentBeginning(of number: Int) -> [ExportedState] {
    if states[number].isHistory {
      return chart.states[number].transitions.first?.targets.map { states[Int($0)] } ?? []
    }
    return chart.states[number].initial?.targets.map { states[Int($0)] } ?? []
  }

  private mutating func addOfDocument(_ transition: Chart.Transition, _ number: Int) {
    guard !states[number].isHistory else { return }
    var exported = ExportedTransition(trigger: .always)
    if case .events(let names) = transition.trigger { exported.trigger = .events(names) }
    if let condition = transition.condition {
      exported.condition = .expression(name(of: condition))
      exported.guardName = name(of: condition)
    }
    exported.targets = transition.targets.map { states[Int($0)] }
    exported.isInternal = transition.reach == .internal
    exported.reenters = transition.reach == .external
    exported = withContent(of: transition, exported)
    states[number].transitions.append(exported)
  }

  mutating func withContent(
    of transition: Chart.Transition, _ exported: ExportedTransition
  ) -> ExportedTransition {
    var exported = exported
    guard let content = transition.content.map(name) else { return exported }
    exported.action = content
    if format == .scxml {
      let message = "\(title(of: transition)): \(content) is not run"
      exported.notes.append(message)
      warn([Int(transition.source)], actions(of: transition), message)
    }
    return exported
  }
}
