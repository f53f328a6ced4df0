import FlowLanguage
import StateCharts

/// A check of the table of a machine with nested states for contradictions.
struct ChartCheck {
  let machine: Machine
  let lines: DeclarationLines
  /// For each state, true if it can ever be active.
  let reached: [Bool]
  /// Returns true if a transition can be taken at all, without regard to its condition.
  let passes: (CompiledChart.TransitionNumber) -> Bool
  let untried: Set<CompiledChart.TransitionNumber>
  private let beside: TransitionPlaces

  init(
    machine: Machine, lines: DeclarationLines, reached: [Bool],
    passes: @escaping (CompiledChart.TransitionNumber) -> Bool,
    untried: Set<CompiledChart.TransitionNumber>
  ) {
    (self.machine, self.lines, self.reached) = (machine, lines, reached)
    (self.passes, self.untried) = (passes, untried)
    beside = TransitionPlaces(machine.compiled)
  }

  private var chart: CompiledChart { machine.compiled }
  private var analysis: ChartAnalysis { ChartAnalysis(chart) }

  var findings: [Finding] {
    unreachable + deadEnds + untriedTransitions + conflicts + overruled + ends
      + transitions.flatMap(check)
      + missing
  }

  private var transitions: [CompiledChart.TransitionNumber] { chart.rows.indices.map(Int32.init) }

  private var unreachable: [Finding] {
    states.filter { !isReached($0) && isReached(parent($0)) }.map {
      Finding(
        .unreachableState, at: place(of: [], in: $0),
        "\(machine.title): no transition leads to \(path($0)), and it is not initial")
    }
  }

  private var deadEnds: [Finding] {
    analysis.withoutTransitionOut(by: passes).filter { isReached($0) && !isRegion($0) }.map {
      Finding(
        .deadEnd, at: place(of: [], in: $0),
        "\(machine.title): no transition leaves \(path($0)); write final = true if that is intended"
      )
    }
  }

  private var untriedTransitions: [Finding] {
    untried.sorted().compactMap { number in
      let transition = chart.transition(number)
      guard !transition.isFromWildcard, isReached(transition.source) else { return nil }
      let trigger = machine.text(of: transition.trigger, in: transition.source)
      let isEventless = transition.trigger == .always || transition.trigger == .done
      let listed = "\(machine.title): \(prefix(transition.source))\(trigger)"
      let message: String
      if let before = beside.open(before: number) {
        message =
          "\(listed) never \(isEventless ? "takes" : "tries") \(title(transition)), because "
          + "\(title(before)) comes before it without a condition"
      } else {
        message =
          "\(listed) is never \(isEventless ? "taken" : "tried"), because every state inside "
          + "\(nameOf(transition.source)) lists \(trigger) without a condition"
      }
      return Finding(isEventless ? .neverDue : .untriedTarget, at: self.place(of: number), message)
    }
  }

  private func title(_ transition: Chart.Transition) -> String {
    transition.targets.isEmpty
      ? "the transition that stays" : transition.targets.map(nameOf).joined(separator: " and ")
  }

  private var conflicts: [Finding] {
    var told: Set<String> = []
    return analysis.conflicts().compactMap { conflict in
      let (taken, other) = (chart.transition(conflict.taken), chart.transition(conflict.other))
      let around = chart.chart.around(taken.source, other.source)
      let regions = [taken, other].map { region(of: $0.source, in: around) }
      let trigger = machine.text(of: taken.trigger, in: taken.source)
      let message =
        "\(machine.title): \(trigger) can leave \(nameOf(around)) from \(regions[0]) and from "
        + "\(regions[1]) at once; the transition of \(regions[0]) is taken"
      guard told.insert(message).inserted else { return nil }
      return Finding(.conflictingTransitions, at: place(of: conflict.taken), message)
    }
  }

  private var overruled: [Finding] {
    analysis.overruledRefusals().map { refusal, taken in
      let (refusing, taking) = (chart.transition(refusal), chart.transition(taken))
      let action = machine.text(of: refusing.trigger, in: refusing.source)
      let isAround = chart.contains(taking.source, refusing.source)
      return Finding(
        .overruledRefusal, at: place(of: refusal),
        "\(machine.title): \(prefix(refusing.source))\(action) refuses only for its own region: "
          + "\(nameOf(taking.source)) \(isAround ? "around" : "beside") it still takes "
          + "\(action); to refuse for both, check with when and in_state there, or make it a separate machine"
      )
    }
  }

  /// Returns the name of the region of a parallel state that contains another state.
  private func region(of state: Chart.StateNumber, in parallel: Chart.StateNumber) -> String {
    var region = state
    while parent(region) != parallel { region = parent(region) }
    return chart.chart.states[Int(region)].name
  }

  private var ends: [Finding] {
    analysis.finishingUnheard(by: passes).filter { isReached($0.state) }.map { end in
      let around = chart.chart.states[Int(parent(end.state))].name
      let isRegion = end.finished != parent(end.state)
      return Finding(
        .unheardEnd, at: place(of: [], in: end.state),
        "\(machine.title): \(chart.chart.states[Int(end.state)].name) finishes \(around), but "
          + "\(isRegion ? nameOf(end.finished) : "it") has no on_done"
          + (end.isTrap
            ? ", and no other transition leaves it: a case of this flow never ends" : ""))
    }
  }

