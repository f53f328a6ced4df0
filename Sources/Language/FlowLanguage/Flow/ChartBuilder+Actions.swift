import StateCharts

/// A check of the actions that a machine's table names.
extension ChartBuilder {
  /// The maximum number of places of one name that are searched for the first one.
  private static let mostPlaces = 100

  /// Reports names that are not those of actions, each at its first place.
  mutating func checkActions(besides mistaken: Set<Chart.StateNumber>) {
    var places: [String: [DeclarationLines.Path]] = [:]
    var outermost: Set<String> = []
    for number in chart.states.indices.map(Chart.StateNumber.init) {
      if isInside(mistaken, number) { continue }
      for (name, path) in mentions(in: noted[Int(number)]) where !isAction(name) {
        if places[name, default: []].count < ChartBuilder.mostPlaces {
          places[name, default: []].append(chart.keys(of: number) + path)
        }
        if number == 0 { outermost.insert(name) }
      }
    }
    for (name, paths) in places.sorted(by: { $0.key < $1.key }) {
      var message = "there is no action \(name)" + Names.suggestion(for: name, among: actions)
      if outermost.contains(name), isAction("to") {
        message += "; if \(name) is a state, an action in it cannot have the name to"
      }
      fault(atFirst: paths, message)
    }
  }

  private func isInside(
    _ mistaken: Set<Chart.StateNumber>, _ state: Chart.StateNumber
  ) -> Bool {
    if mistaken.isEmpty { return false }
    var number = state
    while number > 0, !mistaken.contains(number) { number = chart.states[Int(number)].parent }
    return number > 0
  }

  /// Returns the names of actions in a state's table, each with the keys that lead to it.
  private func mentions(in state: MachineDeclaration.State) -> [(String, DeclarationLines.Path)] {
    var found: [(String, DeclarationLines.Path)] = []
    for listed in state.listed where listed.prefix == nil {
      found.append((listed.action, [.field(listed.action)]))
    }
    for listed in state.everywhere where listed.prefix == nil {
      found.append((listed.action, [.field("*"), .field(listed.action)]))
    }
    for action in state.postponed { found.append((action, [.field("postpone")])) }
    for timer in state.timers {
      if let action = timer.action { found.append((action, [.field(timer.word), .field(action)])) }
    }
    let ends = [("on_done", state.effect?.onDone), ("on_error", state.effect?.onError)]
    for case (let word, let action?) in ends {
      found.append((action, [.field("effect"), .field(word)]))
    }
    return found
  }
}
