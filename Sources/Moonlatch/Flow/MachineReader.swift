import LuaRuntime

/// Builds machines from what the prelude notes of `machine.NAME { ... }`.
struct MachineReader {
  private(set) var faults: [Fault] = []
  private let lines: DeclarationLines

  init(lines: DeclarationLines) { self.lines = lines }

  /// The machine under way, for faults.
  private struct Reading {
    let name: String
    let place: SourcePlace
    /// The names of its states.
    let states: [String]
    /// The first of each name.
    let indices: [String: Int]
    var title: String { "machine \(name)" }
  }

  mutating func read(_ entry: Value, place: SourcePlace) -> Machine? {
    guard let name = entry["name"]?.stringValue else { return nil }
    let listed: [Value] = entry["states"]?.listValue ?? []
    let described = listed.sorted { (a: Value, b: Value) -> Bool in
      let first: String = a["name"]?.stringValue ?? ""
      let second: String = b["name"]?.stringValue ?? ""
      return first < second
    }
    let proper = described.filter { $0["name"]?.stringValue != "*" }
    let names = proper.compactMap { $0["name"]?.stringValue }
    let machine = Reading(
      name: name, place: place, states: names,
      indices: Dictionary(
        names.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first }))
    var states: [Machine.State] = []
    for state in proper {
      let stateName = state["name"]?.stringValue ?? ""
      let isFinal = state["final"] == .boolean(true)
      let transitions = readTransitions(state, of: machine)
      if isFinal, let first = transitions.keys.min() {
        fault(
          machine, at: [.field(stateName), .field(first)],
          "\(stateName) is final and has no way out; it lists "
            + transitions.keys.sorted().joined(separator: ", "))
      }
      states.append(
        Machine.State(
          name: stateName, transitions: transitions, timers: readTimers(state),
          onEnter: FlowFunction(state["on_enter"], name: "on_enter"),
          onExit: FlowFunction(state["on_exit"], name: "on_exit"), isFinal: isFinal))
    }
    if let star = described.first(where: { $0["name"]?.stringValue == "*" }) {
      if let word = ["after", "on_enter", "on_exit"].first(where: { star[$0] != nil }) {
        fault(machine, at: [.field("*"), .field(word)], "[\"*\"] stands for transitions only")
      }
      let everywhere = readTransitions(star, of: machine)
      for index in states.indices where !states[index].isFinal {
        states[index].transitions.merge(everywhere) { own, _ in own }
      }
    }
    guard let initial = entry["initial"]?.stringValue else {
      faults.append(
        Fault(
          file: place.file, line: place.line,
          message: "\(machine.title) has no initial state: initial = "
            + "\"\(names.first ?? "name")\""))
      return nil
    }
    guard let first = machine.indices[initial] else {
      fault(
        machine, at: [.field("initial")],
        "there is no state \(initial) to begin in" + Names.suggestion(for: initial, among: names))
      return nil
    }
    let read = Machine(name: name, place: place, states: states, initial: first)
    for state in read.unreachable {
      fault(machine, at: [.field(state)], "no transition leads to \(state) from \(initial)")
    }
    return read
  }

  private mutating func readTransitions(_ state: Value, of machine: Reading)
    -> [String: [Machine.Target]]
  {
    let from = state["name"]?.stringValue ?? ""
    var transitions: [String: [Machine.Target]] = [:]
    for transition in state["transitions"]?.listValue ?? [] {
      guard let action = transition["action"]?.stringValue else { continue }
      var targets: [Machine.Target] = []
      for (position, target) in (transition["targets"]?.listValue ?? []).enumerated() {
        // What has no name at all was told when it was noted.
        guard let to = target["to"]?.stringValue else { continue }
        guard let index = machine.indices[to] else {
          fault(
            machine, at: [.field(from), .field(action), .index(position + 1)],
            "\(from).\(action) leads to \(to), which is no state of this machine"
              + Names.suggestion(for: to, among: machine.states))
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
    let timers: [Value] = state["after"]?.listValue ?? []
    let delays = timers.compactMap { (timer: Value) -> Machine.Delay? in
      guard let action = timer["action"]?.stringValue else { return nil }
      if let function = FlowFunction(timer["work_out"], name: "after") {
        return Machine.Delay(action: action, time: .workedOut(function))
      }
      return Machine.Delay(action: action, time: .seconds(timer["seconds"]?.doubleValue ?? 0))
    }
    return delays.sorted { $0.action < $1.action }
  }

  private mutating func fault(
    _ machine: Reading, at path: DeclarationLines.Path, _ message: String
  ) {
    let place = lines.place(of: path, in: "machine", named: machine.name, at: machine.place)
    faults.append(
      Fault(file: place.file, line: place.line, message: "\(machine.title): \(message)"))
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
  package var doubleValue: Double? {
    switch self {
    case .integer(let integer): Double(integer)
    case .number(let number): number
    default: nil
    }
  }
}
