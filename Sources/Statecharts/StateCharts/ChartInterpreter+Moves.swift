extension ChartInterpreter {
  /// Removes transitions that conflict: two conflict if both exit the same state.
  ///
  /// The transition whose source is further inside wins; of two that are not nested, the earlier one.
  package mutating func resolveConflicts(
    at configuration: [LeafNumber], remembering memory: HistoryValue
  ) {
    guard taken.count > 1 else { return }
    spans.clear()
    if !starts.isEmpty { starts.removeAll(keepingCapacity: true) }
    var isApart = true
    var end = StateNumber(-1)
    for transition in taken {
      starts.append(spans.count)
      aim(transition, configuration, memory)
      for span in spans[starts[starts.count - 1]...] {
        if span.first <= end { isApart = false }
        end = max(end, span.last)
      }
    }
    starts.append(spans.count)
    goals.clear()
    if !isApart { taken = withoutConflicts() }
  }

  private func withoutConflicts() -> [TransitionNumber] {
    var kept: [Int] = []
    for new in taken.indices {
      var beaten: [Int] = []
      var isBeaten = false
      for old in kept {
        let mine = spans[starts[new]..<starts[new + 1]]
        let theirs = spans[starts[old]..<starts[old + 1]]
        guard mine.contains(where: { span in theirs.contains { $0.overlaps(span) } }) else {
          continue
        }
        let (inner, outer) = (source(new), source(old))
        if inner != outer, chart.contains(outer, inner) {
          beaten.append(old)
        } else {
          isBeaten = true
          break
        }
      }
      guard !isBeaten else { continue }
      if !beaten.isEmpty { kept.removeAll { beaten.contains($0) } }
      kept.append(new)
    }
    return kept.map { taken[$0] }
  }

  private func source(_ index: Int) -> StateNumber { chart.rows[Int(taken[index])].source }

  /// Takes the selected transitions in one microstep, and sets `left`, `entered` and `changes`.
  package mutating func move(
    _ configuration: inout [LeafNumber], remembering memory: inout HistoryValue
  ) {
    startAnew(configuration)
    for place in taken.indices { aim(taken[place], configuration, memory) }
    guard !spans.isEmpty else { return }
    if spans.count > 1 { orderSpans() }
    for place in spans.indices.reversed() { leave(spans[place], configuration) }
    if chart.historyStateCount > 0 { remember(configuration, &memory) }
    for span in spans {
      for region in chart.regions(in: span) { configuration[region] = -1 }
    }
    for place in goals.indices { head(for: goals[place], memory) }
    for place in spans.indices { enter(spans[place], &configuration, memory) }
    finish(configuration)
  }

  /// Enters the chart from outside: the given states, and the initial states elsewhere.
  package mutating func begin(
    _ configuration: inout [LeafNumber], at states: [StateNumber] = [],
    remembering memory: HistoryValue
  ) {
    configuration = Array(repeating: -1, count: chart.heads.count)
    startAnew(configuration)
    for state in states where state > 0 { mark(state, below: 0) }
    enter(.init(first: 0, last: chart.nodes[0].last, top: 0), &configuration, memory)
    finish(configuration)
  }

  private mutating func startAnew(_ configuration: [LeafNumber]) {
    left.clear()
    entered.clear()
    changes.clear()
    if !defaults.isEmpty { defaults.removeAll(keepingCapacity: true) }
    spans.clear()
    goals.clear()
    for region in configuration.indices { before[region] = configuration[region] }
  }

  private mutating func finish(_ configuration: [LeafNumber]) {
    for place in marked.indices { wanted[Int(marked[place])] = -1 }
    marked.clear()
    for region in configuration.indices where configuration[region] != before[region] {
      changes.append(
        Change(region: Int32(region), from: before[region], to: configuration[region]))
    }
  }

  private mutating func orderSpans() {
    // The spans are nearly always in order already.
    for end in 1..<spans.count {
      var place = end
      while place > 0, spans[place].isBefore(spans[place - 1]) {
        (spans[place], spans[place - 1]) = (spans[place - 1], spans[place])
        place -= 1
      }
    }
    var count = 1
    for place in 1..<spans.count where !spans[count - 1].overlaps(spans[place]) {
      spans[count] = spans[place]
      count += 1
    }
    spans.keep(first: count)
  }

  /// Adds the spans that a transition exits and its entry targets; nothing for one that exits no state.
  private mutating func aim(
    _ transition: TransitionNumber, _ configuration: [LeafNumber], _ memory: HistoryValue
  ) {
    let row = chart.rows[Int(transition)]
    switch row.reach {
    case .stays, .forbids: return
    case .inner where chart.isThere(transition, in: configuration): return
    default: break
    }
    if row.target >= 0, !row.parts, !row.dynamic {
      spans.append(row.span)
      goals.append(EntryTarget(target: row.target, top: row.span.top, history: row.history))
      return
    }
    let targets = chart.targets(of: transition)
    if row.parts {
      for target in targets
      where row.reach == .reenters || !chart.isActive(target, in: configuration) {
        let top = part(of: row.source, with: target)
        aim(
          at: [target], row.history,
          ChartTables.span(
            top, to: chart.nodes[Int(top)].last, withTop: row.reach == .reenters))
      }
    } else if row.dynamic {
      var ignored: [StateNumber] = []
      let effective = chart.resolve(targets, memory, &ignored)
      let top = ChartTables.around(row.source, effective, row.reach, chart.nodes)
      aim(at: targets, nil, ChartTables.span(top, to: chart.nodes[Int(top)].last, withTop: false))
    } else {
      aim(at: targets, row.history, row.span)
    }
  }

  private mutating func aim(
    at targets: [StateNumber], _ history: Chart.Depth?, _ span: CompiledChart.Span
  ) {
    spans.append(span)
    for target in targets {
      goals.append(EntryTarget(target: target, top: span.top, history: history))
    }
  }

  /// Returns the outermost state between a parallel state and a target that is not parallel itself, or the target.
  private func part(of parallel: StateNumber, with target: StateNumber) -> StateNumber {
    var (part, state) = (target, target)
    while state > parallel {
      if chart.nodes[Int(state)].kind != .parallel { part = state }
      state = chart.nodes[Int(state)].parent
    }
    return part
  }

  /// Adds the active states of a span to `left`.
  ///
  /// Regions come in the order of their heads, and all active states of a region come before those of the regions
  /// inside it.
  private mutating func leave(_ span: CompiledChart.Span, _ configuration: [LeafNumber]) {
    for region in chart.regions(in: span).reversed() where configuration[region] >= 0 {
      leave(from: configuration[region], to: chart.heads[region])
    }
    let around = Int(chart.nodes[Int(span.top)].region)
    if chart.heads[around] < span.first, configuration[around] >= 0 {
      leave(from: configuration[around], to: span.first)
    }
  }

  private mutating func leave(from leafNumber: LeafNumber, to outermost: StateNumber) {
    var state = chart.leafStates[Int(leafNumber)]
    while state >= outermost {
      left.append(state)
      state = chart.nodes[Int(state)].parent
    }
  }

  private func remember(_ configuration: [LeafNumber], _ memory: inout HistoryValue) {
    for state in left {
      let node = chart.nodes[Int(state)]
      if node.deep >= 0 {
        memory.states[Int(node.deep)] = leaves(in: state, configuration)
      }
      if node.shallow >= 0 {
        memory.states[Int(node.shallow)] = activeChildren(of: state, configuration)
      }
    }
  }

  private func leaves(in state: StateNumber, _ configuration: [LeafNumber]) -> [StateNumber] {
    let node = chart.nodes[Int(state)]
    let inside = chart.regions(in: .init(first: state + 1, last: node.last, top: state))
    return ([Int(node.region)] + inside).compactMap { region in
      let leafNumber = configuration[region]
      guard leafNumber >= 0 else { return nil }
      let leaf = chart.leafStates[Int(leafNumber)]
      return chart.nodes[Int(leaf)].kind == .parallel ? nil : leaf
    }
  }

  private func activeChildren(of state: StateNumber, _ configuration: [LeafNumber]) -> [StateNumber]
  {
    let node = chart.nodes[Int(state)]
    switch node.kind {
    case .parallel: return Array(chart.children(of: state))
    case .compound:
      var child = chart.leafStates[Int(configuration[Int(node.region)])]
      while chart.nodes[Int(child)].parent != state { child = chart.nodes[Int(child)].parent }
      return [child]
    default: return []
    }
  }
}
