/// A builder of the tables of a compiled chart, each in one pass over the states.
struct ChartTables {
  typealias StateNumber = Chart.StateNumber
  typealias Kind = CompiledChart.Kind

  private(set) var nodes: [CompiledChart.Node] = []
  private(set) var rows: [CompiledChart.Row] = []
  private(set) var entries: [CompiledChart.Entry] = []
  private(set) var candidates: [Int32] = []
  private(set) var leafStates: [StateNumber] = []
  private(set) var heads: [StateNumber] = []
  private(set) var owners: [StateNumber] = []
  private(set) var headsBefore: [Int32] = []
  private(set) var actionNames = ["", ""]
  private(set) var actionNumbers: [String: Int32] = [:]
  private(set) var breaks: [CompiledChart.Break] = []
  private(set) var breakStarts: [Int32] = []
  private(set) var timedTransitions: [Int32: [Int32]] = [:]
  private(set) var historyStateCount = 0

  private let chart: Chart
  /// For each action the transitions that states list for it, in the order of the states.
  private var listed: [[(state: StateNumber, transitions: [Int32])]] = [[], []]

  init(_ chart: Chart) { self.chart = chart }

  mutating func build() {
    placeStates()
    placeRegions()
    placeTransitions()
    for state in nodes.indices where nodes[state].kind == .compound { setInitialChild(state) }
    listCandidates()
  }

  private mutating func placeStates() {
    var (transitions, timers) = (Int32(0), Int32(0))
    nodes.reserveCapacity(chart.states.count)
    for (number, state) in chart.states.enumerated() {
      var node = CompiledChart.Node(
        parent: state.parent, last: state.last, region: state.region, kind: kind(number),
        hasTimers: !state.timers.isEmpty || state.postpones, hasEffect: state.effect != nil,
        hasOnEnter: !state.onEnter.isEmpty, hasOnExit: !state.onExit.isEmpty,
        transitions: transitions,
        timers: timers)
      if node.kind != .compound, node.kind.isActive {
        node.leafNumber = Int32(leafStates.count)
        leafStates.append(StateNumber(number))
      }
      nodes.append(node)
      transitions += Int32(state.transitions.count)
      timers += Int32(state.timers.count)
    }
  }

  /// Returns the kind of a state; one without children is atomic, even if it is declared compound or parallel.
  private func kind(_ number: Int) -> Kind {
    let state = chart.states[number]
    switch state.kind {
    case .atomic: return .atomic
    case .final: return .final
    case .compound: return hasChildren(number) ? .compound : .atomic
    case .parallel: return hasChildren(number) ? .parallel : .atomic
    case .history(.shallow): return .shallow
    case .history(.deep): return .deep
    }
  }

  private func hasChildren(_ number: Int) -> Bool { firstChild(number) != nil }

  private func firstChild(_ number: Int) -> StateNumber? {
    var child = number + 1
    while child <= chart.states[number].last {
      if case .history = chart.states[child].kind {
        child = Int(chart.states[child].last) + 1
      } else {
        return StateNumber(child)
      }
    }
    return nil
  }

  private mutating func placeRegions() {
    heads = chart.regions.map(\.head)
    owners = chart.regions.map(\.owner)
    headsBefore.reserveCapacity(nodes.count + 1)
    var region = 0
    for state in 0...nodes.count {
      while region < heads.count, heads[region] < state { region += 1 }
      headsBefore.append(Int32(region))
    }
  }

  /// Sets the initial child of a compound state, if its initial transition leads to a child.
  private mutating func setInitialChild(_ state: Int) {
    guard let transition = chart.states[state].initial, !transition.targets.isEmpty else {
      nodes[state].child = firstChild(state) ?? -1
      return
    }
    guard transition.targets.count == 1, let target = transition.targets.first else { return }
    let child = nodes[Int(target)]
    if child.parent == state, child.kind.isActive { nodes[state].child = target }
  }

  private mutating func placeTransitions() {
    for (number, state) in chart.states.enumerated() {
      if case .history(let depth) = state.kind { reserveHistoryValue(state.parent, depth) }
      var own: [Int32: Int] = [:]
      // `on_done` comes before `always`.
      let order = state.transitions.indices.filter { state.transitions[$0].trigger == .done }
      for index in order { list(number, index, &own) }
      for (index, transition) in state.transitions.enumerated() {
        rows.append(row(transition))
        if let depth = transition.history {
          for target in transition.targets { reserveHistoryValue(target, depth) }
        }
        if transition.trigger != .done { list(number, index, &own) }
      }
    }
  }

  /// Reserves a history value for a state, which records its active states when it is exited.
  private mutating func reserveHistoryValue(_ state: StateNumber, _ depth: Chart.Depth) {
    guard state >= 0 else { return }
    let gatekeeper = Int32(historyStateCount)
    switch depth {
    case .shallow where nodes[Int(state)].shallow < 0: nodes[Int(state)].shallow = gatekeeper
    case .deep where nodes[Int(state)].deep < 0: nodes[Int(state)].deep = gatekeeper
    default: return
    }
    historyStateCount += 1
  }

