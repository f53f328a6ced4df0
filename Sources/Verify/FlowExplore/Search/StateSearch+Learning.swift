import CExplore
import FlowKernel
import FlowLanguage

/// Learning: on a miss, a run of the flow supplies the decision, which is stored.
extension StateSearch {
  /// Plays the flow to answer a miss, and learns the decision.
  func miss(
    _ thread: UInt32, _ trie: UInt32, _ values: Values, _ draws: Values
  ) -> explore_status {
    // A round may take long if much has to be learned; stop within it.
    if ending.isDue { explore_stop(search) }
    do {
      // The keys of continuations are valid in one VM only.
      if sharesContinuations(trie) {
        try engines.withFirst { pair throws(any Error) in try learn(trie, values, draws, pair) }
      } else {
        try engines.with(thread) { try learn(trie, values, draws, $0) }
      }
      return EXPLORE_OK
    } catch let error as ExplorationError {
      // Results so far are valid: exhausted memory is a bound that was reached.
      if error.kind == .memory { return EXPLORE_NO_MEMORY }
      end(with: error)
    } catch {
      end(with: ExplorationError(.flow, "\(error)"))
    }
    return EXPLORE_STOPPED
  }

  private func learn(
    _ trie: UInt32, _ values: Values, _ draws: Values, _ pair: EnginePair
  ) throws {
    switch asked[Int(trie)] {
    case .move, .end: try learn(moving: trie, values, draws.map(Int.init), pair)
    case .invariant(let number): try learn(trie, values, invariant: number, pair)
    case .ends: try lock.locked { () throws(any Error) in try learnEnd(trie, values) }
    case .property(let number):
      try learn(trie, values, setup.said.properties[number], by: draws.first, pair)
    case .when(let number):
      if let when = setup.said.properties[number].when {
        try learn(trie, values, asking: when, pair)
      }
    case .said(let function): try learn(trie, values, asking: function, pair)
    case .part: break  // it is asked of no state
    case .effects: try lock.locked { () throws(any Error) in try learnEffects(trie, values) }
    }
  }

  private func learn(
    moving trie: UInt32, _ values: Values, _ draws: [Int], _ pair: EnginePair
  ) throws {
    let asked = try looksOfAnswers(trie, values, pair)
    guard let move = move(trie, values, pair) else {
      return try lock.locked { () throws(any Error) in try learnIdle(trie, values, asked) }
    }
    var isPart = false
    if try lock.locked({ () throws(any Error) in try isPlayed(trie) }) {
      switch try play(trie, values, move, pair) {
      case .answered: return
      case .unknown: isPart = true
      case .undecided: break
      }
    }
    let run = try pair.engine(in: values, self).explore(
      move, draws: draws, isDivided: isPart, reportsContinuations: sharesContinuations(trie))
    let canonical = pair.standing(in: values, self).canonical
    try lock.locked { () throws(any Error) in
      let tables = try pair.tables(in: run.trace.before, slots)
      let writes = try learn(
        trie, values, canonical, move, run, asked, tables, isPart ? run.admission : nil)
      guard let writes else { return }
      if case .action = move, case .refused = run.ending { return pair.tracerHasAnswered() }
      pair.tracerHasGone(to: StateSearch.values(of: values, after: writes), run.canonical)
    }
  }

  /// Learns from a move that was made.
  ///
  /// - Parameter admission: the judgement of the gates, if only what follows it is to be learned.
  /// - Returns: the writes of the move; nil if it failed.
  private func learn(
    _ trie: UInt32, _ values: Values, _ canonical: CanonicalState, _ move: ExploredMove,
    _ run: ExploredRun, _ asked: [SlotTable.Subject], _ tables: [PlaceTable.Number],
    _ admission: ExploredRun.Admission?
  ) throws -> [explore_write]? {
    if let problem = run.problem { throw ExplorationError(.flow, setup.sentence(problem, move)) }
    if run.canonical.effects.count > setup.mostEffects, setup.said.mostEffects == nil {
      throw tooManyEffects(run.canonical.effects)
    }
    try expectFewDraws(run.notes, move)
    var observedRun = ObservedRun(
      values, tables: tables, slots, reportsContinuations: run.trace.reportsContinuations)
    // These come first, as in `learnIdle`.
    if case .end = move {
      for subject in [.part(.effects)] + asked { try observedRun.recordRead(of: subject) }
    }
    for field in run.fields.sorted() {
      try observedRun.recordRead(
        of: .place(slots.places.number(of: .field(field), in: PlaceTable.root)))
    }
    for machine in run.memories.sorted() {
      try observedRun.recordRead(of: .part(.historyValues(machine: machine)))
    }
    try observedRun.take(run.trace, run.notes, from: admission?.offset ?? 0)
    if let records = run.records {
      for record in records { try observedRun.recordRead(of: record) }
    } else {
      try observedRun.lookDeep(PlaceTable.root)
    }
    let reason: Reason
    var kind = EXPLORE_PASSES
    var writes: [explore_write] = []
    switch run.ending {
    case .passed:
      reason = Reason(text: "", place: nil, isIdle: false)
      writes = try observedRun.changes(run.trace.after, (canonical, run.canonical))
    case .refused(let refusal):
      kind = EXPLORE_REFUSED
      reason = Reason(text: "\(refusal)", place: refusal.place, isIdle: false)
    case .idle:
      kind = EXPLORE_REFUSED
      reason = Reason(text: "", place: nil, isIdle: true)
    case .failed(let failure):
      kind = EXPLORE_FAILED
      reason = Reason(text: "\(failure)", place: nil, isIdle: false)
    }
    let number = number(of: reason)
    var isLearned = false
    if let admission {
      isLearned = try follow(trie, values, admission.plan, observedRun.reads, kind, number, writes)
    }
    if !isLearned {
      isLearned = try learn(
        trie, observedRun, run.trace.instructions, kind, number, writes)
    }
    if !isLearned { try learn(trie, values, observedRun.reads, kind, number, writes) }
    return kind == EXPLORE_FAILED ? nil : writes
  }

