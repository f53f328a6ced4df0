import FlowLanguage
import LuaRuntime
import StateBlocks
import StateCharts

extension Engine {
  /// Notes that somebody has asked what time it is: that can be explored where time is part of the state.
  func noteClock() {
    if let instrumentation, settings.exploredClock.upTo != nil {
      instrumentation.recordRead(of: .time)
    } else {
      hasReadClock = true
    }
  }

  /// What there is to say of the last run, or of the last question, that it has not said itself.
  package var explorersProblem: ExploredProblem? {
    hasReadClock ? .clock : instrumentation?.problem
  }

  /// Records which timers a move reads to stop those of the states that it has left, and of their effects.
  func recordStopOfTimers(of move: Microstep) {
    guard let instrumentation, move.machine.lasts else { return }
    if move.machine.records != nil { return instrumentation.recordRead(of: .timers) }
    for state in move.left {
      let node = move.machine.chart.nodes[Int(state)]
      if node.hasTimers {
        instrumentation.recordStop(ownedBy: .state(move.machine.active(state)))
      } else if node.hasEffect {
        instrumentation.recordRead(of: .timers)
      }
    }
  }

  /// Stops the timers of an owner; an exploration learns that it has read them.
  @discardableResult
  func stopTimers(ownedBy owner: PendingTimer.Owner) -> [PendingTimer] {
    instrumentation?.recordStop(ownedBy: owner)
    return caseState.stopTimers(ownedBy: owner)
  }

  /// Notes that a gatekeeper's option was looked at.
  func noteLook(at option: GatekeeperOption) {
    guard let instrumentation,
      let gatekeeper = flow.gatekeeper(named: option.gatekeeper)
    else {
      return
    }
    instrumentation.recordRead(
      of: gatekeeper.hasKnownOptions
        ? .option(gatekeeper: gatekeeper.name, option: option.option) : .gatekeeper(gatekeeper.name)
    )
  }

  /// The same of all its options.
  func noteLook(atAll gatekeeper: GatekeeperPolicy) {
    guard let instrumentation else { return }
    guard gatekeeper.hasKnownOptions else {
      instrumentation.recordRead(of: .gatekeeper(gatekeeper.name))
      return
    }
    for option in gatekeeper.isYesNo ? [GatekeeperPolicy.passage] : gatekeeper.options {
      instrumentation.recordRead(of: .option(gatekeeper: gatekeeper.name, option: option))
    }
  }

  /// What chance gives while a flow is explored; nil where it is not.
  func exploredInteger(_ low: Int, _ high: Int) -> Int? {
    guard let instrumentation else { return nil }
    let (width, overflow) = high.subtractingReportingOverflow(low)
    guard !overflow, width >= 0, width < Engine.mostOutcomes else {
      instrumentation.note(.chance("random(\(low), \(high))"))
      return low
    }
    return instrumentation.draw(among: width + 1) { .integer(low + $0) }.integerValue
  }

  func exploredUnit() -> Double? {
    guard let instrumentation else { return nil }
    guard !settings.exploredUnits.isEmpty else {
      instrumentation.note(.chance("random()"))
      return 0
    }
    return instrumentation.draw(among: settings.exploredUnits.count) {
      .number(settings.exploredUnits[$0])
    }
    .doubleValue
  }

  /// So many outcomes of one draw are gone through.
  static let mostOutcomes = 64
}

extension Engine {
  /// Notes what an entry of a gatekeeper looks at before its action passes.
  func noteLook(by entry: GatekeeperPolicy.Entry, of action: LoadedAction, _ cause: Cause?) {
    guard let gatekeeper = flow.gatekeeper(named: entry.name) else { return }
    for choice in [entry.unless, entry.reset, entry.attempt] {
      switch choice {
      case nil: continue
      case .options(let options)?:
        for option in options { noteLook(at: option) }
      case .all?, .workedOut?: noteLook(atAll: gatekeeper)
      }
    }
  }
}
