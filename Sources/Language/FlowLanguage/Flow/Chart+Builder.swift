import StateCharts

extension Chart {
  /// Returns the keys that lead from a machine's table to that of a state.
  package func keys(of state: StateNumber) -> DeclarationLines.Path {
    var keys: DeclarationLines.Path = []
    var number = state
    while number > 0 {
      keys.append(.field(states[Int(number)].name))
      number = states[Int(number)].parent
    }
    return keys.reversed()
  }

  /// Returns the innermost state that is or contains both states.
  package func around(_ first: StateNumber, _ second: StateNumber) -> StateNumber {
    var outer = first
    while !contains(outer, second) { outer = states[Int(outer)].parent }
    return outer
  }
}

extension Chart.Place {
  package init(_ place: SourcePlace) { self.init(file: place.file, line: place.line) }
}
