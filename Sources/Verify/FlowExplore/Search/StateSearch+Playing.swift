import CExplore
import FlowKernel
import LuaRuntime

/// Actions that are played in each state, because too much would have to be learned of them.
///
/// An example is an action whose gates read the whole state. Gates are asked without a trace, which leaves the engine
/// in its state. The rest of the action, after its gates, is learned as a part of its own, by the transitions that
/// machines take. If that misses too often as well, the action is played as a whole, and the states before and after
/// are compared.
extension StateSearch {
  /// The state of a played action.
  struct Played {
    /// The sets of machine transitions that were taken, each with its number.
    var plans: [String: UInt32] = [:]
    /// The number of times that the gates have let it pass, and the number of times that its part was not known then.
    var followed = 0
    var unknown = 0
    /// True if the part is not learned either: the action is played as a whole, and the two states are compared.
    var isWhole = false
    /// True if the known part must also be played the next time, as a check.
    var isChecked = false
  }

  /// The misses of a trie.
  struct Missed {
    var count = 0
    /// The numbers of misses and of uses at the last decision whether to play the trie.
    var before = 0
    var asksBefore: UInt64 = 0
  }

  private func isQuestion(_ trie: UInt32) -> Bool {
    if case .move = asked[Int(trie)] { false } else { true }
  }

  /// The interval of self-checks: one in so many uses of a part is also played, and the results must agree.
  static let checkedParts = 1_024

  /// Counts a miss, and returns true if the trie is one that is played; the caller must hold `lock`.
  func isPlayed(_ trie: UInt32) throws(ExplorationError) -> Bool {
    if played[trie] != nil { return true }
    missed[trie, default: Missed()].count += 1
    let most =
      playsAfter
      ?? (isQuestion(trie) ? StateSearch.mostAnswersLearned : StateSearch.mostMovesLearned)
    guard let misses = missed[trie], misses.count >= most,
      misses.count - misses.before >= max(1, most / 4)
    else { return false }
    // Only recent misses count: a trie that misses often at first may soon be complete.
    let counts = explore_trie_count(search, trie)
    let asks = counts.passed + counts.refused + counts.failed
    let isMissing = UInt64(misses.count - misses.before) * 2 > asks - min(misses.asksBefore, asks)
    missed[trie]?.before = misses.count
    missed[trie]?.asksBefore = asks
    guard isMissing else { return false }
    played[trie] = Played()
    looked[trie] = nil
    try ExplorationError.check(
      explore_learn(
        search, trie, nil, 0,
        explore_leaf(kind: EXPLORE_PLAYED, reason: 0, writes: nil, write_count: 0)))
    return true
  }

  /// The progress of playing an action.
  enum Step {
    case answered
    /// The gates let it pass, and the part that follows is not known.
    case unknown
    /// The move must be explored with a trace.
    case undecided
  }

  /// Fills in the judgements of the gates on the played movers, on a thread.
  ///
  /// Errors are dropped here: the search then calls `miss`, which reports them.
  func judge(
    _ thread: UInt32, _ values: Values,
    _ judgements: UnsafeMutableBufferPointer<explore_judgement>
  ) {
    if ending.isDue { explore_stop(search) }
    try? engines.with(thread) { try $0.judge(judgements, in: values, self) }
  }

  /// Returns a played action that is not played as a whole, with its part and the number of the plan without machine
  /// transitions; nil for any other trie.
  func plainlyPlayed(
    _ trie: UInt32
  ) -> (name: String, payload: Value, part: UInt32, plan: UInt32)? {
    lock.locked {
      guard case .move(.action(let name, let payload)) = asked[Int(trie)], let part = parts[trie],
        played[trie]?.isWhole == false
      else { return nil }
      return (name, payload, part, number(ofPlan: "", of: trie))
    }
  }

  /// Adds the number of times that an action passed on a thread to the total, and updates `isWhole` of that thread's
  /// copy.
  func count(_ move: PlayedMove, of trie: UInt32, isChecked: Bool = false) {
    lock.locked {
      played[trie]?.followed += move.followed
      move.followed = 0
      if isChecked { played[trie]?.isChecked = true }
      move.isWhole = played[trie]?.isWhole ?? false
    }
  }

