import LuaRuntime
import Moonlatch
import StateCharts

/// A flow's machines as a machine of XState 5, in JSON: guards and actions by names, for Stately's editor.
package struct XStateWriter {
  /// The text of the machine.
  package static func text(_ text: FlowText) -> String {
    let all = ExportedChart.all(of: text)
    let charts = text.flow.document == nil ? all : Array(all.prefix(1))
    let name = FlowFile.stem(of: text.flow.file)
    var fields: [String: Value]
    if charts.count == 1, let chart = charts.first {
      fields = XStateWriter(chart: chart).state(0)
    } else {
      var states: [String: Value] = [:]
      for chart in charts {
        states[chart.machine.name] = .record(XStateWriter(chart: chart).state(0))
      }
      fields = ["id": .string(name), "type": "parallel", "states": .record(states)]
    }
    fields["description"] = "written by moonlatch graph"
    return JSONText.visible(.record(fields)) + "\n"
  }

  let chart: ExportedChart

  private func state(_ number: Int) -> [String: Value] {
    let state = chart.chart.states[number]
    var fields: [String: Value] = ["id": .string(chart.ids[number])]
    switch state.kind {
    case .parallel: fields["type"] = "parallel"
    case .final: fields["type"] = "final"
    case .history(let depth):
      fields["type"] = "history"
      fields["history"] = depth == .deep ? "deep" : "shallow"
      if let target = state.transitions.first.map({ chart.targets(of: $0) })?.first {
        fields["target"] = .string("#\(target)")
      }
      return fields
    case .atomic, .compound: break
    }
    let entries = state.onEnter.map { Value.string(chart.name(of: $0)) }
    if !entries.isEmpty { fields["entry"] = .list(entries) }
    let exits = state.onExit.map { Value.string(chart.name(of: $0)) }
    if !exits.isEmpty { fields["exit"] = .list(exits) }
    add(state.transitions, to: &fields, of: number)
    var states: [String: Value] = [:]
    let children = chart.children(of: number)
    for child in children { states[key(of: child)] = .record(self.state(child)) }
    for depth in chart.histories(of: number) {
      let id = chart.historyID(of: number, depth)
      states[depth == .deep ? "deep" : "history"] = [
        "id": .string(id), "type": "history", "history": depth == .deep ? "deep" : "shallow",
      ]
    }
    if !states.isEmpty { fields["states"] = .record(states) }
    if state.kind == .compound, let first = beginning(of: number, among: children) {
      fields["initial"] = .string(first)
    }
    return fields
  }

  /// What a state is called beside its siblings.
  private func key(of number: Int) -> String {
    let name = chart.chart.states[number].name
    return name.hasPrefix("#") ? chart.ids[number] : name
  }

  /// The child with which a state begins: what begins deeper is that child's own.
  private func beginning(of number: Int, among children: [Int]) -> String? {
    guard let target = chart.chart.states[number].initial?.targets.first else {
      return children.first {
        if case .history = chart.chart.states[$0].kind { false } else { true }
      }.map(key)
    }
    return children.first { chart.chart.contains(Int32($0), target) }.map(key)
  }

  private func add(
    _ transitions: [Chart.Transition], to fields: inout [String: Value], of number: Int
  ) {
    var on: [String: [Value]] = [:]
    var after: [String: [Value]] = [:]
    var (always, done): ([Value], [Value]) = ([], [])
    for transition in transitions {
      let value = self.value(of: transition)
      switch transition.trigger {
      case .always: always.append(value)
      case .done: done.append(value)
      case .action(let name): on[name, default: []].append(value)
      case .events(let names):
        for name in names {
          // There an end is no event that has a name.
          if name == "done.state.\(chart.chart.states[number].name)" {
            done.append(value)
          } else {
            on[name, default: []].append(value)
          }
        }
      case .timer(let index):
        let timers = chart.chart.states[number].timers
        guard timers.indices.contains(index), case .seconds(let seconds) = timers[index].delay
        else { continue }
        after[String(Int((seconds * 1_000).rounded())), default: []].append(value)
      }
    }
    for timer in chart.chart.states[number].timers {
      guard case .action(let name) = timer.due, case .seconds(let seconds) = timer.delay else {
        continue
      }
      after[String(Int((seconds * 1_000).rounded())), default: []].append([
        "actions": .string("raise \(name)")
      ])
    }
    if !on.isEmpty { fields["on"] = .record(on.mapValues { .list($0) }) }
    if !after.isEmpty { fields["after"] = .record(after.mapValues { .list($0) }) }
    if !always.isEmpty { fields["always"] = .list(always) }
    if !done.isEmpty { fields["onDone"] = .list(done) }
  }

  private func value(of transition: Chart.Transition) -> Value {
    var fields: [String: Value] = [:]
    let targets =
      transition.reach == .stays ? [] : chart.targets(of: transition).map { Value.string("#\($0)") }
    if let target = targets.first {
      fields["target"] = targets.count == 1 ? target : .list(targets)
    }
    if let condition = transition.condition { fields["guard"] = .string(chart.name(of: condition)) }
    if let content = transition.content { fields["actions"] = .string(chart.name(of: content)) }
    if transition.reach == .reenters || transition.reach == .external { fields["reenter"] = true }
    if let refusal = transition.refusal { fields["description"] = .string(refusal) }
    return .record(fields)
  }
}
