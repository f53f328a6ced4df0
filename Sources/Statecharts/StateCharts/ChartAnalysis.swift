/// A static analysis of a chart: states that are never reached or never left, transitions that are never tried or
/// decided by their order, and ends that are never heard.
///
/// Any condition is assumed to hold or not to hold at any time, so that the findings are true for all conditions.
package struct ChartAnalysis {
  package typealias StateNumber = Chart.StateNumber
  package typealias TransitionNumber = CompiledChart.TransitionNumber

  /// Two transitions in two regions that the same action can enable and that exit the same states; only the first is
  /// taken.
  package struct Conflict: Sendable, Hashable {
    package let taken: TransitionNumber
    package let other: TransitionNumber
  }

  let chart: CompiledChart

  package init(_ chart: CompiledChart) { self.chart = chart }

  /// Returns the states that no transition leads to and no state begins with, in order; of nested ones only the
  /// outermost.
  package func unreachable() -> [StateNumber] {
    let reached = reachable()
    return states.filter { state in
      let node = chart.nodes[Int(state)]
      return node.kind.isActive && !reached[Int(state)]
        && (node.parent < 0 || reached[Int(node.parent)])
    }
  }

  /// The way in which a state is entered: as a target, on the path to a target, or by default from the state around.
  enum Entering { case target, path, inside }

  /// Returns for each state true if transitions that can be taken can make it active.
  package func reachable(by passes: (TransitionNumber) -> Bool = { _ in true }) -> [Bool] {
    var reached = Array(repeating: false, count: chart.nodes.count)
    var begun = reached
    // For each state, the outermost top from which its path was followed so far.
    var passed = states
    var open: [(state: StateNumber, how: Entering, top: StateNumber)] = [(0, .inside, 0)]
    while let (state, how, top) = open.popLast() {
      let node = chart.nodes[Int(state)]
      if how != .inside, node.parent > top, top < passed[Int(state)] {
        passed[Int(state)] = top
        open.append((node.parent, .path, top))
        // The regions beside the one that contains the target begin by default.
        if chart.nodes[Int(node.parent)].kind == .parallel {
          open += chart.children(of: node.parent).filter { $0 != state }.map {
            ($0, .inside, node.parent)
          }
        }
      }
      if node.kind.isActive, !reached[Int(state)] {
        reached[Int(state)] = true
        for index in chart.chart.states[Int(state)].transitions.indices {
          let transition = chart.transitionNumber(state, index)
          guard canMove(transition), passes(transition) else { continue }
          let row = chart.rows[Int(transition)]
          let top = row.parts ? row.source : row.span.first - 1
          open += chart.targets(of: transition).map { ($0, .target, top) }
        }
      }
      guard how != .path, !begun[Int(state)] else { continue }
      begun[Int(state)] = true
      switch node.kind {
      case .parallel: open += chart.children(of: state).map { ($0, .inside, state) }
      case .compound: open += beginnings(of: state).map { ($0, .target, state) }
      case .shallow, .deep:
        reached[Int(state)] = true
        let targets = chart.chart.states[Int(state)].transitions.first?.targets ?? []
        open += targets.map { ($0, .target, node.parent) }
      case .atomic, .final: break
      }
    }
    return reached
  }

  /// Returns the atomic states that nothing leads out of.
  ///
  /// They have no such transition themselves, nor have the states around them, nor does one in a parallel region exit
  /// all of them.
  package func withoutTransitionOut(by passes: (TransitionNumber) -> Bool = { _ in true })
    -> [StateNumber]
  {
    let outermost = outermostTops(by: passes)
    return states.filter { state in
      chart.nodes[Int(state)].kind == .atomic && !hasTransitionOut(state, outermost, passes)
    }
  }

  /// Returns for each state the outermost of the tops of the transitions from inside it.
  private func outermostTops(by passes: (TransitionNumber) -> Bool) -> [StateNumber] {
    var outermost = states
    for number in chart.rows.indices
    where canMove(TransitionNumber(number)) && passes(Int32(number)) {
      let row = chart.rows[number]
      let top = row.parts ? row.source : row.span.first - 1
      outermost[Int(row.source)] = min(outermost[Int(row.source)], top)
    }
    for state in states.reversed() where state > 0 {
      let parent = Int(chart.nodes[Int(state)].parent)
      outermost[parent] = min(outermost[parent], outermost[Int(state)])
    }
    return outermost
  }

  /// Returns true if something leads out of a state; a transition back to the state itself counts, because it is a use.
  private func hasTransitionOut(
    _ state: StateNumber, _ outermost: [StateNumber], _ passes: (TransitionNumber) -> Bool
  ) -> Bool {
    var around = state
    while around >= 0 {
      let node = chart.nodes[Int(around)]
      if node.kind == .parallel, outermost[Int(around)] < around { return true }
      for index in chart.chart.states[Int(around)].transitions.indices {
        let transition = chart.transitionNumber(around, index)
        let row = chart.rows[Int(transition)]
        guard canMove(transition), passes(transition) else { continue }
        let targets = chart.targets(of: transition)
        if targets == [state] { return true }
        guard row.parts || row.span.first <= state else { continue }
        if row.reach == .reenters || !targets.contains(where: { contains($0, state) }) {
          return true
        }
      }
      around = node.parent
    }
    return false
  }

  /// Returns the transitions of `on_done` whose state can never finish.
  package func neverDone() -> [TransitionNumber] {
    transitions.filter { chart.rows[Int($0)].isDone && !canFinish(chart.rows[Int($0)].source) }
  }

  /// A final state that finishes the state around it, which has no transition of `on_done`.
  package struct UnheardEnd: Sendable, Hashable {
    package let state: StateNumber
    /// The outermost state that finishes with it.
    package let finished: StateNumber
    /// True if nothing else leads out of the state, so that the machine never ends.
    package let isTrap: Bool
  }

  /// Returns the final states that finish a region, or trap the machine in a state, without an `on_done` that follows.
  package func finishingUnheard(by passes: (TransitionNumber) -> Bool = { _ in true })
    -> [UnheardEnd]
  {
    let outermost = outermostTops(by: passes)
    return states.compactMap { state in
      let node = chart.nodes[Int(state)]
      guard node.kind == .final, node.parent > 0 else { return nil }
      var finished = node.parent
      while true {
        if chart.chart.states[Int(finished)].transitions.contains(where: { $0.trigger == .done }) {
          return nil
        }
        let around = chart.nodes[Int(finished)].parent
        guard around >= 0, chart.nodes[Int(around)].kind == .parallel else { break }
        // A machine of regions ends with them.
        if around == 0, canFinish(0) { return nil }
        finished = around
      }
      let isTrap = !hasTransitionOut(state, outermost, passes)
      guard isTrap || chart.nodes[Int(finished)].kind == .parallel else { return nil }
      return UnheardEnd(state: state, finished: finished, isTrap: isTrap)
    }
  }

  /// Returns true if a state contains a final child, in each of its regions.
  package func canFinish(_ state: StateNumber) -> Bool {
    var open = [state]
    while let state = open.popLast() {
      switch chart.nodes[Int(state)].kind {
      case .parallel: open += chart.children(of: state)
      case .compound:
        let ends = chart.children(of: state).contains { chart.nodes[Int($0)].kind == .final }
        guard ends else { return false }
      default: return false
      }
    }
    return true
  }

  // MARK: Shared

  var states: [StateNumber] { chart.nodes.indices.map(StateNumber.init) }
  var transitions: [TransitionNumber] { chart.rows.indices.map(TransitionNumber.init) }

  func contains(_ outer: StateNumber, _ inner: StateNumber) -> Bool {
    chart.contains(outer, inner)
  }

  /// Returns true if a transition can ever exit a state.
  func canMove(_ transition: TransitionNumber) -> Bool {
    let row = chart.rows[Int(transition)]
    guard row.reach != .stays, row.reach != .forbids else { return false }
    return !row.isDone || canFinish(row.source)
  }

  func beginnings(of state: StateNumber) -> [StateNumber] {
    let child = chart.nodes[Int(state)].child
    return child >= 0 ? [child] : chart.chart.states[Int(state)].initial?.targets ?? []
  }
}