  /// Plays an action.
  func play(
    _ trie: UInt32, _ values: Values, _ move: ExploredMove, _ pair: EnginePair
  ) throws -> Step {
    if let move = pair.played(trie) { count(move, of: trie) }
    guard case .action(let name, let payload) = move, let part = parts[trie],
      lock.locked({ played[trie]?.isWhole == false })
    else {
      return try make(trie, values, move, pair)
    }
    let judgement = try pair.judge(name, payload, in: values, self)
    return try lock.locked { () throws(any Error) in
      switch judgement {
      case .refused(let refusal):
        try answer(trie, refusal)
        return .answered
      case .undecided: return .undecided
      case .passes(let plan):
        let number = number(ofPlan: plan, of: trie)
        played[trie]?.followed += 1
        if played[trie]?.isChecked == true {
          played[trie]?.isChecked = false
          return .unknown
        }
        var isKnown = false
        try ExplorationError.check(explore_follow(search, part, number, &isKnown))
        if !isKnown { try noteUnknown(trie, part) }
        return isKnown ? .answered : .unknown
      }
    }
  }

  /// Stops learning the part of an action if it is unknown too often.
  private func noteUnknown(_ trie: UInt32, _ part: UInt32) throws(ExplorationError) {
    played[trie]?.unknown += 1
    guard let (unknown, followed) = played[trie].map({ ($0.unknown, $0.followed) }),
      unknown >= playsAfter ?? StateSearch.mostMovesLearned, unknown * 2 > followed
    else { return }
    played[trie]?.isWhole = true
    looked[part] = nil
    try ExplorationError.check(
      explore_learn(
        search, part, nil, 0,
        explore_leaf(kind: EXPLORE_PLAYED, reason: 0, writes: nil, write_count: 0)))
  }

  /// Makes a move, and compares the states before and after it.
  private func make(
    _ trie: UInt32, _ values: Values, _ move: ExploredMove, _ pair: EnginePair
  ) throws -> Step {
    let (tree, canonical, run) = try pair.make(move, in: values, self)
    // Chance needs one run per outcome, and problems are reported by the tracing engine: leave both to it.
    guard run.outcomes.isEmpty, run.problem == nil, run.canonical.effects.count <= setup.mostEffects
    else { return .undecided }
    return try lock.locked { () throws(any Error) in
      switch run.ending {
      case .refused(let refusal): try answer(trie, refusal)
      case .failed(let failure):
        let reason = number(of: Reason(text: "\(failure)", place: nil, isIdle: false))
        try answer(trie, EXPLORE_FAILED, reason)
      case .idle:
        try answer(trie, EXPLORE_REFUSED, number(of: Reason(text: "", place: nil, isIdle: true)))
      case .passed:
        var changes = try StateChanges(of: values, slots, from: tree, to: run.tree)
        try changes.add(from: canonical, to: run.canonical)
        pair.checkerHasGone(
          to: StateSearch.values(of: values, after: changes.writes), run.tree, run.canonical)
        let reason = number(of: Reason(text: "", place: nil, isIdle: false))
        try answer(trie, EXPLORE_PASSES, reason, changes.writes)
      }
      return .answered
    }
  }

  /// Answers with a refusal; of a move that is played, only counts are stored.
  private func answer(_ trie: UInt32, _ refusal: Refusal) throws(ExplorationError) {
    try answer(trie, EXPLORE_REFUSED, number(of: refusal))
  }

  /// Answers for a trie that is played; the caller must hold `lock`.
  func answer(
    _ trie: UInt32, _ kind: explore_leaf_kind, _ reason: UInt32, _ writes: [explore_write] = []
  ) throws(ExplorationError) {
    try ExplorationError.check(
      writes.withUnsafeBufferPointer {
        explore_learn(
          search, trie, nil, 0,
          explore_leaf(
            kind: kind, reason: reason, writes: $0.baseAddress, write_count: UInt32($0.count)))
      })
  }

  /// Returns the reason number of a refusal; acquires `lock`.
  func number(of refusal: Refusal) -> UInt32 {
    lock.locked {
      number(of: Reason(text: "\(refusal)", place: refusal.place, isIdle: false))
    }
  }

  func number(ofPlan plan: String, of trie: UInt32) -> UInt32 {
    if let known = played[trie]?.plans[plan] { return known }
    let number = UInt32(played[trie]?.plans.count ?? 0)
    played[trie]?.plans[plan] = number
    return number
  }

  /// Lets the part of a played action learn a run, and answers by that; the caller must hold `lock`.
  ///
  /// - Parameter plan: the machine transitions that the run took.
  /// - Returns: false if it could not be answered in this way.
  func follow(
    _ trie: UInt32, _ values: Values, _ plan: String, _ reads: [explore_read],
    _ kind: explore_leaf_kind, _ reason: UInt32, _ writes: [explore_write]
  ) throws(ExplorationError) -> Bool {
    guard let part = parts[trie], played[trie] != nil else { return false }
    let by = explore_read(slot: UInt32(EXPLORE_BY), value: number(ofPlan: plan, of: trie))
    try learn(part, values, [by] + reads, kind, reason, writes, by: by.value)
    var isKnown = false
    try ExplorationError.check(explore_follow(search, part, by.value, &isKnown))
    return isKnown
  }
}
