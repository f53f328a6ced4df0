/// An interpreter of a chart, which selects transitions, resolves their conflicts, and takes them in one microstep.
///
/// Call `select`, then `resolveConflicts`, then `move`: each uses the result of the one before. An interpreter serves
/// one chart, one microstep at a time. It keeps its buffers, so it allocates nothing once they have grown. The
/// configuration and the history values belong to its caller.
package struct ChartInterpreter: Sendable {
  package typealias StateNumber = Chart.StateNumber
  package typealias LeafNumber = CompiledChart.LeafNumber
  package typealias TransitionNumber = CompiledChart.TransitionNumber
  package typealias ActionNumber = CompiledChart.ActionNumber

  /// The memory of history states: the states that were active inside another state when it was last exited.
  package struct HistoryValue: Sendable, Hashable {
    /// The states by the number of the history; empty for a state that was never exited.
    package var states: [[StateNumber]]

    package init(states: [[StateNumber]]) { self.states = states }
  }

  /// The last transition that refused in a region in which none was enabled.
  ///
  /// It is a transition that forbids, or one whose condition did not hold.
  package struct Refusal: Sendable, Hashable {
    package let region: Int32
    package let transition: TransitionNumber

    package init(region: Int32, transition: TransitionNumber) {
      (self.region, self.transition) = (region, transition)
    }
  }

  /// A region whose active leaf has changed.
  package struct Change: Sendable, Hashable {
    package let region: Int32
    package let from: LeafNumber
    package let to: LeafNumber

    package init(region: Int32, from: LeafNumber, to: LeafNumber) {
      (self.region, self.from, self.to) = (region, from, to)
    }
  }

  /// The result of the search for a transition in a region.
  package struct Outcome: Sendable {
    /// The transition, or -1.
    package var transition: TransitionNumber = -1
    /// The last transition that refused, or -1.
    package var refused: TransitionNumber = -1
    /// True if the states around must not be searched: a transition was found, or one forbids.
    package var ends = false
    /// True if the result has been computed.
    package var isKnown = false

    @inlinable package init() {}
  }

  /// The target of an entry, the state below which it is entered, and the depth of its history.
  struct EntryTarget: Sendable {
    let target: StateNumber
    let top: StateNumber
    let history: Chart.Depth?
  }

  package let chart: CompiledChart
  /// The selected transitions, in the order of the regions that found them.
  package var taken: [TransitionNumber] = []
  /// The transitions that refused, for each region in which none was found.
  package var refusals: [Refusal] = []
  /// The states that were exited, innermost and last-listed first.
  package internal(set) var left = ScratchArray<StateNumber>()
  /// The states that were entered, outermost and first-listed first.
  package internal(set) var entered = ScratchArray<StateNumber>()
  /// The regions whose active leaf changed, in order.
  package internal(set) var changes = ScratchArray<Change>()
  /// The results of the latest move as arrays.
  package var lists: (changes: [Change], left: [StateNumber], entered: [StateNumber]) {
    (changes.list, left.list, entered.list)
  }
  /// The states that were entered by default, and SCXML's histories that had no memory.
  package internal(set) var defaults: [StateNumber] = []

  /// The results of the regions at a parallel state, in the current selection.
  package var outcomes: [Outcome]
  var spans = ScratchArray<CompiledChart.Span>()
  /// The index of the first span of each taken transition, and the end of the last one's spans.
  var starts: [Int] = []
  var goals = ScratchArray<EntryTarget>()
  var before: [LeafNumber]
  /// The child by which each compound state is to be entered, or -1; `marked` lists the states that have one.
  var wanted: [StateNumber]
  var marked = ScratchArray<StateNumber>()
  var stack = ScratchArray<StateNumber>()

  package init(_ chart: CompiledChart) {
    self.chart = chart
    outcomes = chart.heads.count > 1 ? Array(repeating: Outcome(), count: chart.heads.count) : []
    before = Array(repeating: -1, count: chart.heads.count)
    wanted = Array(repeating: -1, count: chart.nodes.count)
    taken.reserveCapacity(4)
  }

  /// A history value without any memory.
  package var noMemory: HistoryValue {
    HistoryValue(states: Array(repeating: [], count: chart.historyStateCount))
  }

  /// Selects the transitions that a trigger enables, before conflicts are resolved.
  ///
  /// - Parameters:
  ///   - agrees: evaluates the condition of a transition, at most once for each. Nil ends the search without a result.
  ///   - tells: returns true if a transition that refuses gives a reason. The last such one becomes the refusal, if
  ///     any.
  /// - Returns: true if one is enabled.
  package mutating func select(
    _ trigger: ChartTrigger, at configuration: [LeafNumber],
    agrees: (TransitionNumber) -> Bool?, tells: (TransitionNumber) -> Bool = { _ in true }
  ) -> Bool {
    if !taken.isEmpty { taken.removeAll(keepingCapacity: true) }
    if !refusals.isEmpty { refusals.removeAll(keepingCapacity: true) }
    switch trigger {
    case .action(let action, let state):
      if action == CompiledChart.eventless, !chart.hasEventless { return false }
      return select(action, at: configuration, inside: state, agrees, tells)
    case .timer(let timer, let state):
      return select(timer: timer, of: state, at: configuration, agrees, tells)
    }
  }

  private mutating func select(
    _ action: ActionNumber, at configuration: [LeafNumber], inside state: StateNumber,
    _ agrees: (TransitionNumber) -> Bool?, _ tells: (TransitionNumber) -> Bool
  ) -> Bool {
    if configuration.count == 1 {
      let leafNumber = configuration[0]
      guard leafNumber >= 0, state == 0 || chart.contains(state, chart.leafStates[Int(leafNumber)])
      else {
        return false
      }
      if chart.nodes[Int(chart.leafStates[Int(leafNumber)])].kind != .parallel {
        guard let outcome = search(action, leafNumber, configuration, agrees, tells) else {
          return false
        }
        if outcome.transition >= 0 { taken.append(outcome.transition) }
        if outcome.transition < 0, outcome.refused >= 0 {
          refusals.append(Refusal(region: 0, transition: outcome.refused))
        }
        return outcome.transition >= 0
      }
    }
    guard selectInRegions(action, configuration, state, agrees, tells) else {
      taken.removeAll(keepingCapacity: true)
      return false
    }
    return !taken.isEmpty
  }

  private mutating func select(
    timer: Int, of state: StateNumber, at configuration: [LeafNumber],
    _ agrees: (TransitionNumber) -> Bool?, _ tells: (TransitionNumber) -> Bool
  ) -> Bool {
    guard chart.isActive(state, in: configuration) else { return false }
    var refused = TransitionNumber(-1)
    for transition in chart.transitions(of: state, timer: timer) {
      let row = chart.rows[Int(transition)]
      guard let isAgreed = row.asks ? agrees(transition) : true else { return false }
      if isAgreed, row.reach != .forbids {
        taken.append(transition)
        return true
      }
      refused = ChartInterpreter.telling(refused, transition, tells)
      if isAgreed { break }
    }
    if refused >= 0 {
      refusals = [Refusal(region: chart.nodes[Int(state)].region, transition: refused)]
    }
    return false
  }

  /// Searches one region for the first transition at its leaf whose condition holds; returns nil if the search is over.
  private func search(
    _ action: ActionNumber, _ leafNumber: LeafNumber, _ configuration: [LeafNumber],
    _ agrees: (TransitionNumber) -> Bool?,
    _ tells: (TransitionNumber) -> Bool
  ) -> Outcome? {
    var outcome = Outcome()
    outcome.isKnown = true
    var entry = chart.entry(action, at: leafNumber)
    while entry >= 0 {
      let here = chart.entries[Int(entry)]
      for place in here.first..<here.end {
        let transition = chart.candidates[Int(place)]
        let row = chart.rows[Int(transition)]
        if action == CompiledChart.eventless, !isDue(transition, configuration) { continue }
        if row.asks {
          guard let isAgreed = agrees(transition) else { return nil }
          if !isAgreed {
            outcome.refused = ChartInterpreter.telling(outcome.refused, transition, tells)
            continue
          }
        }
        outcome.ends = true
        if row.reach == .forbids {
          outcome.refused = ChartInterpreter.telling(outcome.refused, transition, tells)
        } else {
          outcome.transition = transition
        }
        return outcome
      }
      entry = here.outer
    }
    return outcome
  }

  /// Returns one of two transitions that refuse one after the other: the one that gives a reason; -1 stands for none.
  private static func telling(
    _ before: TransitionNumber, _ transition: TransitionNumber, _ tells: (TransitionNumber) -> Bool
  ) -> TransitionNumber {
    before >= 0 && !tells(transition) && tells(before) ? before : transition
  }

  /// Returns true if a transition of `always` or `on_done` is due, without regard to its condition.
  package func isDue(_ transition: TransitionNumber, _ configuration: [LeafNumber]) -> Bool {
    let row = chart.rows[Int(transition)]
    if row.isDone, !chart.isFinished(row.source, in: configuration) { return false }
    return !row.reach.isFlow || !chart.isThere(transition, in: configuration)
  }

  /// Searches a transition for each active leaf, in its region, then at the parallel states around it.
  ///
  /// The result at a parallel state is computed once. Returns false if the search is over.
  private mutating func selectInRegions(
    _ action: ActionNumber, _ configuration: [LeafNumber], _ inside: StateNumber,
    _ agrees: (TransitionNumber) -> Bool?, _ tells: (TransitionNumber) -> Bool
  ) -> Bool {
    var region = 0
    while region < configuration.count {
      let leafNumber = configuration[region]
      let state = leafNumber >= 0 ? chart.leafStates[Int(leafNumber)] : chart.heads[region]
      if leafNumber >= 0, chart.nodes[Int(state)].kind == .parallel {
        if !outcomes.isEmpty { outcomes[region].isKnown = false }
        region = Int(chart.headsBefore[Int(state) + 1])
        continue
      }
      let leaf = region
      region = Int(chart.headsBefore[Int(chart.nodes[Int(chart.heads[leaf])].last) + 1])
      guard leafNumber >= 0, chart.contains(inside, state) else { continue }
      guard var outcome = search(action, leafNumber, configuration, agrees, tells) else {
        return false
      }
      if outcome.transition >= 0 { taken.append(outcome.transition) }
      var owner = chart.owners[leaf]
      while !outcome.ends, owner >= 0 {
        let around = Int(chart.nodes[Int(owner)].region)
        if !outcomes[around].isKnown {
          let leafNumber = configuration[around]
          guard let found = search(action, leafNumber, configuration, agrees, tells) else {
            return false
          }
          outcomes[around] = found
          if outcomes[around].transition >= 0 { taken.append(outcomes[around].transition) }
        }
        if outcomes[around].refused >= 0 {
          outcome.refused = ChartInterpreter.telling(
            outcome.refused, outcomes[around].refused, tells)
        }
        (outcome.transition, outcome.ends) = (outcomes[around].transition, outcomes[around].ends)
        owner = chart.owners[around]
      }
      if outcome.transition < 0, outcome.refused >= 0 {
        refusals.append(Refusal(region: Int32(leaf), transition: outcome.refused))
      }
    }
    return true
  }
}
