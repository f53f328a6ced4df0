import LuaRuntime
import StateCharts

extension Machine {
  /// The stops of a chart as if they were states beside each other, by their paths.
  static func stops(of chart: CompiledChart, _ functions: [FlowFunction]) -> [State] {
    let actions = chart.actionNames.enumerated().dropFirst(2)
    var ends: [Chart.StateNumber: Int] = [:]
    return chart.stopStates.indices.map { index in
      let number = chart.stopStates[index]
      let state = chart.chart.states[Int(number)]
      var transitions: [String: [Target]] = [:]
      for (action, name) in actions {
        for way in chart.offers(Int32(action), at: Planner.Stop(index)) {
          let listed = chart.way(way)
          if listed.reach == .forbids { continue }
          let to = listed.targets.first.flatMap { end(of: $0, in: chart, &ends) } ?? index
          transitions[name, default: []].append(
            Target(
              state: to, guardRule: listed.condition.map { functions[Int($0)] },
              reenters: listed.reach == .reenters))
        }
      }
      var timers: [Delay] = []
      var around = number
      while around >= 0 {
        timers += Machine.timers(of: chart.chart.states[Int(around)], functions)
        around = chart.nodes[Int(around)].parent
      }
      return State(
        name: state.path, transitions: transitions, timers: timers,
        onEnter: state.onEnter.first.map { functions[Int($0)] },
        onExit: state.onExit.first.map { functions[Int($0)] }, isFinal: state.kind == .final)
    }
  }

  /// The stop at which the region of a state is once that was entered.
  private static func end(
    of state: Chart.StateNumber, in chart: CompiledChart, _ known: inout [Chart.StateNumber: Int]
  ) -> Int? {
    if let stop = known[state] { return stop }
    var inner = state
    while chart.nodes[Int(inner)].stop < 0,
      let next = chart.chart.states[Int(inner)].initial?
        .targets.first, next > inner
    { inner = next }
    let stop = chart.nodes[Int(inner)].stop
    if stop >= 0 { known[state] = Int(stop) }
    return known[state]
  }

  /// The numbers of the regions that have a field of the state's, with its name.
  package var regionFields: [(number: Int, field: String)] {
    chart.regions.enumerated().compactMap { number, region in region.field.map { (number, $0) } }
  }

  /// What the field of a region may say.
  package func values(of region: Int) -> [String] {
    compiled.stopStates.indices.filter {
      Int(compiled.nodes[Int(compiled.stopStates[$0])].region) == region
    }.map { compiled.value(of: Planner.Stop($0)) }
  }
}
