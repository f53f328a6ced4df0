import LuaRuntime
import StateCharts

/// A reader that makes machines of the prelude's description of `machine.NAME { ... }`.
struct MachineReader {
  package private(set) var faults: [Diagnostic] = []
  private let lines: DeclarationLines
  /// The names of all actions, sorted.
  let actions: [String]

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
      // Only a cycle in which some transition has a target is reported here.
      let circle = analysis.circles().first {
        $0.contains { !machine.compiled.targets(of: $0).isEmpty }
      }
      if let circle { reportCycle(circle, of: machine) }
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

  /// Reports a cycle of eventless transitions that would be taken forever while all guards refuse.
  private mutating func reportCycle(_ circle: [CompiledChart.TransitionNumber], of machine: Machine)
  {
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
        message: "\(machine.title): \(word) leads in an endless cycle without a condition: "
          + states.joined(separator: " -> ")))
  }
}
