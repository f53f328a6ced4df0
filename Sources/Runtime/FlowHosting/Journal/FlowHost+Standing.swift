/// What hosts of one case have to agree on, for those who compare them.
extension FlowHost {
  /// Each part of what the case is now, and what it says; the same for all hosts in which it stands so.
  ///
  /// Without what is under way: that goes on in its own way in a host that has taken the case up.
  package var standing: [(part: String, text: String)] {
    get throws {
      try use { engine in
        Result {
          let caseState = engine.caseState
          // What goes on in another process makes its call again and opens its scopes by hand again, by other
          // numbers, which nobody sees.
          var numbers = engine.caseState.numbers
          (numbers.calls, numbers.scopeInstances) = (0, 0)
          return [
            ("revision", "\(engine.revision)"),
            ("clock", "\(caseState.clock)"),
            ("state", "\(try engine.vm.stateBytes(after: []))"),
            ("machines", "\(engine.derived.configuration)"),
            ("remembered", "\(caseState.historyValues.sorted { "\($0.key)" < "\($1.key)" })"),
            ("passages", "\(caseState.passages.all)"),
            ("openings", "\(caseState.scopeInstances.map(\.scope))"),
            ("to come", "\(engine.pendingWork)"),
            (
              "effects of states",
              "\(caseState.stateEffectTriggers.map { "\($0.title) #\($1.cause.revision)" }.sorted())"
            ),
            ("timers", "\(caseState.timers.pending.filter { $0.action != nil }.map(\.number))"),
            ("spent timers", "\(engine.refusedTimerSentences)"),
            ("chance", "\(caseState.random) \(caseState.effectRandom)"),
            ("numbers", "\(numbers)"),
          ]
        }
      }.get()
    }
  }

  /// The calls of capabilities whose answers effects wait for.
  package var currentCalls: [Int] { get throws { try use { $0.calls.pending.currentWork } } }
}
