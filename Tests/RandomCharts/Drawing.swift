#if canImport(StateCharts)
  import StateCharts
#endif

/// A chart in the form of a test: with names, which are looked up as in the flow language.
struct Drawing: Sendable {
  struct Transition: Sendable {
    var trigger: Chart.Trigger
    var to: [String] = []
    var reach = Chart.Reach.inner
    var when: Int32?
    var history: Chart.Depth?
  }

  var name: String
  var kind: Chart.State.Kind
  var initial: [String] = []
  var transitions: [Transition] = []
  var timers: [Chart.Timer] = []
  var inside: [Drawing] = []

  /// Creates a state; its kind follows from its substates by default.
  init(
    _ name: String, _ kind: Chart.State.Kind? = nil, initial: String? = nil,
    transitions: [Transition] = [],
    inside: [Drawing] = []
  ) {
    self.name = name
    self.kind = kind ?? (inside.isEmpty ? .atomic : .compound)
    self.initial = initial.map { [$0] } ?? []
    (self.transitions, self.inside) = (transitions, inside)
  }

  /// Returns the chart, without transitions to names that do not exist.
  func chart(_ dialect: Chart.Dialect = .flow) -> Chart {
    var chart = Chart(
      name: name, place: .init(file: "", line: 0), dialect: dialect, states: [], regions: [])
    var scopes: [[String: Int32]] = []
    add(to: &chart, &scopes, parent: -1, region: -1)
    resolve(&chart, scopes, 0)
    return chart
  }

  private func add(
    to chart: inout Chart, _ scopes: inout [[String: Int32]], parent: Int32, region: Int32
  ) {
    let number = Int32(chart.states.count)
    var region = region
    let isHistory: Bool = if case .history = kind { true } else { false }
    let isHead = parent < 0 || chart.states[Int(parent)].kind == .parallel
    if isHead, !isHistory {
      region = Int32(chart.regions.count)
      let isFixed = parent < 0 && kind == .parallel
      chart.regions.append(.init(head: number, owner: parent, field: isFixed ? nil : name))
    }
    let above = parent < 0 ? "" : chart.states[Int(parent)].path
    let path = parent < 0 ? "" : above.isEmpty ? name : above + "." + name
    chart.states.append(
      .init(
        name: name, path: path, kind: kind, parent: parent, last: number, region: region))
    chart.states[Int(number)].timers = timers
    scopes.append([:])
    if parent >= 0 { scopes[Int(parent)][name] = number }
    for drawing in inside { drawing.add(to: &chart, &scopes, parent: number, region: region) }
    chart.states[Int(number)].last = Int32(chart.states.count - 1)
  }

  private func resolve(_ chart: inout Chart, _ scopes: [[String: Int32]], _ number: Int32) {
    let targets = initial.compactMap { Drawing.find($0, from: number, chart, scopes) }
    if !targets.isEmpty {
      chart.states[Int(number)].initial = .init(source: number, trigger: .always, targets: targets)
    }
    for transition in transitions {
      let targets = transition.to.compactMap { Drawing.find($0, from: number, chart, scopes) }
      guard targets.count == transition.to.count else { continue }
      chart.states[Int(number)].transitions.append(
        .init(
          source: number, trigger: transition.trigger, condition: transition.when, targets: targets,
          reach: transition.to.isEmpty && transition.reach != .forbids ? .stays : transition.reach,
          history: transition.history))
    }
    var child = number + 1
    for drawing in inside {
      drawing.resolve(&chart, scopes, child)
      child = chart.states[Int(child)].last + 1
    }
  }

  private static func find(
    _ path: String, from state: Int32, _ chart: Chart, _ scopes: [[String: Int32]]
  ) -> Int32? {
    let names = path.split(separator: ".").map(String.init)
    var scope = state
    while scope >= 0 {
      if var found = scopes[Int(scope)][names[0]] {
        for name in names.dropFirst() {
          guard let next = scopes[Int(found)][name] else { return nil }
          found = next
        }
        return found
      }
      scope = chart.states[Int(scope)].parent
    }
    return nil
  }
}

extension Drawing {
  /// The drawings without one of the states, transitions or initial states.
  var smaller: [Drawing] {
    var found: [Drawing] = []
    func without(_ change: (inout Drawing) -> Void) {
      var drawing = self
      change(&drawing)
      found.append(drawing)
    }
    let isHistory: Bool = if case .history = kind { true } else { false }
    let least = kind == .parallel ? 2 : 1
    if inside.count > least {
      for place in inside.indices { without { $0.inside.remove(at: place) } }
    }
    if !isHistory {
      for place in transitions.indices { without { $0.transitions.remove(at: place) } }
    }
    if !initial.isEmpty { without { $0.initial = [] } }
    for place in inside.indices {
      for smaller in inside[place].smaller { without { $0.inside[place] = smaller } }
    }
    return found
  }
}

extension Drawing: CustomStringConvertible {
  var description: String { lines.joined(separator: "\n") }

  private var lines: [String] {
    var head = "\(name) \(kind)"
    if !initial.isEmpty { head += " initial \(initial.joined(separator: " "))" }
    let own = transitions.map { transition in
      let condition = transition.when.map { " when \($0)" } ?? ""
      let history = transition.history.map { " history \($0)" } ?? ""
      return
        "  \(transition.trigger) -> \(transition.to.joined(separator: " ")) \(transition.reach)"
        + condition
        + history
    }
    return [head] + own + inside.flatMap(\.lines).map { "  " + $0 }
  }
}

extension Drawing.Transition {
  static func on(
    _ action: String, _ to: String..., reach: Chart.Reach = .inner, when: Int32? = nil,
    history: Chart.Depth? = nil
  ) -> Self {
    .init(trigger: .action(action), to: to, reach: reach, when: when, history: history)
  }

  static func stays(_ action: String, when: Int32? = nil) -> Self {
    .init(trigger: .action(action), reach: .stays, when: when)
  }

  static func forbids(_ action: String) -> Self {
    .init(trigger: .action(action), reach: .forbids)
  }

  static func always(_ to: String, when: Int32? = nil) -> Self {
    .init(trigger: .always, to: [to], when: when)
  }

  static func done(_ to: String, when: Int32? = nil) -> Self {
    .init(trigger: .done, to: [to], when: when)
  }
}
