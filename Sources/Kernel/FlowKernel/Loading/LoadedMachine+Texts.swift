import StateCharts

/// The texts of messages about a machine's configuration, and lookups by path.
extension LoadedMachine {
  /// Returns the configuration in words: `review (legal: agreed, finance: asked)`, or the field's value if it is the
  /// only one.
  package func whereabouts(_ leafNumbers: ArraySlice<ChartInterpreter.LeafNumber>) -> String {
    let values = zip(chart.chart.regions, leafNumbers).map { ($0.field, value(of: $1)) }
    let inner = values.dropFirst().compactMap { field, value in
      value.flatMap { value in field.map { "\($0): \(value)" } }
    }
    let outer = values.first?.1 ?? name
    return inner.isEmpty ? outer : "\(outer) (\(inner.joined(separator: ", ")))"
  }

  /// Returns a region's name: its field, or the machine's name.
  package func name(ofRegion region: Int32) -> String {
    chart.chart.regions[Int(region)].field ?? name
  }

  /// Returns the paths of the states that list an action, sorted.
  func statesTaking(_ action: String) -> [String] {
    chart.chart.states.filter { state in
      state.transitions.contains { $0.trigger == .action(action) && $0.reach != .forbids }
    }.map { $0.path.isEmpty ? name : $0.path }.sorted()
  }

  /// Returns the path of the innermost state around another one that would take an action; nil if there is none.
  ///
  /// The other state lists the action as impossible, which overrides the states around it. The result is nil for a
  /// final state, which nothing leaves.
  package func state(taking action: String, around state: ChartInterpreter.StateNumber) -> String? {
    if chart.nodes[Int(state)].kind == .final { return nil }
    var around = chart.nodes[Int(state)].parent
    while around >= 0 {
      let outer = chart.chart.states[Int(around)]
      if outer.transitions.contains(where: {
        $0.trigger == .action(action) && $0.reach != .forbids
      }) {
        return outer.path.isEmpty ? name : outer.path
      }
      around = chart.nodes[Int(around)].parent
    }
    return nil
  }

  /// Returns the active states for these leaves, outermost and first-listed first.
  package func active(at leafNumbers: [ChartInterpreter.LeafNumber]) -> [ChartInterpreter
    .StateNumber]
  {
    activeStates(at: leafNumbers).sorted()
  }

  /// Returns the active states for these leaves in no order: the leaves of regions, and the states around them.
  package func activeStates(at leafNumbers: [ChartInterpreter.LeafNumber]) -> Set<
    ChartInterpreter.StateNumber
  > {
    var found: Set<ChartInterpreter.StateNumber> = []
    for leafNumber in leafNumbers where leafNumber >= 0 {
      var state = chart.leafStates[Int(leafNumber)]
      while state >= 0, found.insert(state).inserted { state = chart.nodes[Int(state)].parent }
    }
    return found
  }

  /// Returns the state of a region that the text of its field means, with or without nested states.
  package func state(_ path: String, in region: Int) -> ChartInterpreter.StateNumber? {
    let head = chart.heads[region]
    if path == chart.chart.states[Int(head)].name, head > 0 { return head }
    let above = chart.chart.states[Int(head)].path
    let whole = above.isEmpty ? path : "\(above).\(path)"
    let found = chart.chart.states.firstIndex {
      $0.path == whole && Int($0.region) == region && !$0.path.isEmpty
    }
    return found.map(ChartInterpreter.StateNumber.init)
  }
}
