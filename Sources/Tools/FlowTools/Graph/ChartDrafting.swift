import FlowLanguage
import StateCharts

/// A drawing of a machine with nested states, which shows each transition once, where it is listed.
struct ChartDrafting {
  private typealias Drawn = FlowDrawing.Chart
  private typealias Number = StateCharts.Chart.StateNumber

  private let machine: Machine
  private let chart: StateCharts.Chart
  private let use: StateUse
  private let conditions: ConditionText
  /// The states in the order of the drawing: of siblings the initial one comes first.
  private var order: [Number] = []
  private var numbers: [Number: Int] = [:]
  /// The notes of each state, by its number in the chart.
  private var notes: [[String]]
  private var arrows: [Drawn.Arrow] = []
  private var arrowAt: [Ends: Int] = [:]
  private var forks = 0
  /// The first timer of each state for each action.
  private let timers: [Number: [String: StateCharts.Chart.Timer]]
  /// The transitions that are drawn once for all children of a state.
  private var everywhere: [Number: Set<Copied>] = [:]

  private struct Ends: Hashable {
    let from: Drawn.End
    let to: Drawn.End
    let isEventless: Bool
  }

  /// A transition without its source: copies from a wildcard have this in common.
  private struct Copied: Hashable {
    let trigger: StateCharts.Chart.Trigger
    let condition: StateCharts.Chart.Function?
    let targets: [Number]
    let reach: StateCharts.Chart.Reach

    init(_ transition: StateCharts.Chart.Transition) {
      (trigger, condition, reach) = (transition.trigger, transition.condition, transition.reach)
      targets =
        transition.reach == .reenters && transition.targets == [transition.source]
        ? [] : transition.targets
    }
  }

  init(_ machine: Machine, use: StateUse, conditions: ConditionText) {
    (self.machine, chart, self.use) = (machine, machine.chart, use)
    self.conditions = conditions
    notes = chart.states.map { _ in [] }
    var timers: [Number: [String: StateCharts.Chart.Timer]] = [:]
    for (number, state) in chart.states.enumerated() where !state.timers.isEmpty {
      for timer in state.timers.reversed() {
        if case .action(let action) = timer.due {
          timers[Number(number), default: [:]][action] = timer
        }
      }
    }
    self.timers = timers
    let next = nextBeside()
    var open: [Number] = [0]
    while let state = open.popLast() {
      if state > 0 {
        numbers[state] = order.count
        order.append(state)
      }
      open += children(of: state, next).reversed()
    }
  }

  /// Returns for each state the siblings to which transitions lead from it or from inside it.
  private func nextBeside() -> [Number: [Number]] {
    var next: [Number: [Number]] = [:]
    for transition in chart.states.lazy.flatMap(\.transitions)
    where !transition.isFromWildcard && moves(transition) {
      for target in transition.targets {
        let around = chart.around(transition.source, target)
        guard around != transition.source, around != target else { continue }
        next[child(of: around, with: transition.source), default: []].append(
          child(of: around, with: target))
      }
    }
    return next
  }

  private func child(of around: Number, with inner: Number) -> Number {
    var state = inner
    while chart.states[Int(state)].parent != around { state = chart.states[Int(state)].parent }
    return state
  }

  /// Returns the children of a state in the order in which they are reached, then those to which nothing leads.
  private func children(of state: Number, _ next: [Number: [Number]]) -> [Number] {
    let children = Array(machine.compiled.children(of: state))
    guard let first = chart.states[Int(state)].initial?.targets.first else { return children }
    var sorted = [child(of: state, with: first)]
    var seen = Set(sorted)
    var place = 0
    while place < sorted.count {
      sorted += (next[sorted[place]] ?? []).filter { seen.insert($0).inserted }
      place += 1
    }
    return sorted + children.filter { !seen.contains($0) }
  }

  mutating func drawn() -> FlowDrawing.Chart {
    for number in [0] + order { addNote(number) }
    for number in [0] + order { drawTransitions(of: number) }
    return FlowDrawing.Chart(
      name: machine.name, notes: records + notes[0], states: order.map(state), arrows: arrows)
  }

