import CExplore
import LuaRuntime
import Moonlatch

/// What a flow itself asks of its states.
extension Session {
  /// Asks an invariant.
  func learn(
    _ trie: UInt32, _ values: Values, invariant number: Int, _ pair: EnginePair
  ) throws {
    let (broken, trace, notes) = try pair.engine(in: values, self).explore(invariant: number)
    let ledger = pair.standing(in: values, self).ledger
    try lock.locked { () throws(any Error) in
      try learn(trie, values, ledger, broken, trace, notes)
    }
  }

  private func learn(
    _ trie: UInt32, _ values: Values, _ ledger: ExploredLedger, _ broken: DispatchFailure?,
    _ trace: TracedRun, _ notes: [ExploredRun.Note]
  ) throws {
    let before = try StateForm(reading: trace.before, &slots.places)
    let lesson = try Lesson(
      trace, notes, before: before, after: before, first: [], &slots.places)
    var reason: UInt32 = 0
    if let broken {
      reason = self.number(of: Reason(text: "\(broken)", place: nil, isIdle: false))
    }
    try learn(
      trie, values, lesson.looks, before.contents, ledger,
      broken == nil ? EXPLORE_PASSES : EXPLORE_REFUSED, reason, [])
  }

  /// Nothing needs to lead on where all machines stand in final states.
  func learnEnd(_ trie: UInt32, _ values: Values) throws {
    let fields = flow.flow.finalStates
    let looks = sorted(
      fields.keys.map { .place(slots.places.number(of: .field($0), in: PlaceTable.root)) })
    var contents: StateForm.Contents = [:]
    for look in looks { contents[look] = content(look, values) }
    try learn(
      trie, values, looks.map { .subject($0) }, contents, ledger(values),
      isEnd(values) ? EXPLORE_PASSES : EXPLORE_REFUSED, 0, [])
  }

  /// Whether all machines that have final states stand in those; not where there is none.
  func isEnd(_ values: Values) -> Bool {
    let fields = flow.flow.finalStates
    return !fields.isEmpty
      && fields.allSatisfy { field, finals in
        guard let place = slots.places.find(.field(field), in: PlaceTable.root),
          case .text(let state) = content(.place(place), values)
        else { return false }
        return finals.contains(state)
      }
  }
}