  // MARK: Single transitions and timers

  private func check(_ number: CompiledChart.TransitionNumber) -> [Finding] {
    let transition = chart.transition(number)
    guard !transition.isFromWildcard else { return [] }
    let listed =
      "\(prefix(transition.source))\(machine.text(of: transition.trigger, in: transition.source))"
    if transition.trigger == .always, let target = transition.targets.first,
      transition.reach == .inner,
      transition.targets.allSatisfy({ chart.contains($0, transition.source) })
    {
      return [
        Finding(
          .neverDue, at: place(of: number),
          "\(machine.title): \(listed) is never taken, because \(nameOf(target)) is active already")
      ]
    }
    if transition.history == .shallow, let target = transition.targets.first(where: isParallel) {
      return [
        Finding(
          .idleHistory, at: place(of: number),
          "\(machine.title): \(listed): history = true has no effect on \(nameOf(target)), whose "
            + "regions are all entered anyway; write history = \"deep\"")
      ]
    }
    return []
  }

  private func isParallel(_ state: Chart.StateNumber) -> Bool {
    chart.nodes[Int(state)].kind == .parallel
  }

  // MARK: Actions that all but one list

  /// The number of sibling states that must list an action before one without it is reported.
  private static let fewest = 4

  private var missing: [Finding] {
    states.flatMap { (table: Chart.StateNumber) -> [Finding] in
      guard !isParallel(table) else { return [] }
      let beside = chart.children(of: table).filter { chart.nodes[Int($0)].kind != .final }
      guard beside.count >= ChartCheck.fewest else { return [] }
      let listed = beside.map { Set(actions(of: $0)) }
      var counts: [String: Int] = [:]
      for name in listed.joined() { counts[name, default: 0] += 1 }
      let around = actionsAround(table)
      return counts.filter { $0.value == beside.count - 1 && !around.contains($0.key) }
        .sorted { $0.key < $1.key }.compactMap { name, _ in
          guard let place = listed.firstIndex(where: { !$0.contains(name) }),
            !actions(inside: beside[place]).contains(name)
          else { return nil }
          return Finding(
            .missingTransition, at: self.place(of: [], in: beside[place]),
            "\(machine.title): \(path(beside[place])) is the only state in \(nameOf(table)) without "
              + "\(name); write \(name) = false if that is intended")
        }
    }
  }

  private func actions(inside state: Chart.StateNumber) -> Set<String> {
    var names: Set<String> = []
    for inner in Int(state)...Int(chart.nodes[Int(state)].last) {
      names.formUnion(actions(of: Int32(inner)))
    }
    return names
  }

  private func actionsAround(_ state: Chart.StateNumber) -> Set<String> {
    var names: Set<String> = []
    var around = state
    while around >= 0 {
      names.formUnion(actions(of: around))
      around = parent(around)
    }
    return names
  }

  private func actions(of state: Chart.StateNumber) -> [String] {
    chart.chart.states[Int(state)].transitions.compactMap {
      if case .action(let name) = $0.trigger { name } else { nil }
    }
  }

  // MARK: Names and places

  private var states: [Chart.StateNumber] { chart.nodes.indices.map(Int32.init) }

  private func isReached(_ state: Chart.StateNumber) -> Bool { state < 0 || reached[Int(state)] }

  private func parent(_ state: Chart.StateNumber) -> Chart.StateNumber {
    chart.nodes[Int(state)].parent
  }

  private func isRegion(_ state: Chart.StateNumber) -> Bool {
    chart.heads[Int(chart.nodes[Int(state)].region)] == state
  }

  private func path(_ state: Chart.StateNumber) -> String { chart.chart.states[Int(state)].path }

  private func nameOf(_ state: Chart.StateNumber) -> String {
    state == 0 ? machine.name : path(state)
  }

  private func prefix(_ state: Chart.StateNumber) -> String {
    state == 0 ? "" : path(state) + "."
  }

  private func place(
    of keys: DeclarationLines.Path, in state: Chart.StateNumber
  ) -> SourcePlace {
    // A document has the place of each state.
    if chart.chart.dialect == .scxml, let place = SourcePlace(chart.chart.states[Int(state)].place)
    {
      return place
    }
    return lines.place(
      of: chart.chart.keys(of: state) + keys, in: "machine", named: machine.name,
      at: machine.place)
  }

  /// Returns the place where a transition is listed: the word, and its index if there are several.
  private func place(of number: CompiledChart.TransitionNumber) -> SourcePlace {
    let transition = chart.transition(number)
    if case .scxml = chart.chart.dialect, let place = SourcePlace(transition.place) { return place }
    let word: String
    switch transition.trigger {
    case .action(let name): word = name
    case .always: word = "always"
    case .done: word = "on_done"
    case .timer, .events: return place(of: [], in: transition.source)
    }
    let index = beside.place(of: number)
    let keys: DeclarationLines.Path = [.field(word)] + (index > 0 ? [.index(index + 1)] : [])
    return place(of: keys, in: transition.source)
  }
}
