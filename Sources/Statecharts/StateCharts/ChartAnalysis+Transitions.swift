extension ChartAnalysis {
  /// Returns the refusals with a reason that do not prevent a parallel region from taking the action.
  ///
  /// Each comes with that region's transition, or with a transition of a state around both that the region leaves to
  /// take it.
  package func overruledRefusals() -> [(refusal: TransitionNumber, taken: TransitionNumber)] {
    // For each action and each region of a parallel state, the first transition that takes the action.
    var takers: [String: [StateNumber: [StateNumber: TransitionNumber]]] = [:]
    var refusals: [(action: String, transition: TransitionNumber)] = []
    // For each action, the first transition of each state that takes it, and the states that decide on it.
    var listed: [String: [StateNumber: TransitionNumber]] = [:]
    var deciding: [String: Set<StateNumber>] = [:]
    for number in transitions {
      let transition = chart.transition(number)
      guard case .action(let action) = transition.trigger else { continue }
      deciding[action, default: []].insert(transition.source)
      if transition.reach != .forbids {
        if listed[action]?[transition.source] == nil {
          listed[action, default: [:]][transition.source] = number
        }
        for (parallel, region) in regions(around: transition.source)
        where takers[action]?[parallel]?[region] == nil {
          takers[action, default: [:]][parallel, default: [:]][region] = number
        }
      } else if transition.refusal != nil, !transition.postpones, !transition.isFromWildcard {
        refusals.append((action, number))
      }
    }
    return refusals.compactMap { action, number in
      let transition = chart.transition(number)
      for (parallel, region) in regions(around: transition.source) {
        let others = takers[action]?[parallel] ?? [:]
        if let taken = others.filter({ $0.key != region }).values.min() { return (number, taken) }
        let isOpen = chart.children(of: parallel).contains {
          $0 != region && deciding[action]?.contains($0) == false
        }
        var around = parallel
        while isOpen, around >= 0 {
          if let taken = listed[action]?[around] { return (number, taken) }
          around = chart.nodes[Int(around)].parent
        }
      }
      return nil
    }
  }

  /// Returns the parallel states around a state, innermost first, each with its region that contains the state.
  private func regions(
    around state: StateNumber
  ) -> [(parallel: StateNumber, region: StateNumber)] {
    var found: [(StateNumber, StateNumber)] = []
    var (inner, around) = (state, chart.nodes[Int(state)].parent)
    while around >= 0 {
      if chart.nodes[Int(around)].kind == .parallel { found.append((around, inner)) }
      (inner, around) = (around, chart.nodes[Int(around)].parent)
    }
    return found
  }

  /// Returns the transitions that are never tried.
  ///
  /// All states inside theirs decide the action without conditions, or a transition listed before them does.
  package func neverTried() -> [TransitionNumber] {
    var found: [TransitionNumber] = []
    // The number of children of each state that decide; reset after each action.
    var deciding = Array(repeating: 0, count: chart.nodes.count)
    var touched: [StateNumber] = []
    var childCounts = deciding
    for node in chart.nodes where node.parent >= 0 { childCounts[Int(node.parent)] += 1 }
    for entries in entriesByAction() + [eventless] {
      // Innermost first.
      for entry in entries.reversed() {
        let source = chart.rows[Int(chart.candidates[Int(entry.first)])].source
        var isDecided =
          deciding[Int(source)] > 0 && deciding[Int(source)] == childCounts[Int(source)]
        for place in entry.first..<entry.end {
          let transition = chart.candidates[Int(place)]
          if isDecided { found.append(transition) }
          if decides(transition) { isDecided = true }
        }
        guard isDecided else { continue }
        var child = source
        while child > 0 {
          let parent = chart.nodes[Int(child)].parent
          deciding[Int(parent)] += 1
          touched.append(parent)
          // A parent decides when its last child comes to decide, unless it lists transitions itself.
          let isLast = deciding[Int(parent)] == childCounts[Int(parent)]
          guard isLast, !lists(parent, entries) else { break }
          child = parent
        }
      }
      for state in touched { deciding[Int(state)] = 0 }
      touched.removeAll(keepingCapacity: true)
    }
    return found.sorted()
  }

  /// Returns true if no transition after this one is ever tried.
  ///
  /// No condition refuses it, and, if it is eventless, it is always enabled.
  private func decides(_ transition: TransitionNumber) -> Bool {
    let row = chart.rows[Int(transition)]
    if row.asks || row.isDone { return false }
    guard chart.transition(transition).trigger == .always else { return true }
    return !chart.targets(of: transition).contains { contains($0, row.source) }
  }

  /// Returns the transitions of each action, in the order of the states, without eventless ones and SCXML's events.
  private func entriesByAction() -> [[CompiledChart.Entry]] {
    var byAction: [[CompiledChart.Entry]] = Array(
      repeating: [], count: chart.actionNames.count)
    for entry in chart.entries {
      let transition = chart.transition(chart.candidates[Int(entry.first)])
      guard case .action(let name) = transition.trigger, let action = chart.action(name) else {
        continue
      }
      byAction[Int(action)].append(entry)
    }
    return byAction
  }

  private func lists(_ state: StateNumber, _ entries: [CompiledChart.Entry]) -> Bool {
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      let source = chart.rows[Int(chart.candidates[Int(entries[middle].first)])].source
      if source == state { return true }
      if source < state { low = middle + 1 } else { high = middle }
    }
    return false
  }

  /// Returns at most `most` pairs of transitions in different regions between which only their order decides.
  package func conflicts(most: Int = 100) -> [Conflict] {
    guard chart.heads.count > 1 else { return [] }
    var found: [Conflict] = []
    for entries in entriesByAction() + [eventless] {
      let transitions = entries.flatMap { chart.candidates[Int($0.first)..<Int($0.end)] }.sorted()
      // One of two conflicting transitions exits a parallel state, or everything inside one.
      for transition in transitions where canMove(transition) && leavesRegions(transition) {
        for other in transitions where other != transition && canMove(other) {
          let isPair = other > transition || !leavesRegions(other)
          guard isPair, areSideBySide(transition, other) else { continue }
          let (first, second) = (chart.rows[Int(transition)], chart.rows[Int(other)])
          guard first.span.overlaps(second.span), !first.parts, !second.parts else { continue }
          found.append(Conflict(taken: min(transition, other), other: max(transition, other)))
          if found.count == most {
            return found.sorted { ($0.taken, $0.other) < ($1.taken, $1.other) }
          }
        }
      }
    }
    return found.sorted { ($0.taken, $0.other) < ($1.taken, $1.other) }
  }

  private var eventless: [CompiledChart.Entry] {
    chart.entries.filter { entry in
      let trigger = chart.transition(chart.candidates[Int(entry.first)]).trigger
      return trigger == .always || trigger == .done
    }
  }

  /// Returns true if a transition exits more than the innermost region of its source.
  private func leavesRegions(_ transition: TransitionNumber) -> Bool {
    let row = chart.rows[Int(transition)]
    return row.span.first <= chart.heads[Int(chart.nodes[Int(row.source)].region)]
  }

  /// Returns true if the sources of two transitions are in different regions of a parallel state.
  ///
  /// Such states can be active together without one being inside the other.
  private func areSideBySide(_ one: TransitionNumber, _ other: TransitionNumber) -> Bool {
    let source = chart.rows[Int(other)].source
    var around = chart.rows[Int(one)].source
    guard !contains(around, source), !contains(source, around) else { return false }
    while around > 0, !contains(around, source) { around = chart.nodes[Int(around)].parent }
    return chart.nodes[Int(around)].kind == .parallel
  }

  /// Returns the cycles of unconditional eventless transitions, which run for ever if all conditions refuse.
  ///
  /// The search has a budget, so not all cycles of a large chart are found; the limit of microsteps reports those at
  /// run time.
  package func circles() -> [[TransitionNumber]] {
    guard chart.hasEventless else { return [] }
    var interpreter = ChartInterpreter(chart)
    var budget = 1_000_000
    var known: Set<[CompiledChart.LeafNumber]> = []
    var found: [[TransitionNumber]] = []
    for state in chart.leafStates where budget > 0 && hasUnconditionalMicrostep(state) {
      var configuration: [CompiledChart.LeafNumber] = []
      var memory = interpreter.noMemory
      interpreter.begin(&configuration, at: [state], remembering: memory)
      var walked: [[CompiledChart.LeafNumber]: Int] = [:]
      var taken: [[TransitionNumber]] = []
      while budget > 0, !known.contains(configuration) {
        if let first = walked[configuration] {
          found.append(Array(taken[first...].joined()))
          break
        }
        walked[configuration] = taken.count
        budget -= configuration.count + interpreter.entered.count
        guard interpreter.select(.eventless, at: configuration, agrees: { _ in false }) else {
          break
        }
        interpreter.resolveConflicts(at: configuration, remembering: memory)
        interpreter.move(&configuration, remembering: &memory)
        taken.append(interpreter.taken)
      }
      known.formUnion(walked.keys)
    }
    return found
  }

  /// Returns true if a state has a candidate of `always` or `on_done` without a condition.
  private func hasUnconditionalMicrostep(_ state: StateNumber) -> Bool {
    let leafNumber = chart.nodes[Int(state)].leafNumber
    return leafNumber >= 0
      && chart.candidates(CompiledChart.eventless, at: leafNumber).contains {
        !chart.rows[Int($0)].asks
      }
  }
}
