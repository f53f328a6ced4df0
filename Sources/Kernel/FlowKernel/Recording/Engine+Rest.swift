/// How far a case has come, as its journal and its memory ask.
extension Engine {
  /// Whether nothing is under way that a restart would cut off, or have done again: a plain effect, or a durable one
  /// that waits for a call.
  package var isQuiet: Bool {
    caseState.queue.isEmpty
      && effects.waiting.values.allSatisfy { $0.root.log != nil && $0.call == nil }
  }

  /// Whether nothing lives in memory alone: what is under way; a clean-up, a scope that was opened by hand; a
  /// subscriber.
  package var mayRest: Bool {
    isQuiet && observers.subscriptions.hasNobody
      && scopes.instances.values.allSatisfy {
        $0.block.isClosed || $0.cleanUps.isEmpty && !$0.isByHand && $0.hostKey == nil
      }
  }

  /// The states in which machines of the state are, inner and outer, by machine.
  package var standing: [String: [String]] {
    Dictionary(
      uniqueKeysWithValues: loadedMachines.map { ($0.name, activePaths(of: $0.name).sorted()) })
  }

  /// Whether the case has come to its end: each machine has, and nothing is to come.
  package var hasEnded: Bool {
    !loadedMachines.isEmpty && caseState.timers.isEmpty && caseState.queue.isEmpty
      && effects.count == 0
      && loadedMachines.allSatisfy {
        $0.chart.isFinished(0, in: Array(derived.configuration[$0.regions]))
      }
  }
}
