import StateCharts

/// Checks of a complete chart.
extension ChartBuilder {
  package mutating func check(namesActions: Bool) {
    let mistaken = mistakenStates()
    for number in chart.states.indices.map(Chart.StateNumber.init) {
      if mistaken.contains(number) {
        tellMistaken(number)
        continue
      }
      checkRegions(of: number)
      checkFinal(number)
      checkTimers(of: number)
      checkWords(of: number)
      let state = chart.states[Int(number)]
      if number > 0, state.kind == .compound, state.initial == nil,
        noted[Int(number)].initial == nil, inside[Int(number)].keys.allSatisfy({ isAction($0) }),
        !inside[Int(number)].values.contains(where: mistaken.contains)
      {
        lacksInitial(number)
      }
    }
    checkFinishing()
    if namesActions { checkActions(besides: mistaken) }
  }

  // MARK: Ways that were taken for states

  /// Returns the states that are named like an action and have no incoming transition.
  ///
  /// They are probably transitions with a misspelt word.
  private func mistakenStates() -> Set<Chart.StateNumber> {
    var candidates: Set<Chart.StateNumber> = []
    for (number, state) in chart.states.enumerated().dropFirst() {
      let isRegion = chart.states[Int(state.parent)].kind == .parallel
      if !isRegion && isAction(state.name) { candidates.insert(Chart.StateNumber(number)) }
    }
    if candidates.isEmpty || isFlat { return [] }
    for state in chart.states {
      let transitions = state.transitions + [state.initial].compactMap { $0 }
      for target in transitions.lazy.flatMap(\.targets) {
        var number = target
        while number > 0, chart.states[Int(number)].parent >= 0 {
          candidates.remove(number)
          number = chart.states[Int(number)].parent
        }
      }
    }
    return candidates
  }

  private mutating func tellMistaken(_ number: Chart.StateNumber) {
    let (state, note) = (chart.states[Int(number)], noted[Int(number)])
    let isEmpty = state.last == number && note.listed.isEmpty && note.timers.isEmpty
    fault(
      state.parent, at: [.field(state.name)],
      "\(prefix(state.parent))\(state.name) is an action; "
        + (isEmpty
          ? "write true"
          : "a transition takes to, when, reduce, reenter, history, restart_timer, refuse"))
  }

  // MARK: States

  private mutating func checkRegions(of number: Chart.StateNumber) {
    guard let regions = noted[Int(number)].regions else { return }
    let states = inside[Int(number)]
    var listed: Set<String> = []
    for (position, name) in regions.enumerated() {
      let path: DeclarationLines.Path = [.field("parallel"), .index(position + 1)]
      if states[name] == nil {
        fault(
          number, at: path,
          "\(prefix(number))parallel lists \(name), and there is no such state inside"
            + Names.suggestion(for: name, among: states.keys))
      } else if !listed.insert(name).inserted {
        fault(number, at: path, "\(prefix(number))parallel lists \(name) twice")
      }
    }
    for name in states.keys.sorted() where !listed.contains(name) {
      fault(
        number, at: [.field(name)],
        "\(prefix(number))\(name) is a state that parallel = { ... } must list too")
    }
  }

  private mutating func checkFinal(_ number: Chart.StateNumber) {
    let state = chart.states[Int(number)]
    guard noted[Int(number)].isFinal else { return }
    if state.last > number {
      return fault(
        number, at: [.field("final")],
        "\(state.path) is final and has states inside: only the state inside that ends it can be final"
      )
    }
    let leaving = state.transitions.filter { !$0.targets.isEmpty && $0.targets != [number] }
    let reentering = state.transitions.filter { $0.targets == [number] && $0.reach == .reenters }
    let names = Set((leaving + reentering).map { name(of: $0.trigger) }).sorted()
    guard let first = names.first else { return }
    fault(
      number, at: [.field(first)],
      "\(state.path) is final and cannot have transitions that leave it; it lists "
        + names.joined(separator: ", "))
  }

  private func name(of trigger: Chart.Trigger) -> String {
    switch trigger {
    case .action(let name): name
    case .always: "always"
    case .done: "on_done"
    case .timer, .events: "after"
    }
  }

  private mutating func checkTimers(of number: Chart.StateNumber) {
    for timer in noted[Int(number)].timers {
      guard let action = timer.action else { continue }
      var around = chart.states[Int(number)].parent
      while around > 0 {
        if noted[Int(around)].timers.contains(where: { $0.action == action }) {
          fault(
            number, at: [.field(timer.word), .field(action)],
            "\(chart.states[Int(number)].path).\(timer.word).\(action) repeats a timer of "
              + "\(chart.states[Int(around)].path), which contains it")
          break
        }
        around = chart.states[Int(around)].parent
      }
    }
  }

  /// Reports an action whose name has become a reserved word of machines.
  private mutating func checkWords(of number: Chart.StateNumber) {
    let note = noted[Int(number)]
    for (word, isSaid) in [("always", !note.always.isEmpty), ("on_done", note.onDone != nil)]
    where isSaid && isAction(word) {
      fault(
        number, at: [.field(word)],
        "\(prefix(number))no action of machines can be named \(word), which is a keyword: rename "
          + "action \(word)")
    }
  }

  /// Reports `on_done` in states that can never be finished.
  private mutating func checkFinishing() {
    var finishes = chart.states.map { $0.kind == .final }
    for (number, state) in chart.states.enumerated().reversed() {
      let states = inside[number].values
      if state.kind == .compound {
        finishes[number] = states.contains { chart.states[Int($0)].kind == .final }
      } else if state.kind == .parallel {
        finishes[number] = states.allSatisfy { finishes[Int($0)] }
      }
      guard noted[number].onDone != nil, !finishes[number] || state.kind == .final else { continue }
      fault(
        Chart.StateNumber(number), at: [.field("on_done")],
        "\(state.path).on_done is never taken: "
          + (state.kind == .parallel
            ? "not all of its regions have a final state" : "no state inside it is final"))
    }
  }
}
