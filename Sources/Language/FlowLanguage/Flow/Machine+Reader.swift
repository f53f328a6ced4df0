import LuaRuntime
import StateCharts

extension Machine {
  /// Creates a machine from a built chart, with `states` if the chart is flat.
  init(_ builder: ChartBuilder, place: SourcePlace) {
    let (chart, functions, isFlat) = (builder.chart, builder.functions, builder.isFlat)
    // In a flat chart nothing is listed outside the states, and all states follow the outermost one.
    let outer = chart.states.indices.dropFirst().filter { chart.states[$0].parent == 0 }
    if !isFlat {
      self.init(
        name: builder.note.name, place: place, states: [], initial: 0, chart: chart,
        functions: functions, effects: builder.effects, records: builder.note.records,
        isFlat: false, actions: builder.named)
      return
    }
    let states = outer.map { number in
      State(
        name: chart.states[number].name,
        transitions: Machine.transitions(of: chart.states[number], functions),
        timers: Machine.timers(of: chart.states[number], functions),
        onEnter: chart.states[number].onEnter.first.map { functions[Int($0)] },
        onExit: chart.states[number].onExit.first.map { functions[Int($0)] },
        isFinal: chart.states[number].kind == .final)
    }
    let first = chart.states[0].initial?.targets.first ?? 1
    self.init(
      name: builder.note.name, place: place, states: states,
      initial: outer.lastIndex { $0 <= Int(first) } ?? 0, chart: chart, functions: functions,
      effects: builder.effects, records: builder.note.records, isFlat: true,
      actions: builder.named)
  }

  private static func transitions(
    of state: Chart.State, _ functions: [FlowFunction]
  ) -> [String: [Target]] {
    var transitions: [String: [Target]] = [:]
    for transition in state.transitions {
      guard case .action(let action) = transition.trigger, let target = transition.targets.first
      else { continue }
      transitions[action, default: []].append(
        Target(
          state: Int(target) - 1, guardRule: transition.condition.map { functions[Int($0)] },
          reenters: transition.reach == .reenters))
    }
    return transitions
  }

  package static func timers(of state: Chart.State, _ functions: [FlowFunction]) -> [Delay] {
    state.timers.compactMap { timer in
      guard case .action(let action) = timer.due else { return nil }
      let time: Delay.Time =
        switch timer.delay {
        case .seconds(let seconds): .seconds(seconds)
        case .workedOut(let function): .workedOut(functions[Int(function)])
        }
      return Delay(action: action, time: time)
    }
  }
}
