import LuaRuntime

/// Builds machines from what the prelude notes of `machine.NAME { ... }`.
struct MachineReader {
  private(set) var faults: [Fault] = []

  mutating func read(_ entry: Value, place: SourcePlace) -> Machine? {
    guard let name = entry["name"]?.stringValue else { return nil }
    let described = (entry["states"]?.listValue ?? []).sorted {
      ($0["name"]?.stringValue ?? "") < ($1["name"]?.stringValue ?? "")
    }
    let proper = described.filter { $0["name"]?.stringValue != "*" }
    let names = proper.compactMap { $0["name"]?.stringValue }
    let title = "machine \(name)"
    var states: [Machine.State] = []
    for state in proper {
      let stateName = state["name"]?.stringValue ?? ""
      let isFinal = state["final"] == .boolean(true)
      let transitions = readTransitions(state, names, "\(title): \(stateName)", place)
      if isFinal, !transitions.isEmpty {
        fault(
          place,
          "\(title): \(stateName) is final and has no way out; it lists "
            + transitions.keys.sorted().joined(separator: ", "))
      }
      states.append(
        Machine.State(
          name: stateName, transitions: transitions, timers: readTimers(state),
          onEnter: FlowFunction(state["on_enter"], name: "on_enter"),
          onExit: FlowFunction(state["on_exit"], name: "on_exit"), isFinal: isFinal))
    }
    if let star = described.first(where: { $0["name"]?.stringValue == "*" }) {
      if ["after", "on_enter", "on_exit"].contains(where: { star[$0] != nil }) {
        fault(place, "\(title): [\"*\"] stands for transitions only")
      }
      let everywhere = readTransitions(star, names, "\(title): *", place)
      for index in states.indices where !states[index].isFinal {
        states[index].transitions.merge(everywhere) { own, _ in own }
      }
    }
    guard let initial = entry["initial"]?.stringValue else {
      fault(place, "\(title) has no initial state: initial = \"\(names.first ?? "name")\"")
      return nil
    }
    guard let first = names.firstIndex(of: initial) else {
      fault(
        place,
        "\(title): there is no state \(initial) to begin in"
          + Names.suggestion(for: initial, among: names))
      return nil
    }
    let machine = Machine(name: name, place: place, states: states, initial: first)
    for state in machine.unreachable {
      fault(place, "\(title): no transition leads to \(state) from \(initial)")
    }
    return machine
  }

  private mutating func readTransitions(
    _ state: Value, _ names: [String], _ title: String, _ place: SourcePlace
  ) -> [String: [Machine.Target]] {
    var transitions: [String: [Machine.Target]] = [:]
    for transition in state["transitions"]?.listValue ?? [] {
      guard let action = transition["action"]?.stringValue else { continue }
      var targets: [Machine.Target] = []
      for target in transition["targets"]?.listValue ?? [] {
        let to = target["to"]?.stringValue ?? ""
        guard let index = names.firstIndex(of: to) else {
          fault(
            place,
            "\(title).\(action) leads to \(to), which is no state of this machine"
              + Names.suggestion(for: to, among: names))
          continue
        }
        targets.append(
          Machine.Target(
            state: index, guardRule: FlowFunction(target["guard"], name: "when"),
            reenters: target["reenter"] == .boolean(true)))
      }
      transitions[action] = targets
    }
    return transitions
  }

  private func readTimers(_ state: Value) -> [Machine.Delay] {
    (state["after"]?.listValue ?? []).compactMap { timer in
      guard let action = timer["action"]?.stringValue else { return nil }
      if let function = FlowFunction(timer["work_out"], name: "after") {
        return Machine.Delay(action: action, time: .workedOut(function))
      }
      return Machine.Delay(action: action, time: .seconds(timer["seconds"]?.doubleValue ?? 0))
    }.sorted { $0.action < $1.action }
  }

  private mutating func fault(_ place: SourcePlace, _ message: String) {
    faults.append(Fault(file: place.file, line: place.line, message: message))
  }
}

extension FlowFunction {
  /// A function that the prelude keeps inside a table; nil for none.
  convenience init?(_ entry: Value?, name: String) {
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
  var doubleValue: Double? {
    switch self {
    case .integer(let integer): Double(integer)
    case .number(let number): number
    default: nil
    }
  }
}
