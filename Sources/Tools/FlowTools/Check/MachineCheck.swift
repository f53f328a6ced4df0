import FlowLanguage
import StateCharts

/// A check of the tables of machines, scopes and gates for contradictions.
struct MachineCheck {
  let flow: Flow
  let reach: Reachability
  let lines: DeclarationLines

  var findings: [Finding] { machines + actions + gates }

  private var machines: [Finding] {
    flow.machines.indices.flatMap { (index: Int) -> [Finding] in
      let machine = flow.machines[index]
      let timers = unheardTimers(of: machine) + unknownKeys(of: index)
      if machine.isFlat {
        return machine.states.indices.flatMap { check(state: $0, of: index) } + timers
      }
      let chart = ChartCheck(
        machine: machine, lines: lines, reached: reach.states[index],
        passes: { reach.passes($0, of: index) }, untried: reach.untried[index])
      return chart.findings + timers
    }
  }

  /// Returns the timers whose action the machine lists, but in no state around or inside theirs.
  private func unheardTimers(of machine: Machine) -> [Finding] {
    machine.chart.states.enumerated().flatMap { (number, state) -> [Finding] in
      state.timers.compactMap { (timer) -> Finding? in
        guard case .action(let name) = timer.due, let takers = machine.takers[name],
          !machine.chart.touches(Int32(number), anyOf: takers)
        else { return nil }
        let word = timer.repeats ? "every" : "after"
        let place = lines.place(
          of: machine.chart.keys(of: Int32(number)) + [.field(word), .field(name)],
          in: "machine", named: machine.name, at: machine.place)
        return Finding(
          .unheardTimer, at: place,
          "\(machine.title): \(state.path).\(word).\(name) is always refused, since neither "
            + "\(state.path) nor a state around or inside it lists \(name)")
      }
    }
  }

  /// Returns the names in `which` that no action of a machine has as a field: each such action is about all records.
  private func unknownKeys(of index: Int) -> [Finding] {
    let machine = flow.machines[index]
    guard let records = machine.records, records.whichIn.isEmpty else { return [] }
    let actions = flow.actions.filter { $0.machines.contains(index) }
    guard !actions.isEmpty else { return [] }
    return records.which.filter { name in
      actions.allSatisfy { $0.payload.type(ofField: name) == nil }
    }.map { name in
      let fields = Set(actions.flatMap(\.payload.fieldNames)).sorted()
      return Finding(
        .unknownField, at: place(of: [.field("which")], in: machine),
        "\(machine.title): no action that it lists has the field \(name), so each is about all records"
          + Names.suggestion(for: name, among: fields))
    }
  }

  private func check(state index: Int, of machine: Int) -> [Finding] {
    let chart = flow.machines[machine]
    let state = chart.states[index]
    guard reach.states[machine][index + 1] else {
      return [
        Finding(
          .unreachableState, at: place(of: [.field(state.name)], in: chart),
          "\(chart.title): no transition leads to \(state.name) from \(chart.states[chart.initial].name)"
        )
      ]
    }
    var findings = untriedTargets(of: state, in: chart)
    // A transition back to the state itself does not lead out, but it is a use, which a final state would not allow.
    let isLeft = state.transitions.keys.contains(where: reach.actions.contains)
    if !isLeft, !state.isFinal, chart.states.count > 1 {
      findings.append(
        Finding(
          .deadEnd, at: place(of: [.field(state.name)], in: chart),
          "\(chart.title): no transition leaves \(state.name); write final = true if that is intended"
        ))
    }
    return findings
  }

  private func untriedTargets(of state: Machine.State, in chart: Machine) -> [Finding] {
    state.transitions.sorted { $0.key < $1.key }.compactMap { action, targets in
      guard let open = targets.firstIndex(where: { $0.guardRule == nil }), open + 1 < targets.count
      else { return nil }
      let untried = targets[(open + 1)...].map { chart.states[$0.state].name }
      return Finding(
        .untriedTarget,
        at: place(of: [.field(state.name), .field(action), .index(open + 2)], in: chart),
        "\(chart.title): \(state.name).\(action) never tries \(untried.joined(separator: ", ")), "
          + "because \(chart.states[targets[open].state].name) comes before it without a condition")
    }
  }

  private func place(of path: DeclarationLines.Path, in chart: Machine) -> SourcePlace {
    lines.place(of: path, in: "machine", named: chart.name, at: chart.place)
  }

  private var actions: [Finding] {
    flow.actions.compactMap { action in
      if !reach.actions.contains(action.name) {
        return Finding(
          .impossibleAction, at: action.place,
          "action \(action.name) can never pass: \(obstacle(to: action))")
      }
      guard action.reducer == nil, action.machines.isEmpty, action.gatekeepers.isEmpty,
        action.effects.isEmpty
      else { return nil }
      let gated =
        action.rules.isEmpty && action.scope == nil
        ? "nothing gates it and nothing happens when it passes" : "nothing happens when it passes"
      return Finding(
        .idleAction, at: action.place,
        "action \(action.name): \(gated) (no reducer, machine, gatekeeper or effect)")
    }
  }

  private func obstacle(to action: Action) -> String {
    for index in action.machines {
      let machine = flow.machines[index]
      if machine.records?.without.contains(action.name) == true { continue }
      let isListed = (machine.takers[action.name] ?? []).contains(
        where: { reach.states[index][Int($0)] })
      if !isListed {
        let takers = machine.states(taking: action.name)
        if takers.isEmpty { return "\(machine.title) lists it only to refuse it" }
        let more = takers.count > 20 ? ", ... and \(takers.count - 20) more" : ""
        let names = takers.prefix(20).joined(separator: ", ") + more
        return "\(machine.title) takes it only in \(names), which it never reaches"
      }
    }
    let scope = action.scope.map { flow.scopes[$0].name } ?? ScopeDeclaration.root
    return "its scope \(scope) never opens"
  }

  /// The rules none of whose actions ever gets as far as step 5.
  private var gates: [Finding] {
    var asked: [SourcePlace: Bool] = [:]
    var rules: [GateRule] = []
    for action in flow.actions {
      for rule in action.rules {
        if asked[rule.function.place] == nil { rules.append(rule) }
        asked[rule.function.place, default: false] =
          asked[rule.function.place, default: false] || reach.actions.contains(action.name)
      }
    }
    return rules.filter { asked[$0.function.place] == false }.map {
      Finding(
        .unaskedGate, at: $0.function.place,
        "\($0.title) is never evaluated: none of its actions gets that far")
    }
  }
}
