extension ChartInterpreter {
  /// Marks the path to the target of a transition, and the paths to the states in its history.
  mutating func head(for goal: EntryTarget, _ memory: HistoryValue) {
    head(for: goal.target, below: goal.top, memory)
    let node = chart.nodes[Int(goal.target)]
    let gatekeeper: Int32
    switch goal.history {
    case .shallow: gatekeeper = node.shallow
    case .deep: gatekeeper = node.deep
    case nil: return
    }
    guard gatekeeper >= 0 else { return }
    for state in memory.states[Int(gatekeeper)] { mark(state, below: goal.target) }
  }

  /// Marks the path to a state, or the paths to the states that an SCXML history stands for.
  private mutating func head(for state: StateNumber, below top: StateNumber, _ memory: HistoryValue)
  {
    if chart.nodes[Int(state)].kind.isActive { return mark(state, below: top) }
    for state in chart.resolve([state], memory, &defaults) { mark(state, below: top) }
  }

  /// Marks the children by which the compound states on the path from `top` to `state` are entered.
  ///
  /// Earlier marks stay.
  mutating func mark(_ state: StateNumber, below top: StateNumber) {
    var child = state
    while child > 0, child > top {
      let parent = chart.nodes[Int(child)].parent
      if chart.nodes[Int(parent)].kind == .compound {
        if wanted[Int(parent)] >= 0 { return }
        wanted[Int(parent)] = child
        marked.append(parent)
      }
      child = parent
    }
  }

  /// Enters the marked states inside a span, and the initial states where none is marked.
  mutating func enter(
    _ span: CompiledChart.Span, _ configuration: inout [LeafNumber], _ memory: HistoryValue
  ) {
    if span.first == span.top { stack.append(span.top) } else { pushInside(span.top, memory) }
    while let state = stack.popLast() {
      entered.append(state)
      let node = chart.nodes[Int(state)]
      if node.leafNumber >= 0 { configuration[Int(node.region)] = node.leafNumber }
      pushInside(state, memory)
    }
  }

  private mutating func pushInside(_ state: StateNumber, _ memory: HistoryValue) {
    switch chart.nodes[Int(state)].kind {
    case .compound:
      let child = child(of: state, memory)
      if child >= 0 { stack.append(child) }
    case .parallel:
      let start = stack.count
      for child in chart.children(of: state) { stack.append(child) }
      var (low, high) = (start, stack.count - 1)
      while low < high {
        (stack[low], stack[high]) = (stack[high], stack[low])
        (low, high) = (low + 1, high - 1)
      }
    default: break
    }
  }

  /// Returns the child by which a compound state is entered.
  private mutating func child(of state: StateNumber, _ memory: HistoryValue) -> StateNumber {
    if wanted[Int(state)] >= 0 { return wanted[Int(state)] }
    if chart.chart.dialect.runsContentByBlock { defaults.append(state) }
    let child = chart.nodes[Int(state)].child
    if child >= 0 { return child }
    for target in chart.chart.states[Int(state)].initial?.targets ?? [] {
      head(for: target, below: state, memory)
    }
    if wanted[Int(state)] >= 0 { return wanted[Int(state)] }
    return chart.children(of: state).first { _ in true } ?? -1
  }
}
