import LuaRuntime
import StateCharts

/// Makes machines of what the prelude notes of `machine.NAME { ... }`.
struct MachineReader {
  package private(set) var faults: [Diagnostic] = []
  private let lines: DeclarationLines
  /// The names of all actions, sorted.
  private let actions: [String]

  init(lines: DeclarationLines, actions: [String]) {
    (self.lines, self.actions) = (lines, actions.sorted())
  }

  package mutating func read(_ entry: Value, place: SourcePlace) -> Machine? {
    guard let note = MachineDeclaration(entry) else { return nil }
    var builder = ChartBuilder(note, place: place, lines: lines, actions: actions)
    let begins = builder.build()
    faults += builder.faults
    guard begins else { return nil }
    let machine = Machine(builder, place: place)
    let analysis = ChartAnalysis(machine.compiled)
    guard machine.isFlat else {
      // One that leads nowhere at all is told as the way that it is.
      let circle = analysis.circles().first {
        $0.contains { !machine.compiled.targets(of: $0).isEmpty }
      }
      if let circle { tell(circle, of: machine) }
      return machine
    }
    for number in analysis.unreachable() {
      let state = machine.chart.states[Int(number)].name
      let found = lines.place(
        of: [.field(state)], in: "machine", named: machine.name, at: place)
      faults.append(
        Diagnostic(
          file: found.file, line: found.line,
          message: "\(machine.title): no transition leads to \(state) from "
            + machine.states[machine.initial].name))
    }
    return machine
  }

  /// Circles of eventless transitions that would be taken for ever, whatever conditions say.
  private mutating func tell(_ circle: [CompiledChart.TransitionNumber], of machine: Machine) {
    let transitions = circle.map(machine.compiled.transition)
    guard let first = transitions.first else { return }
    let word = first.trigger == .done ? "on_done" : "always"
    let found = lines.place(
      of: machine.chart.keys(of: first.source) + [.field(word)], in: "machine",
      named: machine.name, at: machine.place)
    let states = (transitions + [first]).map { machine.chart.states[Int($0.source)].path }
    faults.append(
      Diagnostic(
        file: found.file, line: found.line,
        message: "\(machine.title): \(word) leads in a circle without a condition: "
          + states.joined(separator: " -> ")))
  }
}

extension Machine {
  /// A chart, and the same without its structure where it has none.
  fileprivate init(_ builder: ChartBuilder, place: SourcePlace) {
    let (chart, functions, isFlat) = (builder.chart, builder.functions, builder.isFlat)
    // Nothing is listed outside the states of a flat chart, and they stand behind the outermost.
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
      return Delay(action: action, time: time, written: timer.written)
    }
  }
}

extension FlowFunction {
  /// A function that the prelude keeps inside a table; nil for none.
  package convenience init?(_ entry: Value?, name: String) {
    guard let entry, let reference = entry["ref"]?.integerValue else { return nil }
    self.init(
      name: name,
      place: SourcePlace(
        file: entry["file"]?.stringValue ?? "", line: entry["line"]?.integerValue ?? 0),
      lastLine: entry["last_line"]?.integerValue ?? 0,
      parameters: entry["parameters"]?.integerValue ?? 0,
      reference: LuaReference(number: reference))
  }
}

extension Value {
  package var doubleValue: Double? {
    switch self {
    case .integer(let integer): Double(integer)
    case .number(let number): number
    default: nil
    }
  }
}
