import StateCharts

/// A builder of a machine's chart from its declaration.
///
/// It numbers the states, resolves paths, expands wildcards, and reports inconsistencies.
struct ChartBuilder {
  package let note: MachineDeclaration
  package let place: SourcePlace
  package let lines: DeclarationLines
  /// The names of all actions, sorted.
  package let actions: [String]
  package private(set) var faults: [Diagnostic] = []
  package var chart: Chart
  package var functions: [FlowFunction] = []
  package var effects: [Chart.StateNumber: Effect] = [:]
  /// The declarations of the chart's states, in the chart's order.
  private(set) var noted: [MachineDeclaration.State] = []
  /// The child states of each state, by name.
  package var inside: [[String: Chart.StateNumber]] = []
  /// The actions that the machine names, sorted.
  package var named: [String] = []
  /// All names and paths of states, for suggestions.
  private lazy var paths = Set(chart.states.dropFirst().flatMap { [$0.name, $0.path] })
  /// The transitions that tables list for all states in them, as far as they have been computed.
  package var everywhere: [Chart.StateNumber: Transitions] = [:]
  /// The eventless transitions of the outermost level, for all its states but the final ones; empty if none is
  /// final.
  package var outermost: [Chart.Transition] = []
  /// The number of copies of transitions that wildcards have created.
  package var copies = 0

  init(_ note: MachineDeclaration, place: SourcePlace, lines: DeclarationLines, actions: [String]) {
    (self.note, self.place, self.lines, self.actions) = (note, place, lines, actions)
    chart = Chart(
      name: note.name, place: Chart.Place(place), dialect: .flow, states: [], regions: [])
    arrange()
  }

  package var title: String { "machine \(note.name)" }

  /// True if the machine is flat: its states are siblings, and actions lead from one to another.
  package var isFlat: Bool {
    note.records == nil && chart.states[0].kind == .compound && chart.states[0].transitions.isEmpty
      && chart.states.dropFirst().allSatisfy { state in
        state.parent == 0 && state.effect == nil
          && state.timers.allSatisfy { !$0.repeats && $0.due != .transition }
          && state.transitions.allSatisfy { transition in
            guard case .action = transition.trigger else { return false }
            return transition.targets.count == 1 && transition.history == nil
              && transition.content == nil
          }
      }
  }

  /// Adds the states to the chart: children follow their parent, sorted by name, or for a parallel state as listed.
  private mutating func arrange() {
    var inside = [[Int]](repeating: [], count: note.states.count)
    for (index, state) in note.states.enumerated() where state.parent >= 0 {
      inside[state.parent].append(index)
    }
    var open: [(index: Int, parent: Chart.StateNumber)] = [(0, -1)]
    while let (index, parent) = open.popLast() {
      add(note.states[index], in: parent, hasStates: !inside[index].isEmpty)
      let number = Chart.StateNumber(chart.states.count - 1)
      let ranks = Dictionary(
        (note.states[index].regions ?? []).enumerated().map { ($1, $0) },
        uniquingKeysWith: { first, _ in first })
      let sorted = inside[index].sorted {
        let (first, second) = (note.states[$0].name, note.states[$1].name)
        return (ranks[first] ?? .max, first) < (ranks[second] ?? .max, second)
      }
      open += sorted.reversed().map { ($0, number) }
    }
    for number in chart.states.indices.dropFirst().reversed() {
      let parent = Int(chart.states[number].parent)
      chart.states[parent].last = max(chart.states[parent].last, chart.states[number].last)
    }
  }

  private mutating func add(
    _ state: MachineDeclaration.State, in parent: Chart.StateNumber, hasStates: Bool
  ) {
    let number = Chart.StateNumber(chart.states.count)
    let kind: Chart.State.Kind =
      state.regions != nil
      ? .parallel : hasStates ? .compound : state.isFinal ? .final : .atomic
    let isRegion = parent < 0 || chart.states[Int(parent)].kind == .parallel
    if isRegion {
      let own = parent < 0 ? note.records?.field ?? note.name : state.name
      chart.regions.append(
        Chart.Region(
          head: number, owner: parent, field: parent < 0 && kind == .parallel ? nil : own))
    }
    let around = parent < 0 ? "" : chart.states[Int(parent)].path
    let path = parent < 0 ? "" : around.isEmpty ? state.name : around + "." + state.name
    let region =
      isRegion ? Int32(chart.regions.count - 1) : chart.states[Int(parent)].region
    chart.states.append(
      Chart.State(
        name: state.name, path: path, kind: kind, parent: parent, last: number, region: region,
        place: Chart.Place(place)))
    noted.append(state)
    inside.append([:])
    if parent >= 0 { inside[Int(parent)][state.name] = number }
  }

  /// Builds the chart's states; returns false if the machine has no initial state.
  package mutating func build() -> Bool {
    let begins = readInitial()
    nameActions()
    for number in chart.states.indices { read(Chart.StateNumber(number)) }
    leaveFinalStates()
    check(namesActions: begins)
    return begins
  }

