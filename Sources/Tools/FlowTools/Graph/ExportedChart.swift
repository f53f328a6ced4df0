import Moonlatch
import StateCharts

/// A machine as other tools' formats tell it: ids that are unique in the whole file, and names for its functions.
struct ExportedChart {
  let machine: Machine
  /// The id of each state; the outermost one's is the machine's name.
  let ids: [String]
  private let text: FlowText
  /// For each state those right inside it.
  private let inner: [[Int]]
  /// For each state that ways lead into as it was left how deep it is remembered.
  private let depths: [Chart.StateNumber: Set<Chart.Depth>]

  private init(machine: Machine, ids: [String], text: FlowText) {
    (self.machine, self.ids, self.text) = (machine, ids, text)
    var inner: [[Int]] = machine.chart.states.map { _ in [] }
    var depths: [Chart.StateNumber: Set<Chart.Depth>] = [:]
    for (number, state) in machine.chart.states.enumerated() {
      if state.parent >= 0 { inner[Int(state.parent)].append(number) }
      for transition in state.transitions {
        guard let depth = transition.history else { continue }
        for target in transition.targets { depths[target, default: []].insert(depth) }
      }
    }
    (self.inner, self.depths) = (inner, depths)
  }

  /// The machines of a flow, in order.
  static func all(of text: FlowText) -> [ExportedChart] {
    var taken: Set<String> = []
    return text.flow.machines.map { machine in
      var ids: [String] = []
      for (number, state) in machine.chart.states.enumerated() {
        let short = word(number == 0 ? machine.name : state.name)
        let wanted = short.hasPrefix("#") ? "state\(number)" : short
        let name = word(machine.name)
        if number == 0, machine.chart.dialect == .scxml {
          // The document itself is no state: its states have their ids, whatever it is called.
          let isTaken = machine.chart.states.dropFirst().contains { $0.name == short }
          ids.append(isTaken ? "\(short).document" : short)
          continue
        }
        var id = wanted
        if taken.contains(id) { id = "\(name).\(state.path.isEmpty ? wanted : word(state.path))" }
        var count = 2
        while taken.contains(id) {
          id = "\(name).\(wanted).\(count)"
          count += 1
        }
        taken.insert(id)
        ids.append(id)
      }
      return ExportedChart(machine: machine, ids: ids, text: text)
    }
  }

  /// A name without blanks, which end a name in a document.
  static func word(_ name: String) -> String {
    String(name.map { $0.isWhitespace ? "_" : $0 })
  }

  var chart: Chart { machine.chart }

  /// The states right inside another one.
  func children(of state: Int) -> [Int] { inner[state] }

  /// What a function is called: where it stands, and a condition of a document by its text.
  func name(of function: Chart.Function) -> String {
    let found = machine.functions[Int(function)]
    if let condition = text.flow.document?.conditions[function] { return condition }
    let file = found.place.file.split(separator: "/").last.map(String.init) ?? found.place.file
    return "\(found.name.isEmpty ? "function" : found.name) (\(file):\(found.place.line))"
  }

  /// The events that a way waits for; none where it waits for nothing.
  func events(of transition: Chart.Transition) -> [String] {
    switch transition.trigger {
    case .action(let name): [ExportedChart.word(name)]
    case .events(let names): names
    case .always: []
    case .done: ["done.state.\(ids[Int(transition.source)])"]
    case .timer(let number): [timer(number, of: Int(transition.source))]
    }
  }

  /// What the event of a timed way is called.
  func timer(_ number: Int, of state: Int) -> String { "after.\(ids[state]).\(number + 1)" }

  /// How a state is remembered that ways lead into as it was left.
  func histories(of state: Int) -> [Chart.Depth] {
    [Chart.Depth.shallow, .deep].filter { depths[Int32(state)]?.contains($0) == true }
  }

  func historyID(of state: Int, _ depth: Chart.Depth) -> String {
    "\(ids[state]).\(depth == .deep ? "deep" : "history")"
  }

  /// The ids to which a way leads.
  func targets(of transition: Chart.Transition) -> [String] {
    transition.targets.map { target in
      transition.history.map { historyID(of: Int(target), $0) } ?? ids[Int(target)]
    }
  }

  /// Where a state begins, if that is not its first.
  func beginning(of state: Int) -> [String]? {
    chart.states[state].initial.map { $0.targets.map { ids[Int($0)] } }
  }
}
