/// Descriptions of a case, by which hosts of the same case are compared.
extension FlowHost {
  /// The parts of the case, each with a description; equal for all hosts in which the case is equal.
  ///
  /// Running effects are left out: a host that has restored the case runs them in another way.
  package var standing: [(part: String, text: String)] {
    get throws {
      try use { engine in
        Result {
          let caseState = engine.caseState
          // An effect that is resumed in another process makes its call again and opens its scopes again,
          // with other numbers, which nobody sees.
          var numbers = engine.caseState.numbers
          (numbers.calls, numbers.scopeInstances) = (0, 0)
          return [
            ("revision", "\(engine.revision)"),
            ("clock", "\(caseState.clock)"),
            ("state", "\(try engine.vm.stateBytes(after: []))"),
            ("machines", "\(engine.derived.configuration)"),
            ("history values", "\(caseState.historyValues.sorted { "\($0.key)" < "\($1.key)" })"),
            ("passages", "\(caseState.passages.all)"),
            ("scope instances", "\(caseState.scopeInstances.map(\.scope))"),
            ("pending work", "\(engine.pendingWork)"),
            (
              "effects of states",
              "\(caseState.stateEffectTriggers.map { "\($0.title) #\($1.cause.revision)" }.sorted())"
            ),
            ("timers", "\(caseState.timers.pending.filter { $0.action != nil }.map(\.number))"),
            ("refused timers", "\(engine.refusedTimerSentences)"),
            ("random state", "\(caseState.random) \(caseState.effectRandom)"),
            ("numbers", "\(numbers)"),
          ]
        }
      }.get()
    }
  }

  /// The numbers of the capability calls whose answers effects wait for.
  package var currentCalls: [Int] { get throws { try use { $0.calls.pending.currentWork } } }
}