  /// Reads the properties and the transitions of a state.
  private mutating func read(_ number: Chart.StateNumber) {
    let state = noted[Int(number)]
    chart.states[Int(number)].onEnter = [state.onEnter].compactMap { keep($0) }
    chart.states[Int(number)].onExit = [state.onExit].compactMap { keep($0) }
    if let effect = state.effect {
      chart.states[Int(number)].effect = keep(effect.function)
      effects[number] = Effect(
        function: effect.function, onDone: effect.onDone, onError: effect.onError,
        handlesFaults: effect.handlesFaults, isShared: true, isDurable: effect.isDurable,
        state: "\(note.name).\(chart.states[Int(number)].path)")
    }
    readTransitions(of: number)
    readMoves(of: number)
    readTimers(of: number)
    checkRestarts(of: number)
  }

  package mutating func keep(_ function: FlowFunction?) -> Chart.Function? {
    guard let function else { return nil }
    functions.append(function)
    return Chart.Function(functions.count - 1)
  }

  // MARK: Where states begin

  private mutating func readInitial() -> Bool {
    var begins = true
    for index in chart.states.indices {
      let number = Chart.StateNumber(index)
      let (state, kind) = (noted[index], chart.states[index].kind)
      switch (kind, state.initial) {
      case (.compound, let path?):
        if let first = lookDown(path[...], from: number) {
          chart.states[index].initial = Chart.Transition(
            source: number, trigger: .always, targets: [first], place: chart.place)
          continue
        }
        begins = begins && index != 0
        fault(
          number, at: [.field("initial")],
          "\(prefix(number))the initial state \(path) does not exist" + suggestion(for: path))
      case (_, _?):
        begins = begins && index != 0
        fault(
          number, at: [.field("initial")],
          index == 0 && kind != .parallel
            ? "the initial state \(state.initial ?? "") does not exist"
            : kind == .parallel
              ? "\(prefix(number))initial cannot be combined with parallel, whose states are all active"
              : "\(prefix(number))initial names a state inside, and there is none"
        )
      case (.compound, nil) where index != 0:
        if !inside[index].keys.allSatisfy({ isAction($0) }) { lacksInitial(number) }  // see `check`
      case (_, nil) where index == 0 && kind != .parallel:
        begins = false
        faults.append(
          Diagnostic(
            file: place.file, line: place.line,
            message: "\(title) has no initial state: initial = "
              + "\"\(inside[0].keys.min() ?? "name")\""))
      default: break
      }
    }
    return begins
  }

  mutating func lacksInitial(_ number: Chart.StateNumber) {
    let first = inside[Int(number)].keys.min() ?? "name"
    fault(
      number, at: [],
      "\(nameOf(number)) has states inside and no initial state: initial = \"\(first)\"")
  }

  // MARK: Paths

  /// Resolves a path as Lua resolves a name: among the states inside, then in the enclosing table, and so on.
  func lookUp(_ path: String, from scope: Chart.StateNumber) -> Chart.StateNumber? {
    let first = path.prefix { $0 != "." }
    var table = scope
    while table >= 0 {
      let names = inside[Int(table)]
      if names[path] != nil || names[String(first)] != nil {
        return lookDown(path[...], from: table)
      }
      table = chart.states[Int(table)].parent
    }
    return nil
  }

  /// Returns the state at a path below a state; nil if there is none.
  private func lookDown(_ path: Substring, from table: Chart.StateNumber) -> Chart.StateNumber? {
    var (table, rest) = (table, path)
    while true {
      if let whole = inside[Int(table)][String(rest)] { return whole }
      guard let dot = rest.firstIndex(of: "."),
        let next = inside[Int(table)][String(rest[..<dot])]
      else { return nil }
      (table, rest) = (next, rest[rest.index(after: dot)...])
    }
  }

  package func isAction(_ name: String) -> Bool {
    let place = placeOfAction(name)
    return place < actions.count && actions[place] == name
  }

  /// Returns the actions whose names begin with a prefix.
  package func actions(beginningWith prefix: some StringProtocol) -> ArraySlice<String> {
    actions[placeOfAction(String(prefix))...].prefix { $0.utf8.starts(with: prefix.utf8) }
  }

  /// Returns the index of the first action whose name is not less than this one.
  private func placeOfAction(_ name: String) -> Int {
    var (low, high) = (0, actions.count)
    while low < high {
      let middle = (low + high) / 2
      if actions[middle] < name { low = middle + 1 } else { high = middle }
    }
    return low
  }

  // MARK: Faults

  /// Returns the beginning of a sentence about a state, which is empty for the machine itself.
  package func prefix(_ state: Chart.StateNumber) -> String {
    state == 0 ? "" : chart.states[Int(state)].path + ": "
  }

  package mutating func suggestion(for path: String) -> String {
    let nested = chart.states.map(\.path).filter { $0.hasSuffix(".\(path)") }
    if (1...3).contains(nested.count) { return ": write \(nested.joined(separator: " or "))" }
    return Names.suggestion(for: path, among: paths)
  }

  package mutating func fault(
    _ state: Chart.StateNumber, at path: DeclarationLines.Path, _ message: String
  ) {
    let found = lines.place(
      of: chart.keys(of: state) + path, in: "machine", named: note.name, at: place)
    faults.append(Diagnostic(file: found.file, line: found.line, message: "\(title): \(message)"))
  }

  package mutating func fault(atFirst paths: [DeclarationLines.Path], _ message: String) {
    let found = lines.place(ofFirst: paths, in: "machine", named: note.name, at: place)
    faults.append(Diagnostic(file: found.file, line: found.line, message: "\(title): \(message)"))
  }
}