  private var records: [String] {
    guard let records = machine.records else { return [] }
    let by = records.which.isEmpty ? "" : ", by " + records.which.joined(separator: ", ")
    return ["one for each of \(records.path.joined(separator: "."))\(by)"]
  }

  private func state(_ number: Number) -> FlowDrawing.Chart.State {
    let state = chart.states[Int(number)]
    let around = chart.states[Int(state.parent)]
    return FlowDrawing.Chart.State(
      name: state.name, parent: numbers[state.parent],
      isInitial: around.initial?.targets == [number], isFinal: state.kind == .final,
      isRegion: around.kind == .parallel, hasStates: state.last > number,
      notes: notes[Int(number)])
  }

  // MARK: Notes of states

  private mutating func addNote(_ number: Number) {
    let state = chart.states[Int(number)]
    var lines: [String] = []
    for (word, functions) in [("on_enter", state.onEnter), ("on_exit", state.onExit)] {
      for function in functions { lines.append(word + written(by: function, after: ": ")) }
    }
    if state.effect != nil {
      let ends = machine.effects[number].map { [("done", $0.onDone), ("error", $0.onError)] } ?? []
      lines.append(
        (["effect"] + ends.compactMap { end, action in action.map { "on_\(end): \($0)" } })
          .joined(separator: ", "))
    }
    let drawn = Set(state.transitions.filter(moves).map(\.trigger))
    for timer in state.timers {
      guard case .action(let action) = timer.due, !drawn.contains(.action(action)) else { continue }
      lines.append("\(timer.text): \(action)")
    }
    notes[Int(number)] = lines
  }

  private func written(by function: StateCharts.Chart.Function, after words: String) -> String {
    let fields = use.fieldsWritten(by: machine.functions[Int(function)])
    return fields.isEmpty
      ? "" : words + fields.map { $0 ?? "s[...]" }.sorted().joined(separator: ", ")
  }

  // MARK: Transitions

  /// Returns true if a transition has a target that is not active already.
  private func moves(_ transition: StateCharts.Chart.Transition) -> Bool {
    switch transition.reach {
    case .stays, .forbids: false
    case .inner: !transition.targets.allSatisfy { chart.contains($0, transition.source) }
    default: true
    }
  }

  private mutating func drawTransitions(of number: Number) {
    let state = chart.states[Int(number)]
    // The initial state is deeper than a child.
    if let first = state.initial?.targets.first, chart.states[Int(first)].parent != number,
      let end = numbers[first]
    {
      add(nil, .initial(numbers[number]), .state(end), false)
    }
    everywhere[number] = []
    for (transition, label) in transitionsEverywhere(in: number) {
      everywhere[number]?.insert(Copied(transition))
      draw(transition, from: .any(numbers[number]), label)
    }
    let around = everywhere[state.parent] ?? []
    var stays: [String] = []
    var counts: [StateCharts.Chart.Trigger: Int] = [:]
    for transition in state.transitions { counts[transition.trigger, default: 0] += 1 }
    for transition in state.transitions
    where !(transition.isFromWildcard && around.contains(Copied(transition))) {
      let label = label(
        of: transition, isOneOfSeveral: counts[transition.trigger, default: 0] > 1, number)
      if moves(transition) {
        draw(transition, from: origin(of: transition), label)
      } else if transition.reach != .forbids {
        stays.append(label)
      } else if transition.postpones {
        notes[Int(number)].append("postpones \(label)")
      } else if !(transition.isFromWildcard && state.kind == .final) {
        notes[Int(number)].append(
          "refuses \(label)" + (transition.refusal.map { ": \($0)" } ?? ""))
      }
    }
    if !stays.isEmpty { notes[Int(number)].append("stays: \(stays.joined(separator: ", "))") }
  }

