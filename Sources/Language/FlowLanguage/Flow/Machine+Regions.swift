import StateCharts

/// The parts of a machine that have fields of their own in the state.
extension Machine {
  /// The numbers of the regions that have a field of the state's, with its name.
  package var regionFields: [(number: Int, field: String)] {
    chart.regions.enumerated().compactMap { number, region in region.field.map { (number, $0) } }
  }

  /// What the field of a region may say.
  package func values(of region: Int) -> [String] {
    compiled.leafStates.indices.filter {
      Int(compiled.nodes[Int(compiled.leafStates[$0])].region) == region
    }.map { compiled.value(of: ChartInterpreter.LeafNumber($0)) }
  }

  /// The states of a region as paths from its head, those inside them too; the head itself by its name.
  package func paths(in region: Int) -> [String] {
    let head = Int(compiled.heads[region])
    let above = chart.states[head].path.utf8.count
    let inside = chart.states[head...Int(chart.states[head].last)].dropFirst().map {
      String($0.path.utf8.dropFirst(above == 0 ? 0 : above + 1)) ?? $0.path
    }
    return head == 0 ? inside : [chart.states[head].name] + inside
  }
}
