import CExplore
import FlowKernel
import FlowLanguage

/// The questions of the flow itself about its states.
extension StateSearch {
  /// Asks an invariant about a state, and learns its answer.
  func learn(
    _ trie: UInt32, _ values: Values, invariant number: Int, _ pair: EnginePair
  ) throws {
    if try lock.locked({ () throws(any Error) in try isPlayed(trie) }) {
      let broken = try pair.check(in: values, self, stays: { _ in true }) {
        try $0.checkExplored(invariant: number)
      }
      try lock.locked { () throws(any Error) in
        try learn(trie, values, [], answer(broken))
      }
      return
    }
    let engine = try pair.engine(in: values, self)
    let reportsContinuations = sharesContinuations(trie)
    let (broken, trace, notes) = try engine.explore(
      invariant: number, reportsContinuations: reportsContinuations)
    if let problem = engine.explorersProblem {
      let name = Names.dotted("invariant", flow.flow.invariants[number].function.name)
      throw ExplorationError(.flow, setup.sentence(problem, by: name))
    }
    try lock.locked { () throws(any Error) in
      var observedRun = ObservedRun(
        values, tables: try pair.tables(in: trace.before, slots), slots,
        reportsContinuations: reportsContinuations)
      try observedRun.take(trace, notes)
      let answer = answer(broken)
      try learn(trie, values, observedRun, trace.instructions, answer)
      // The other question about the invariant, which the search asks next, has the same answer.
      if let twin = twins[trie], played[twin] == nil,
        unshared.contains(twin) == unshared.contains(trie)
      {
        try learn(twin, values, observedRun, trace.instructions, answer)
      }
    }
    pair.tracerHasAnswered()
  }

  private func learn(
    _ trie: UInt32, _ values: Values, _ run: ObservedRun, _ instructions: Int,
    _ answer: (kind: explore_leaf_kind, reason: UInt32)
  ) throws {
    if try learn(trie, run, instructions, answer.kind, answer.reason) { return }
    try learn(trie, values, run.reads, answer)
  }

  private func answer(_ broken: DispatchFailure?) -> (kind: explore_leaf_kind, reason: UInt32) {
    guard let broken else { return (EXPLORE_PASSES, 0) }
    return (EXPLORE_REFUSED, number(of: Reason(text: "\(broken)", place: nil, isIdle: false)))
  }

  private func learn(
    _ trie: UInt32, _ values: Values, _ reads: [explore_read],
    _ answer: (kind: explore_leaf_kind, reason: UInt32)
  ) throws {
    try learn(trie, values, reads, answer.kind, answer.reason, [])
  }

  /// Learns that a state may be an end: all machines are in final states, or time has reached its bound.
  func learnEnd(_ trie: UInt32, _ values: Values) throws {
    let fields = flow.flow.finalStates
    var observedRun = ObservedRun(values, tables: [], slots)
    for field in fields.keys.sorted() {
      try observedRun.recordRead(
        of: .place(slots.places.number(of: .field(field), in: PlaceTable.root)))
    }
    if setup.clock.upTo != nil { try observedRun.recordRead(of: .part(.time)) }
    try learn(
      trie, values, observedRun.reads, isEnd(values) ? EXPLORE_PASSES : EXPLORE_REFUSED, 0, [])
  }

  /// Returns true if all machines that have final states are in one; false if there are no such machines.
  ///
  /// A state at the bound of time is an end as well, since nothing is known beyond it.
  func isEnd(_ values: Values) -> Bool {
    if let upTo = setup.clock.upTo, canonical(values).time >= upTo { return true }
    let fields = flow.flow.finalStates
    return !fields.isEmpty
      && fields.allSatisfy { field, finals in
        guard let place = slots.places.find(.field(field), in: PlaceTable.root),
          case .text(let state) = content(.place(place), values)
        else { return false }
        return finals.contains(state.text)
      }
  }
}