  /// Returns the transitions that a wildcard lists for all children of a state, with their labels.
  private func transitionsEverywhere(in number: Number) -> [(StateCharts.Chart.Transition, String)]
  {
    let children = machine.compiled.children(of: number).filter {
      chart.states[Int($0)].kind != .final
    }
    guard children.count > 1 else { return [] }
    let transitions = children.map { chart.states[Int($0)].transitions }
    // The number of children that have each transition, from the wildcard and of their own.
    var copies: [Copied: Int] = [:]
    var others: [StateCharts.Chart.Trigger: Int] = [:]
    for own in transitions {
      for copied in Set(own.lazy.filter(\.isFromWildcard).map(Copied.init)) {
        copies[copied, default: 0] += 1
      }
      for trigger in Set(own.lazy.filter { !$0.isFromWildcard }.map(\.trigger)) {
        others[trigger, default: 0] += 1
      }
    }
    var listed = Set<Copied>()
    return transitions.joined().filter { transition in
      guard transition.isFromWildcard, moves(transition), listed.insert(Copied(transition)).inserted
      else {
        return false
      }
      let copies = copies[Copied(transition), default: 0]
      return copies > 1 && copies + others[transition.trigger, default: 0] == transitions.count
    }.map { ($0, label(of: $0, isOneOfSeveral: false, nil)) }
  }

  private func origin(of transition: StateCharts.Chart.Transition) -> FlowDrawing.Chart.End {
    let number = numbers[transition.source]
    guard let number, chart.states[Int(transition.source)].last > transition.source else {
      return number.map { .state($0) } ?? .any(nil)
    }
    return transition.targets.contains { chart.contains(transition.source, $0) }
      ? .any(number) : .state(number)
  }

  private mutating func draw(
    _ transition: StateCharts.Chart.Transition, from: FlowDrawing.Chart.End, _ label: String
  ) {
    let isEventless = transition.trigger == .always || transition.trigger == .done
    let ends = transition.targets.compactMap { end(at: $0, of: transition) }
    guard ends.count > 1 else {
      if let end = ends.first { add(label, from, end, isEventless, transition) }
      return
    }
    let around = transition.targets.reduce(transition.source) { chart.around($0, $1) }
    let fork = Drawn.End.fork(forks, inside: numbers[around])
    forks += 1
    add(label, from, fork, isEventless, transition)
    for end in ends { add(nil, fork, end, false, transition) }
  }

  /// Returns the end of an arrow; nil for the machine itself, which is never entered from outside.
  private func end(
    at target: Number, of transition: StateCharts.Chart.Transition
  ) -> FlowDrawing.Chart.End? {
    guard let number = numbers[target] else { return .initial(nil) }
    if let history = transition.history { return .history(number, history) }
    let isInside = chart.contains(target, transition.source)
    guard isInside, chart.states[Int(target)].last > target else { return .state(number) }
    return .initial(number)
  }

  private mutating func add(
    _ label: String?, _ from: FlowDrawing.Chart.End, _ to: FlowDrawing.Chart.End,
    _ isEventless: Bool,
    _ transition: StateCharts.Chart.Transition? = nil
  ) {
    let ends = Ends(from: from, to: to, isEventless: isEventless)
    if arrowAt[ends] == nil {
      arrowAt[ends] = arrows.count
      arrows.append(
        Drawn.Arrow(
          from: from, to: to, isEventless: isEventless,
          isBack: position(of: to) < position(of: from),
          labels: []))
    }
    guard let index = arrowAt[ends] else { return }
    if let label { arrows[index].labels.append(label) }
    if case .action(let action)? = transition?.trigger { arrows[index].actions.insert(action) }
  }

  /// Returns the position of an end in the order of states.
  private func position(of end: FlowDrawing.Chart.End) -> Int {
    switch end {
    case .state(let number), .history(let number, _): number
    case .any(let number), .initial(let number), .fork(_, let number): number ?? -1
    }
  }

  // MARK: Labels

  private func label(
    of transition: StateCharts.Chart.Transition, isOneOfSeveral: Bool, _ number: Number?
  ) -> String {
    var label = machine.text(of: transition.trigger, in: transition.source)
    if let condition = transition.condition {
      label += " [\(conditions.name(of: condition, in: machine))]"
    } else if isOneOfSeveral {
      label += " [else]"
    }
    if transition.reach == .reenters { label += " (reenter)" }
    if let content = transition.content { label += written(by: content, after: " / ") }
    if case .action(let action) = transition.trigger, moves(transition),
      let timer = number.flatMap({ timers[$0]?[action] })
    {
      label += "\n\(timer.text)"
    }
    return label
  }
}