  private func learnIdle(
    _ trie: UInt32, _ values: Values, _ asked: [SlotTable.Subject]
  ) throws {
    var observedRun = ObservedRun(values, tables: [], slots)
    for subject in [.part(.effects)] + asked { try observedRun.recordRead(of: subject) }
    let reason = number(of: Reason(text: "", place: nil, isIdle: true))
    try learn(trie, values, observedRun.reads, EXPLORE_REFUSED, reason, [])
  }

  /// Learns a decision by its path.
  ///
  /// - Parameter values: the slot values of the state; for a step those of both states, one after the other.
  func learn(
    _ trie: UInt32, _ values: Values, _ reads: [explore_read], _ kind: explore_leaf_kind,
    _ reason: UInt32, _ writes: [explore_write], by mover: UInt32 = EXPLORE_NONE
  ) throws(ExplorationError) {
    var reads = reads
    func learn() -> explore_status {
      writes.withUnsafeBufferPointer {
        explore_learn(
          search, trie, reads, UInt32(reads.count),
          explore_leaf(
            kind: kind, reason: reason, writes: $0.baseAddress, write_count: UInt32($0.count)))
      }
    }
    var status = learn()
    if status == EXPLORE_INCONSISTENT {
      // The run read less than the trie asks for: add all slots that this trie has ever read, which is safe.
      let known = Set(reads.map(\.slot))
      for slot in (looked[trie] ?? []).subtracting(known).sorted() {
        if let value = value(of: slot, values, by: mover) {
          reads.append(explore_read(slot: slot, value: value))
        }
      }
      status = learn()
    }
    for read in reads { looked[trie, default: []].insert(read.slot) }
    // A continuation may cause the contradiction: learn the next run of the move by its path.
    if status == EXPLORE_INCONSISTENT, sharesContinuationsWithinLock(trie) {
      return stopSharing(trie)
    }
    try ExplorationError.check(status)
  }

  /// Returns the value of a slot; nil for a draw.
  private func value(of slot: UInt32, _ values: Values, by mover: UInt32) -> UInt32? {
    if slot & UInt32(EXPLORE_DRAW) != 0 { return nil }
    if slot & UInt32(EXPLORE_BY) != 0 { return mover }
    let count = mover == EXPLORE_NONE ? values.count : values.count / 2
    let number = Int(slot & ~EXPLORE_AFTER)
    guard number < count else { return 0 }
    return values[slot & EXPLORE_AFTER == 0 ? number : count + number]
  }
}

extension StateSearch {
  /// The maximum number of draws in a move, the capacity of `explore_edge.draws`.
  private static let mostDraws = 8

  private func expectFewDraws(
    _ notes: [ExploredRun.Note], _ move: ExploredMove
  ) throws(ExplorationError) {
    var draws = 0
    for note in notes { if case .draw = note.what { draws += 1 } }
    if draws <= StateSearch.mostDraws { return }
    let what: String
    var place: SourcePlace?
    switch move {
    case .action(let name, _):
      let action = flow.flow.action(named: name)
      (what, place) = ("action \(name)", action?.reducer?.place ?? action?.place)
    case .end(let effect, let name, _):
      (what, place) = (effect.title, flow.flow.action(named: name)?.reducer?.place)
    case .time: what = "what is due as time passes"
    }
    throw ExplorationError(
      .flow,
      (place.map { "\($0): " } ?? "")
        + "\(what) draws from random \(draws) times at once, but all outcomes are explored of at most "
        + "\(StateSearch.mostDraws) draws: draw in several actions, or use one random(m, n)")
  }
}
