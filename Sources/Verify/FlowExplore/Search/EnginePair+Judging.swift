import CExplore
import FlowKernel
import LuaRuntime

/// The judgements of gates on played actions.
///
/// All actions are judged at once in a state, because loading the state takes the longest.
extension EnginePair {
  /// Returns the judgement of the gates on an action in a state.
  func judge(
    _ name: String, _ payload: Value, in values: StateSearch.Values, _ session: StateSearch
  ) throws -> ExploredJudgement {
    try check(in: values, session, stays: { _ in true }) { $0.judge(name, payload) }
  }

  /// Fills in the judgements of the gates on the played movers in a state.
  func judge(
    _ judgements: UnsafeMutableBufferPointer<explore_judgement>, in values: StateSearch.Values,
    _ session: StateSearch
  ) throws {
    try check(in: values, session, stays: { _ in true }) { checker in
      checker.beginJudging()
      // If the gates of an action ignore the payload, the previous judgement holds for all of its payloads.
      var alike: (name: String, says: explore_says, reason: UInt32)?
      for index in judgements.indices {
        guard let move = try played(judgements[index].trie, checker, session), !move.isWhole else {
          continue
        }
        judgements[index].part = move.part
        var said: (says: explore_says, number: UInt32)
        if let question = move.question {
          if question.isAlike, let alike, alike.name == move.name {
            said = (alike.says, alike.reason)
          } else {
            said = ask(question, move, checker, session)
            alike = question.isAlike ? (move.name, said.says, said.number) : nil
          }
          if said.says == EXPLORE_SAYS_PASSES { said.number = move.plainPlan }
        } else {
          said = judge(move, judgements[index].trie, checker, session)
          checker.beginJudging()
        }
        if said.says == EXPLORE_SAYS_PASSES, !mayFollow(move, judgements[index].trie, session) {
          continue
        }
        judgements[index].says = said.says
        judgements[index].number = said.number
      }
    }
  }

  private func ask(
    _ question: ExploredQuestion, _ move: PlayedMove, _ checker: Engine, _ session: StateSearch
  ) -> (says: explore_says, number: UInt32) {
    switch checker.ask(question) {
    case .passes: return (EXPLORE_SAYS_PASSES, move.plainPlan)
    case .refused(let rule):
      let reason = checker.judgedReason
      if let known = move.number(ofRule: rule, reason) { return (EXPLORE_SAYS_REFUSED, known) }
      let number = session.number(of: checker.refusal(question, rule: rule))
      move.note(number, ofRule: rule, reason)
      return (EXPLORE_SAYS_REFUSED, number)
    case .other: return (EXPLORE_SAYS_NOTHING, 0)
    }
  }

  private func judge(
    _ move: PlayedMove, _ trie: UInt32, _ checker: Engine, _ session: StateSearch
  ) -> (says: explore_says, number: UInt32) {
    switch checker.judge(move.name, move.payload) {
    case .passes(let plan):
      let number = move.number(ofPlan: plan) {
        session.lock.locked { session.number(ofPlan: plan, of: trie) }
      }
      return (EXPLORE_SAYS_PASSES, number)
    case .refused(let refusal):
      return (EXPLORE_SAYS_REFUSED, move.number(of: refusal) { session.number(of: refusal) })
    case .undecided: return (EXPLORE_SAYS_NOTHING, 0)
    }
  }

  /// Counts that an action has passed; returns false if it must also be played this time, as a check.
  private func mayFollow(_ move: PlayedMove, _ trie: UInt32, _ session: StateSearch) -> Bool {
    move.followed += 1
    guard move.followed >= StateSearch.checkedParts else { return true }
    session.count(move, of: trie, isChecked: true)
    return false
  }
}
