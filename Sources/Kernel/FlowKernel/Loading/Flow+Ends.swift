import FlowLanguage
import StateCharts

extension Flow {
  /// The fields of machines that can end, each with the names of its final states.
  package var finalStates: [String: Set<String>] {
    var finals: [String: Set<String>] = [:]
    for machine in machines where machine.records == nil {
      let chart = machine.chart
      let isParallel = chart.states.first?.kind == .parallel
      for state in chart.states where state.kind == .final {
        let around = state.parent
        let isOutermost = isParallel ? chart.states[Int(around)].parent == 0 : around == 0
        guard isOutermost, let field = chart.regions[Int(state.region)].field else { continue }
        finals[field, default: []].insert(state.name)
      }
    }
    return finals
  }
}
