import StateCharts

/// The regions of a machine that have their own fields in the state.
extension Machine {
  /// The numbers of the regions with a field in the state, each with the field's name.
  package var regionFields: [(number: Int, field: String)] {
    chart.regions.enumerated().compactMap { number, region in region.field.map { (number, $0) } }
  }

  /// Returns the values that the field of a region may have.
  package func values(of region: Int) -> [String] {
    compiled.leafStates.indices.filter {
      Int(compiled.nodes[Int(compiled.leafStates[$0])].region) == region
    }.map { compiled.value(of: ChartInterpreter.LeafNumber($0)) }
  }

  /// Returns the paths of all states in a region from its head; for an inner region they begin with the head's
  /// name.
  package func paths(in region: Int) -> [String] {
    let head = Int(compiled.heads[region])
    let above = chart.states[head].path.utf8.count
    let inside = chart.states[head...Int(chart.states[head].last)].dropFirst().map {
      String($0.path.utf8.dropFirst(above == 0 ? 0 : above + 1)) ?? $0.path
    }
    return head == 0 ? inside : [chart.states[head].name] + inside
  }
}
