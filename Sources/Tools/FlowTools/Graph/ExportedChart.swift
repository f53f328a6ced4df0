import FlowLanguage
import StateCharts

/// A machine as a tree of exported states.
struct ExportedChart {
  let machine: Machine
  let format: ExportFormat
  /// The states by the machine's numbers; the first state of a document is the document itself.
  let states: [ExportedState]
  private(set) var warnings: [ExportWarning] = []
  /// The children of each state.
  let inner: [[Int]]
  /// The history states that are targets, by the state whose descendants they remember.
  var histories: [HistoryKey: ExportedState] = [:]
  /// The extra states around regions that are exited without the parallel regions.
  var wrappers: [Int: ExportedState] = [:]
  /// The transitions of parallel states that are in a region, after its own.
  var added: [(state: ExportedState, transition: ExportedTransition)] = []
  /// The transitions that keep a timer's event away from regions.
  var shields: [(region: Int, transition: ExportedTransition)] = []
  /// The transitions of final states that are in the state around, before its own.
  var blocking: [Int: [ExportedTransition]] = [:]
  /// The timers whose action is dispatched to some regions only, by that action, and the events that stand for them.
  var timersOfAction: [String: [TimerKey]] = [:]
  var eventOfTimer: [TimerKey: String] = [:]
  /// The events that are raised repeatedly.
  var raisedByTimer: [TimerKey: String] = [:]
  /// The event that each guarded eventless transition waits for.
  var awaited: [TimerKey: String] = [:]
  private let text: FlowText

  struct HistoryKey: Hashable {
    let state: Int
    let depth: Chart.Depth
  }

  /// The key of a timer or a transition: its state and its index there.
  struct TimerKey: Hashable {
    let state: Int
    let index: Int
  }

  var chart: Chart { machine.chart }
  var root: ExportedState { states[0] }
  var ids: [String] { states.map(\.id) }
  var isDocument: Bool { chart.dialect == .scxml }

  init(_ machine: Machine, _ text: FlowText, _ format: ExportFormat, _ names: inout ExportNames) {
    (self.machine, self.text, self.format) = (machine, text, format)
    var inner: [[Int]] = machine.chart.states.map { _ in [] }
    for (number, state) in machine.chart.states.enumerated() where state.parent >= 0 {
      inner[Int(state.parent)].append(number)
    }
    let ids = ExportedChart.ids(of: machine, &names)
    let states = machine.chart.states.enumerated().map { number, state in
      ExportedState(
        id: ids[number],
        key: state.name.hasPrefix("#") || number == 0 ? ids[number] : state.name,
        kind: ExportedChart.kind(number, of: machine))
    }
    (self.states, self.inner) = (states, inner)
    for number in states.indices { states[number].children = inner[number].map { states[$0] } }
    nameHistories(&names)
  }

  /// Returns the states' own names as ids if they have no blanks and are not taken.
  private static func ids(of machine: Machine, _ names: inout ExportNames) -> [String] {
    let chart = machine.chart
    var ids = chart.states.map { _ in "" }
    let plain = chart.states.indices.filter {
      !chart.states[$0].name.contains(where: \.isWhitespace)
    }
    for number in plain
      + chart.states.indices.filter({ chart.states[$0].name.contains(where: \.isWhitespace) })
    {
      let state = chart.states[number]
      let short = ExportNames.word(number == 0 ? machine.name : state.name)
      let wanted = short.hasPrefix("#") ? "state\(number)" : short
      // The document itself is not a state: its states keep their ids, even if one is the document's name.
      let isTaken =
        chart.dialect == .scxml && number == 0
        && chart.states.dropFirst().contains { $0.name == short }
      let path = state.path.isEmpty ? wanted : ExportNames.word(state.path)
      ids[number] =
        isTaken
        ? names.claim("\(short).document")
        : names.claim(wanted, "\(ExportNames.word(machine.name)).\(path)")
    }
    return ids
  }

  private static func kind(_ number: Int, of machine: Machine) -> Chart.State.Kind {
    switch machine.compiled.nodes[number].kind {
    case .atomic: .atomic
    case .compound: .compound
    case .parallel: .parallel
    case .final:
      // A region that is final as a whole never finishes its parallel state.
      number > 0 && machine.chart.states[Int(machine.chart.states[number].parent)].kind == .parallel
        ? .atomic : .final
    case .shallow: .history(.shallow)
    case .deep: .history(.deep)
    }
  }

  private mutating func nameHistories(_ names: inout ExportNames) {
    for transition in chart.states.flatMap(\.transitions) {
      guard let depth = transition.history else { continue }
      for target in transition.targets.map({ Int($0) }) {
        let key = HistoryKey(state: target, depth: depth)
        guard histories[key] == nil else { continue }
        let word = depth == .deep ? "deep" : "history"
        let id = names.claim("\(states[target].id).\(word)")
        let history = ExportedState(id: id, key: id, kind: .history(depth))
        history.initial = beginning(of: target)
        states[target].children.append(history)
        histories[key] = history
      }
    }
  }

  /// Returns the initial states of a state, each in a region of its own.
  func beginning(of number: Int) -> [ExportedState] {
    if let initial = chart.states[number].initial { return initial.targets.map { states[Int($0)] } }
    let children = inner[number].map { states[$0] }.filter { !$0.isHistory }
    return states[number].kind == .parallel ? children : Array(children.prefix(1))
  }

  /// Puts another state around the parallel state of a region, which is never exited by itself.
  func wrap(_ region: Int, _ names: inout ExportNames) -> ExportedState {
    let parent = states[Int(chart.states[region].parent)]
    let state = states[region]
    let wrapper = ExportedState(
      id: names.claim("\(state.id).region"), key: "\(state.key).region", kind: .compound)
    wrapper.children = [state]
    wrapper.initial = [state]
    if let place = parent.children.firstIndex(where: { $0 === state }) {
      parent.children[place] = wrapper
    }
    return wrapper
  }

  // MARK: Names

  /// Returns the name of a function with its place; for a condition of a document, its text.
  func name(of function: Chart.Function) -> String {
    let found = machine.functions[Int(function)]
    if let condition = text.flow.document?.conditions[function] { return condition }
    let file = found.place.file.split(separator: "/").last.map(String.init) ?? found.place.file
    return "\(found.name.isEmpty ? "function" : found.name) (\(file):\(found.place.line))"
  }

  func isDocumentCondition(_ function: Chart.Function) -> Bool {
    text.flow.document?.conditions[function] != nil
  }

  /// Returns the name of a state, and of a part of it, in messages.
  func title(_ number: Int, _ what: String = "") -> String {
    let path = chart.states[number].path
    return "machine \(machine.name)" + (path.isEmpty ? "" : ", \(path)")
      + (what.isEmpty ? "" : ", \(what)")
  }

  func title(of transition: Chart.Transition) -> String {
    let what =
      switch transition.trigger {
      case .action(let name): name
      case .events(let names): names.joined(separator: " ")
      case .always: "always"
      case .done: "on_done"
      case .timer(let index):
        chart.states[Int(transition.source)].timers[index].repeats
          ? "every[\(index + 1)]" : "after[\(index + 1)]"
      }
    return title(Int(transition.source), what)
  }

  func actions(of transition: Chart.Transition) -> [String] {
    if case .action(let name) = transition.trigger { [name] } else { [] }
  }

  mutating func warn(
    _ states: [Int], _ actions: [String], _ message: String
  ) {
    warnings.append(
      ExportWarning(
        description: message, machine: machine.name,
        states: states.map { Chart.StateNumber($0) }, actions: actions))
  }
}
