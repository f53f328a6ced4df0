extension ChartAnalysis {
  /// The transitions that can make a state active.
  package struct Entrances: Sendable {
    package fileprivate(set) var transitions: [TransitionNumber] = []
    /// True if the state is active when the machine begins.
    package fileprivate(set) var isInitial = false
  }

  /// Returns the transitions that can make each of these states active.
  ///
  /// Nil if the chart is so large that the search would take too long.
  package func entrances(
    of states: Set<StateNumber>, by passes: (TransitionNumber) -> Bool = { _ in true }
  ) -> [StateNumber: Entrances]? {
    var found: [StateNumber: Entrances] = [:]
    var budget = 500_000
    guard let initial = entered(from: [(0, .inside, 0)], above: -1, &budget) else { return nil }
    for state in states where initial.contains(state) {
      found[state, default: Entrances()].isInitial = true
    }
    for transition in transitions where canMove(transition) && passes(transition) {
      let row = chart.rows[Int(transition)]
      let top = row.parts ? row.source : row.span.first - 1
      let targets = chart.targets(of: transition)
      guard var entered = entered(from: targets.map { ($0, .target, top) }, above: top, &budget)
      else { return nil }
      if row.history != nil {
        for target in targets { entered.formUnion(inside(target)) }
        budget -= entered.count
      }
      for state in states where entered.contains(state) {
        found[state, default: Entrances()].transitions.append(transition)
      }
    }
    return found
  }

  /// Returns the states that become active together with others; nil beyond the budget.
  ///
  /// - Parameter top: the state around all of them, which stays active.
  private func entered(
    from first: [(state: StateNumber, how: Entering, top: StateNumber)], above top: StateNumber,
    _ budget: inout Int
  ) -> Set<StateNumber>? {
    var entered: Set<StateNumber> = []
    var begun: Set<StateNumber> = []
    var followed: Set<StateNumber> = []
    var open = first
    while let (state, how, top) = open.popLast() {
      budget -= 1
      if budget < 0 { return nil }
      let node = chart.nodes[Int(state)]
      if how != .inside, node.parent > top, followed.insert(state).inserted {
        open.append((node.parent, .path, top))
        // The regions beside the one that contains the target begin by default.
        if chart.nodes[Int(node.parent)].kind == .parallel {
          open += chart.children(of: node.parent).filter { $0 != state }.map {
            ($0, .inside, node.parent)
          }
        }
      }
      entered.insert(state)
      guard how != .path, begun.insert(state).inserted else { continue }
      switch node.kind {
      case .parallel: open += chart.children(of: state).map { ($0, .inside, state) }
      case .compound: open += beginnings(of: state).map { ($0, .target, state) }
      case .shallow, .deep: entered.formUnion(inside(node.parent))
      case .atomic, .final: break
      }
    }
    return entered.filter { $0 > top }
  }

  /// Returns the states inside a state.
  private func inside(_ state: StateNumber) -> [StateNumber] {
    let last = chart.nodes[Int(state)].last
    return state < last ? Array(state + 1...last) : []
  }
}
