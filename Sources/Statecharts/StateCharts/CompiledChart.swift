/// A chart in the form of tables, which are used without names and sets.
///
/// A *leaf* is a state at which a region can be: an atomic, final or parallel state. Leaves are numbered in the order
/// of their states; a configuration has one leaf for each region, or -1 if the region is not active. The size of the
/// tables, and the time to make them, are proportional to the chart: the transitions that a leaf inherits are not
/// copied but found, by the innermost state around it that lists the action.
package final class CompiledChart: Sendable {
  package typealias StateNumber = Chart.StateNumber
  /// The number of a leaf, or -1.
  package typealias LeafNumber = Int32
  /// Transitions are numbered in the order of their states, and in a state as they are listed.
  package typealias TransitionNumber = Int32
  package typealias ActionNumber = Int32

  /// The action number of `always` and `on_done`.
  package static let eventless: ActionNumber = 0
  /// The action number of all events of SCXML; conditions also decide if an event matches.
  package static let events: ActionNumber = 1

  package enum Kind: UInt8, Sendable { case atomic, final, compound, parallel, shallow, deep }

  /// A state, with numbers instead of names.
  package struct Node: Sendable {
    package let parent: StateNumber
    package let last: StateNumber
    package let region: Int32
    /// Its number as a leaf; -1 for a compound state.
    package internal(set) var leafNumber: LeafNumber = -1
    package let kind: Kind
    /// True if it has timers or postpones actions, has an effect, has blocks to run on entry, or on exit.
    package let hasTimers, hasEffect, hasOnEnter, hasOnExit: Bool
    /// Its initial child; -1 if it begins deeper, or in several states.
    var child: StateNumber = -1
    /// The number of its first transition.
    let transitions: TransitionNumber
    /// The number of its first timer.
    let timers: Int32
    /// The numbers of its history values, by depth; -1 if it has none.
    package internal(set) var shallow: Int32 = -1
    package internal(set) var deep: Int32 = -1
  }

  /// A transition, with everything that selection and moves need.
  package struct Row: Sendable {
    package let source: StateNumber
    package let reach: Chart.Reach
    /// True if its condition must be evaluated.
    package let asks: Bool
    /// The condition; -1 if it has none.
    package let condition: Chart.Function
    package let isDone: Bool
    let history: Chart.Depth?
    /// The only target; -1 if there are several or none.
    package let target: StateNumber
    /// The states that it exits, if it moves and `parts` and `dynamic` are false.
    package let span: Span
    /// True if a parallel state leads into its own regions, which are then exited separately.
    let parts: Bool
    /// True if the exited states depend on a history value.
    let dynamic: Bool
  }

  /// The states from `first` to `last`: the content of `top`, with or without `top` itself.
  package struct Span: Sendable, Hashable {
    package let first: StateNumber
    package let last: StateNumber
    package let top: StateNumber

    package init(first: StateNumber, last: StateNumber, top: StateNumber) {
      (self.first, self.last, self.top) = (first, last, top)
    }

    /// Returns true if this span comes first, in the order of states, and of equal starts the wider one.
    func isBefore(_ other: Span) -> Bool {
      first < other.first || (first == other.first && last > other.last)
    }

    package func overlaps(_ other: Span) -> Bool {
      max(first, other.first) <= min(last, other.last)
    }
  }

  /// The transitions that a state lists for an action, and the next outer entry for the action in its region.
  package struct Entry: Sendable {
    package let first: Int32
    package let end: Int32
    package var outer: Int32
    package let region: Int32
  }

  /// The first state of a range in which an entry is the innermost, up to the next break; entry -1 stands for none.
  struct Break: Sendable {
    let state: StateNumber
    let entry: Int32
  }

  package let chart: Chart
  package let nodes: FrozenArray<Node>
  package let rows: FrozenArray<Row>
  package let entries: FrozenArray<Entry>
  /// The numbers of transitions, in the order in which the entries list them.
  package let candidates: FrozenArray<TransitionNumber>
  /// The state of each leaf.
  package let leafStates: FrozenArray<StateNumber>
  /// The head and the owner of each region.
  package let heads, owners: FrozenArray<StateNumber>
  /// For each state the number of regions whose head comes before it, with one more element at the end.
  package let headsBefore: FrozenArray<Int32>
  /// The names of actions, by number.
  package let actionNames: [String]
  /// The number of history values.
  package let historyStateCount: Int
  /// True if some transition has no event.
  package let hasEventless: Bool

  let breaks: FrozenArray<Break>
  let breakStarts: FrozenArray<Int32>
  let actionNumbers: [String: ActionNumber]
  let timedTransitions: [Int32: [TransitionNumber]]

  /// Compiles a chart.
  package init(_ chart: Chart) {
    var builder = ChartTables(chart)
    builder.build()
    self.chart = chart
    nodes = FrozenArray(builder.nodes)
    rows = FrozenArray(builder.rows)
    leafStates = FrozenArray(builder.leafStates)
    heads = FrozenArray(builder.heads)
    owners = FrozenArray(builder.owners)
    headsBefore = FrozenArray(builder.headsBefore)
    entries = FrozenArray(builder.entries)
    candidates = FrozenArray(builder.candidates)
    breaks = FrozenArray(builder.breaks)
    breakStarts = FrozenArray(builder.breakStarts)
    (actionNames, actionNumbers) = (builder.actionNames, builder.actionNumbers)
    (timedTransitions, historyStateCount) = (builder.timedTransitions, builder.historyStateCount)
    hasEventless = breakStarts[1] > breakStarts[0]
  }

  deinit {
    nodes.free()
    rows.free()
    leafStates.free()
    heads.free()
    owners.free()
    headsBefore.free()
    entries.free()
    candidates.free()
    breaks.free()
    breakStarts.free()
  }

  /// Returns the number of an action; nil if the chart does not name it.
  package func action(_ name: String) -> ActionNumber? { actionNumbers[name] }

  /// Returns a transition as the chart declares it.
  package func transition(_ number: TransitionNumber) -> Chart.Transition {
    let source = Int(rows[Int(number)].source)
    return chart.states[source].transitions[Int(number - nodes[source].transitions)]
  }

  /// Returns the number of a transition, by its index in its state.
  package func transitionNumber(_ state: StateNumber, _ index: Int) -> TransitionNumber {
    nodes[Int(state)].transitions + Int32(index)
  }

  /// Returns the transitions of a state that one of its timers triggers.
  package func transitions(of state: StateNumber, timer: Int) -> [TransitionNumber] {
    timedTransitions[nodes[Int(state)].timers + Int32(timer)] ?? []
  }

  /// Returns the candidates at a leaf for an action.
  ///
  /// These are the transitions of the leaf, then those of the states around it up to the head of its region.
  package func candidates(_ action: ActionNumber, at leafNumber: LeafNumber) -> [TransitionNumber] {
    var found: [TransitionNumber] = []
    var entry = entry(action, at: leafNumber)
    while entry >= 0 {
      let here = entries[Int(entry)]
      found += candidates[Int(here.first)..<Int(here.end)]
      entry = here.outer
    }
    return found
  }

  /// Returns the innermost entry for an action at a leaf; -1 if its region has none.
  package func entry(_ action: ActionNumber, at leafNumber: LeafNumber) -> Int32 {
    let state = leafStates[Int(leafNumber)]
    var low = Int(breakStarts[Int(action)])
    var high = Int(breakStarts[Int(action) + 1])
    let start = low
    while low < high {
      let middle = (low + high) >> 1
      if breaks[middle].state <= state { low = middle + 1 } else { high = middle }
    }
    guard low > start else { return -1 }
    let entry = breaks[low - 1].entry
    guard entry >= 0, entries[Int(entry)].region == nodes[Int(state)].region else { return -1 }
    return entry
  }

  /// Returns the leaves that have candidates for an action, in order.
  package func leafNumbers(offering action: ActionNumber) -> [LeafNumber] {
    ranges(of: action).flatMap { $0.leafNumbers.map(LeafNumber.init) }
  }

  /// The number of candidates at all leaves together; an inherited transition counts at each leaf.
  package var offerCount: Int {
    var counts: [Int] = []
    counts.reserveCapacity(entries.count)
    for entry in entries {
      counts.append(Int(entry.end - entry.first) + (entry.outer < 0 ? 0 : counts[Int(entry.outer)]))
    }
    return (0..<breakStarts.count - 1).reduce(0) { sum, action in
      ranges(of: ActionNumber(action)).reduce(sum) {
        $0 + $1.leafNumbers.count * counts[Int($1.entry)]
      }
    }
  }

  /// Returns for each entry of an action the range of leaves in which it is the innermost.
  private func ranges(of action: ActionNumber) -> [(entry: Int32, leafNumbers: Range<Int>)] {
    let all = Int(breakStarts[Int(action)])..<Int(breakStarts[Int(action) + 1])
    return all.compactMap { place in
      guard breaks[place].entry >= 0 else { return nil }
      let end = place + 1 < all.upperBound ? breaks[place + 1].state : StateNumber(nodes.count)
      return (breaks[place].entry, firstStop(from: breaks[place].state)..<firstStop(from: end))
    }
  }

  /// Returns the value of a region's field at a leaf: the path below the region's head, or the head's own name.
  package func value(of leafNumber: LeafNumber) -> String { text(of: leafStates[Int(leafNumber)]) }

  /// Returns the value of the region's field for a state: its path below the region's head.
  package func text(of number: StateNumber) -> String {
    let state = chart.states[Int(number)]
    let head = heads[Int(state.region)]
    guard number != head else { return state.name }
    let above = chart.states[Int(head)].path.utf8.count
    return String(state.path.utf8.dropFirst(above == 0 ? 0 : above + 1)) ?? state.name
  }

  /// Returns the leaf for a value of a region's field; nil if there is none.
  package func leafNumber(_ value: String, in region: Int) -> LeafNumber? {
    let head = heads[region]
    var leafNumber = firstStop(from: head)
    while leafNumber < leafStates.count, leafStates[leafNumber] <= nodes[Int(head)].last {
      if nodes[Int(leafStates[leafNumber])].region == region,
        self.value(of: LeafNumber(leafNumber)) == value
      {
        return LeafNumber(leafNumber)
      }
      leafNumber += 1
    }
    return nil
  }

  /// Returns the first leaf whose state is `state` or comes after it.
  private func firstStop(from state: StateNumber) -> Int {
    var (low, high) = (0, leafStates.count)
    while low < high {
      let middle = (low + high) >> 1
      if leafStates[middle] < state { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Returns true if `inner` is `outer` or one of its descendants.
  package func contains(_ outer: StateNumber, _ inner: StateNumber) -> Bool {
    outer <= inner && inner <= nodes[Int(outer)].last
  }

  /// Returns true if a state is active.
  package func isActive(_ state: StateNumber, in configuration: [LeafNumber]) -> Bool {
    let leafNumber = configuration[Int(nodes[Int(state)].region)]
    return leafNumber >= 0 && contains(state, leafStates[Int(leafNumber)])
  }

  /// Returns true if all targets of a transition are already active.
  package func isThere(_ transition: TransitionNumber, in configuration: [LeafNumber]) -> Bool {
    let row = rows[Int(transition)]
    if row.target >= 0 { return isActive(row.target, in: configuration) }
    let targets = targets(of: transition)
    return !targets.isEmpty && targets.allSatisfy { isActive($0, in: configuration) }
  }

  /// Returns the targets of a transition.
  package func targets(of transition: TransitionNumber) -> [StateNumber] {
    let source = Int(rows[Int(transition)].source)
    return chart.states[source].transitions[Int(transition - nodes[source].transitions)].targets
  }

  /// Returns true if a state has finished: its active child is final, or all its regions have finished.
  package func isFinished(_ state: StateNumber, in configuration: [LeafNumber]) -> Bool {
    let node = nodes[Int(state)]
    guard isActive(state, in: configuration) else { return false }
    if node.kind == .compound { return isFinal(configuration[Int(node.region)], in: state) }
    guard node.kind == .parallel else { return false }
    // A region that is parallel as a whole has no leaf of its own to check: its regions, which come next, are checked.
    var region = Int(headsBefore[Int(state) + 1])
    let end = Int(headsBefore[Int(node.last) + 1])
    while region < end {
      let head = heads[region]
      switch nodes[Int(head)].kind {
      case .parallel: region += 1
      case .compound where isFinal(configuration[region], in: head):
        region = Int(headsBefore[Int(nodes[Int(head)].last) + 1])
      default: return false
      }
    }
    return true
  }

  private func isFinal(_ leafNumber: LeafNumber, in parent: StateNumber) -> Bool {
    guard leafNumber >= 0 else { return false }
    let node = nodes[Int(leafStates[Int(leafNumber)])]
    return node.kind == .final && node.parent == parent
  }

  /// Returns the regions whose head is in a span.
  package func regions(in span: Span) -> Range<Int> {
    Int(headsBefore[Int(span.first)])..<Int(headsBefore[Int(span.last) + 1])
  }

  /// Returns the children of a state that can be active, in order.
  package func children(of state: StateNumber) -> Children {
    Children(chart: self, child: state + 1, last: nodes[Int(state)].last)
  }

  package struct Children: Sequence, IteratorProtocol {
    let chart: CompiledChart
    var child: StateNumber
    let last: StateNumber

    package mutating func next() -> StateNumber? {
      while child <= last {
        let found = child
        child = chart.nodes[Int(found)].last + 1
        if chart.nodes[Int(found)].kind.isActive { return found }
      }
      return nil
    }
  }

  /// Replaces SCXML's histories among the targets by their remembered states, or by their default targets.
  ///
  /// The histories without memory are added to `defaults`.
  func resolve(
    _ targets: [StateNumber], _ memory: ChartInterpreter.HistoryValue,
    _ defaults: inout [StateNumber]
  ) -> [StateNumber] {
    var found: [StateNumber] = []
    var open = Array(targets.reversed())
    var steps = 0
    // The limit of steps ends the loop for a history that leads to itself.
    while let state = open.popLast(), steps <= nodes.count {
      steps += 1
      let node = nodes[Int(state)]
      guard !node.kind.isActive, node.parent >= 0 else {
        found.append(state)
        continue
      }
      let parent = nodes[Int(node.parent)]
      let kept = memory.states[Int(node.kind == .deep ? parent.deep : parent.shallow)]
      if kept.isEmpty { defaults.append(state) }
      open += (kept.isEmpty ? chart.states[Int(state)].transitions.first?.targets ?? [] : kept)
        .reversed()
    }
    return found
  }
}

extension CompiledChart.Kind {
  /// True if a state of this kind can be active, which a history cannot.
  package var isActive: Bool { rawValue <= CompiledChart.Kind.parallel.rawValue }
}
