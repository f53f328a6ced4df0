/// The conditions on which a case may be restarted, dropped from memory, or counted as ended.
extension Engine {
  /// True if nothing is under way that a restart would cut off or repeat.
  ///
  /// Such things are queued actions, plain effects, and durable effects that wait for a capability in this process.
  package var isQuiet: Bool {
    caseState.queue.isEmpty
      && effects.waiting.values.allSatisfy {
        $0.root.log != nil && ($0.call == nil || $0.openTask != nil)
      }
  }

  /// True if nothing lives in memory alone.
  ///
  /// Such things are work under way, clean-ups, scope instances opened by hand or by a key of the host, and
  /// subscribers.
  package var mayRest: Bool {
    isQuiet && observers.subscriptions.hasNobody
      && scopes.instances.values.allSatisfy {
        $0.block.isClosed || $0.cleanUps.isEmpty && !$0.isByHand && $0.hostKey == nil
      }
  }

  /// The active states of the machines of the state, inner and outer, by machine.
  package var standing: [String: [String]] {
    Dictionary(
      uniqueKeysWithValues: loadedMachines.map { ($0.name, activePaths(of: $0.name).sorted()) })
  }

  /// True if the case has ended: each machine is in its final state, and nothing is pending.
  package var hasEnded: Bool {
    !loadedMachines.isEmpty && caseState.timers.isEmpty && caseState.queue.isEmpty
      && effects.count == 0
      && loadedMachines.allSatisfy {
        $0.chart.isFinished(0, in: Array(derived.configuration[$0.regions]))
      }
  }
}
