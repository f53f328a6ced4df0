import CExplore
import FlowKernel
import LuaRuntime

/// Actions of which too much would have to be learned, such as those whose gates look at everything: they are played in
/// each state.
///
/// Gates are asked without a trace, which leaves the engine where it stands; what follows once they have let an action
/// pass is learned as a part of its own, by the ways that machines take. Where that keeps missing, too, actions are made
/// as a whole, and the states before and after are compared.
extension StateSearch {
  /// What is known of an action that is played.
  struct Played {
    /// The ways that were taken, each by its number.
    var plans: [String: UInt32] = [:]
    /// How often gates have let it pass, and how often what it does then was not known.
    var followed = 0
    var unknown = 0
    /// Whether what it does then is not learned either: it is made, and the states before and after are compared.
    var isWhole = false
    /// Whether what is known of what it does is to be played as well, the next time.
    var isChecked = false
  }

  /// How often a trie was missed.
  struct Missed {
    var count = 0
    /// How often it was missed, and asked, when that was looked at last.
    var before = 0
    var asksBefore: UInt64 = 0
  }

  private func isQuestion(_ trie: UInt32) -> Bool {
    if case .move = asked[Int(trie)] { false } else { true }
  }

  /// Of so many times that the part is followed, one is played as well, and has to come to the same.
  static let checkedParts = 1_024

  /// Counts a miss, and says whether the trie is one that is played; `lock` is held.
  func isPlayed(_ trie: UInt32) throws(ExplorationError) -> Bool {
    if played[trie] != nil { return true }
    missed[trie, default: Missed()].count += 1
    let most =
      playsAfter
      ?? (isQuestion(trie) ? StateSearch.mostAnswersLearned : StateSearch.mostMovesLearned)
    guard let misses = missed[trie], misses.count >= most,
      misses.count - misses.before >= max(1, most / 4)
    else { return false }
    // Of late: what begins with many misses may soon know all.
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

  /// How far playing an action has come.
  enum Step {
    case answered
    /// Gates let it pass, and what it does then is not known.
    case unknown
    /// It is to be made as a whole.
    case undecided
  }

  /// Says what gates say of movers that are played, on a thread.
  ///
  /// What comes of errors is said by who is asked next.
  func judge(
    _ thread: UInt32, _ values: Values,
    _ judgements: UnsafeMutableBufferPointer<explore_judgement>
  ) {
    if ending.isDue { explore_stop(search) }
    try? engines.with(thread) { try $0.judge(judgements, in: values, self) }
  }

  /// An action that is played, and not as a whole: what follows it, and by which number where it has one way; nil
  /// for any other.
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

  /// Takes over how often an action was let pass on a thread, and whether it is made as a whole by now.
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

  /// What keeps being unknown once gates have let an action pass is not learned any more.
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
    // Chance has ways of its own, and what cannot be explored is said by who traces.
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

  /// Of a move that is played nothing is kept but what it counts as.
  private func answer(_ trie: UInt32, _ refusal: Refusal) throws(ExplorationError) {
    try answer(trie, EXPLORE_REFUSED, number(of: refusal))
  }

  /// Answers for a trie that is played; `lock` is held.
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

  /// The number of the reason that a refusal is; it may be asked for without `lock`.
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

  /// Has the part of a played action learn what a run has done once gates had let it pass, and answers by that; `lock`
  /// is held.
  ///
  /// - Parameter plan: the ways that it has taken.
  /// - Returns: false where it could not be answered so.
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
