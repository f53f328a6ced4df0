import LuaRuntime

extension CaseImage {
  /// Applies a turn.
  package mutating func take(_ turn: TurnFacts) {
    failures = []
    caseState.upcomingEffects = turn.upNext
    caseState.queue.take(turn.queue)
    for commit in turn.commits {
      caseState.set(revision: commit.revision, time: commit.microseconds)
      var writes: [UInt8] = []
      commit.appendWrites(to: &writes)
      if !writes.isEmpty { patches.append(writes) }
      caseState.clock.pass(to: commit.microseconds)
    }
    for effect in turn.began { caseState.effects[effect.number] = effect }
    for (number, bytes) in turn.told { caseState.effects[number]?.log += bytes }
    for (number, waits) in turn.waits { caseState.effects[number]?.waits = waits }
    for (number, attempt) in turn.attempts { caseState.effects[number]?.add(attempt) }
    for number in turn.ended { caseState.effects[number] = nil }
    for (number, since) in turn.closed { closed[number] = since }
    if let clock = turn.clock { caseState.clock = clock }
    if let draws = turn.givenDraws { caseState.give(draws: draws) }
    caseState.redo(turn.changes)
    if let numbers = turn.numbers { caseState.advance(to: numbers) }
    caseState.set(pendingChanges: turn.pendingChanges)
  }
}