  private mutating func list(_ state: Int, _ index: Int, _ own: inout [Int32: Int]) {
    let action: Int32
    let transition = nodes[state].transitions + Int32(index)
    switch chart.states[state].transitions[index].trigger {
    case .always, .done: action = CompiledChart.eventless
    case .events: action = CompiledChart.events
    case .action(let name): action = self.action(name)
    case .timer(let timer):
      timedTransitions[nodes[state].timers + Int32(timer), default: []].append(transition)
      return
    }
    if let place = own[action] {
      listed[Int(action)][place].transitions.append(transition)
    } else {
      own[action] = listed[Int(action)].count
      listed[Int(action)].append((StateNumber(state), [transition]))
    }
  }

  private mutating func action(_ name: String) -> Int32 {
    if let number = actionNumbers[name] { return number }
    let number = Int32(actionNames.count)
    actionNumbers[name] = number
    actionNames.append(name)
    listed.append([])
    return number
  }

  private func row(_ transition: Chart.Transition) -> CompiledChart.Row {
    var asks = transition.condition != nil
    if case .events = transition.trigger { asks = true }
    let moves =
      !transition.targets.isEmpty && transition.reach != .stays && transition.reach != .forbids
    let top = moves ? around(transition) : transition.source
    let isParallel = nodes[Int(top)].kind == .parallel
    return CompiledChart.Row(
      source: transition.source,
      reach: moves || transition.reach == .forbids ? transition.reach : .stays, asks: asks,
      condition: transition.condition ?? -1,
      isDone: transition.trigger == .done, history: transition.history,
      target: transition.targets.count == 1 ? transition.targets[0] : -1,
      span: ChartTables.span(
        top, to: nodes[Int(top)].last, withTop: transition.reach == .reenters),
      parts: transition.reach.isFlow && isParallel && top == transition.source
        && transition.targets != [top],
      dynamic: moves && !transition.reach.isFlow
        && transition.targets.contains { !nodes[Int($0)].kind.isActive })
  }

  /// Returns the state whose content a transition exits.
  private func around(_ transition: Chart.Transition) -> StateNumber {
    ChartTables.around(transition.source, transition.targets, transition.reach, nodes)
  }

  /// Returns the innermost state that contains both ends, or SCXML's transition domain.
  static func around<Nodes: RandomAccessCollection<CompiledChart.Node>>(
    _ source: StateNumber, _ targets: [StateNumber], _ reach: Chart.Reach,
    _ nodes: Nodes
  ) -> StateNumber where Nodes.Index == Int {
    let isFlow = reach.isFlow
    var top = source
    let staysInside = reach == .internal && nodes[Int(source)].kind == .compound
    if !isFlow, !staysInside { top = nodes[Int(source)].parent }
    while top > 0 {
      let node = nodes[Int(top)]
      let isAround = targets.allSatisfy { top <= $0 && $0 <= node.last && (isFlow || $0 != top) }
      if isAround, isFlow || node.kind == .compound { return top }
      top = node.parent
    }
    return 0
  }

  /// Returns the span of the states inside `top`, with `top` itself if `withTop` is true.
  ///
  /// The outermost state is never exited.
  static func span(
    _ top: StateNumber, to last: StateNumber, withTop: Bool
  ) -> CompiledChart.Span {
    .init(first: withTop && top > 0 ? top : top + 1, last: last, top: top)
  }

  /// Builds for each action the ranges of states and the innermost entry that applies to each.
  private mutating func listCandidates() {
    var open: [(last: StateNumber, entry: Int32)] = []
    for states in listed {
      let start = breaks.count
      breakStarts.append(Int32(start))
      func mark(_ state: StateNumber, _ entry: Int32, _ breaks: inout [CompiledChart.Break]) {
        if breaks.count > start, breaks[breaks.count - 1].state == state { breaks.removeLast() }
        breaks.append(.init(state: state, entry: entry))
      }
      func close(before state: StateNumber, _ breaks: inout [CompiledChart.Break]) {
        while let top = open.last, top.last < state {
          open.removeLast()
          mark(top.last + 1, open.last?.entry ?? -1, &breaks)
        }
      }
      for (state, transitions) in states {
        close(before: state, &breaks)
        let node = nodes[Int(state)]
        let number = Int32(entries.count)
        let outer = open.last.map(\.entry) ?? -1
        let isHere = outer >= 0 && entries[Int(outer)].region == node.region
        let first = Int32(candidates.count)
        candidates += transitions
        entries.append(
          .init(
            first: first, end: Int32(candidates.count), outer: isHere ? outer : -1,
            region: node.region))
        open.append((node.last, number))
        mark(state, number, &breaks)
      }
      close(before: StateNumber(nodes.count), &breaks)
      open.removeAll(keepingCapacity: true)
    }
    breakStarts.append(Int32(breaks.count))
  }
}
