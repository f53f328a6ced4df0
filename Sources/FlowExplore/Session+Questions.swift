import CExplore
import LuaRuntime
import Moonlatch

/// What a flow itself asks of its states.
extension Session {
  /// Asks an invariant.
  func learn(_ trie: UInt32, _ values: Values, invariant number: Int) throws {
    let ledger = ledger(values)
    try engine.stand(in: tree(values), ledger)
    let (broken, trace, notes) = try engine.explore(invariant: number)
    let before = try StateForm(reading: trace.before, &slots.places)
    let lesson = try Lesson(
      trace, notes, before: before, after: before, first: [], &slots.places)
    var reason: UInt32 = 0
    if let broken {
      reason = self.number(of: Reason(text: broken.message, place: nil, isIdle: false))
      failures[reason] = broken
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
    let isEnd =
      !fields.isEmpty
      && fields.allSatisfy { field, finals in
        let place = slots.places.number(of: .field(field), in: PlaceTable.root)
        guard case .text(let state) = content(.place(place), values) else { return false }
        return finals.contains(state)
      }
    try learn(
      trie, values, looks.map { .subject($0) }, contents, ledger(values),
      isEnd ? EXPLORE_PASSES : EXPLORE_REFUSED, 0, [])
  }
}
