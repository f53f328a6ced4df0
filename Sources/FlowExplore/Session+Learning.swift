import CExplore
import LuaRuntime
import Moonlatch

/// What is not known yet is found out by playing the flow, and learned.
extension Session {
  /// Finds out what is not known yet, on a thread.
  func miss(
    _ thread: UInt32, _ trie: UInt32, _ values: Values, _ draws: Values
  ) -> explore_status {
    // A round may take long where much is learned: it is then stopped within.
    if ending.isDue { explore_stop(search) }
    do {
      try engines.with(thread) { try learn(trie, values, draws, $0) }
      return EXPLORE_OK
    } catch let error as ExplorationError {
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
    }
  }

  private func learn(
    moving trie: UInt32, _ values: Values, _ draws: [Int], _ pair: EnginePair
  ) throws {
    let asked = try looksOfAnswers(trie, values, pair)
    guard let move = move(trie, values, pair) else {
      return try lock.locked { () throws(any Error) in try learnIdle(trie, values, asked) }
    }
    let run = try pair.engine(in: values, self).explore(move, draws: draws)
    let ledger = pair.standing(in: values, self).ledger
    try lock.locked { () throws(any Error) in
      try learn(trie, values, ledger, move, run, asked)
    }
  }

  /// What a move that was made has to teach.
  private func learn(
    _ trie: UInt32, _ values: Values, _ ledger: ExploredLedger, _ move: ExploredMove,
    _ run: ExploredRun, _ asked: [SlotTable.Subject]
  ) throws {
    if let problem = run.problem { throw ExplorationError(.flow, setup.sentence(problem, move)) }
    if run.ledger.effects.count > setup.mostEffects {
      throw ExplorationError(
        .setup,
        "more than \(setup.mostEffects) effects are under way at once: say how many there may be in "
          + "NAME.explore.lua, effects = { at_most = \(setup.mostEffects * 2) }")
    }
    let before = try StateForm(reading: run.trace.before, &slots.places)
    let after = try StateForm(reading: run.trace.after, &slots.places)
    var first = sorted(
      run.fields.map { .place(slots.places.number(of: .field($0), in: PlaceTable.root)) })
    first += run.memories.sorted().map { .part(.memory(machine: $0)) }
    if case .end = move { first += [.part(.effects)] + asked }
    var lesson = try Lesson(
      run.trace, run.notes, before: before, after: after, first: first, &slots.places)
    if run.looksAtRecords || !run.trace.isWhole { lesson.lookDeep(PlaceTable.root) }
    let reason: Reason
    var kind = EXPLORE_PASSES
    var writes: [explore_read] = []
    switch run.ending {
    case .passed:
      reason = Reason(text: "", place: nil, isIdle: false)
      for (subject, content) in lesson.changes((ledger, run.ledger)).sorted(by: {
        slots.places.title(of: $0.subject) < slots.places.title(of: $1.subject)
      }) {
        let slot = try slots.slot(of: subject, first: before.contents[subject] ?? .absent)
        writes.append(
          explore_read(slot: slot, value: try slots.number(of: content, in: slot)))
      }
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
    try learn(
      trie, values, lesson.looks, before.contents, ledger, kind, number(of: reason), writes)
  }

  private func learnIdle(
    _ trie: UInt32, _ values: Values, _ asked: [SlotTable.Subject]
  ) throws {
    let reason = number(of: Reason(text: "", place: nil, isIdle: true))
    let looks = ([.part(.effects)] + asked).map { Lesson.Look.subject($0) }
    var contents: StateForm.Contents = [:]
    for subject in asked { contents[subject] = content(subject, values) }
    try learn(trie, values, looks, contents, ledger(values), EXPLORE_REFUSED, reason, [])
  }

  func learn(
    _ trie: UInt32, _ values: Values, _ looks: [Lesson.Look], _ before: StateForm.Contents,
    _ ledger: ExploredLedger, _ kind: explore_leaf_kind, _ reason: UInt32,
    _ writes: [explore_read]
  ) throws(ExplorationError) {
    let reads = try reads(of: looks, before, ledger)
    try learn(trie, values, reads, kind, reason, writes)
  }

  /// What was looked at, as numbers.
  func reads(
    of looks: [Lesson.Look], _ before: StateForm.Contents, _ ledger: ExploredLedger
  ) throws(ExplorationError) -> [explore_read] {
    var reads: [explore_read] = []
    for look in looks {
      switch look {
      case .draw(let count, let outcome):
        reads.append(
          explore_read(slot: UInt32(EXPLORE_DRAW) | UInt32(count), value: UInt32(outcome)))
      case .subject(let subject):
        var content = before[subject] ?? .absent
        if case .part(let part) = subject { content = ledger[part].map { .part($0) } ?? .absent }
        let slot = try slots.slot(of: subject, first: content)
        reads.append(explore_read(slot: slot, value: try slots.number(of: content, in: slot)))
      }
    }
    return reads
  }

  /// - Parameter values: of the state; for a step those of both states, and by which move.
  func learn(
    _ trie: UInt32, _ values: Values, _ reads: [explore_read], _ kind: explore_leaf_kind,
    _ reason: UInt32, _ writes: [explore_read], by mover: UInt32 = EXPLORE_NONE
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
    let known = Set(reads.map(\.slot))
    if status == EXPLORE_INCONSISTENT {
      // It looked at less than what is known asks for: to say that it looked at all of that is true too.
      for slot in (looked[trie] ?? []).subtracting(known).sorted() {
        if let value = value(of: slot, values, by: mover) {
          reads.append(explore_read(slot: slot, value: value))
        }
      }
      status = learn()
    }
    looked[trie, default: []].formUnion(known)
    try ExplorationError.check(status)
  }

  /// What stands in a slot; nil for a draw.
  private func value(of slot: UInt32, _ values: Values, by mover: UInt32) -> UInt32? {
    if slot & UInt32(EXPLORE_DRAW) != 0 { return nil }
    if slot & UInt32(EXPLORE_BY) != 0 { return mover }
    let count = mover == EXPLORE_NONE ? values.count : values.count / 2
    let number = Int(slot & ~EXPLORE_AFTER)
    guard number < count else { return 0 }
    return values[slot & EXPLORE_AFTER == 0 ? number : count + number]
  }
}
