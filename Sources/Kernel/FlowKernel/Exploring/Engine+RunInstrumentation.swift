import FlowLanguage
import LuaRuntime
import StateBlocks
import StateCharts

extension Engine {
  /// Records that a function has read the time, which can be explored if time is part of the state.
  func noteClock() {
    if let instrumentation, settings.exploredClock.upTo != nil {
      instrumentation.recordRead(of: .time)
    } else {
      hasReadClock = true
    }
  }

  /// The reason why the last run, or the last question, cannot be explored; nil if it can.
  package var explorersProblem: ExploredProblem? {
    hasReadClock ? .clock : instrumentation?.problem
  }

  /// Records that a microstep reads the timers of the states that it has left, and of their effects, to stop them.
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

  /// Stops the timers of an owner, and records that they were read.
  @discardableResult
  func stopTimers(ownedBy owner: PendingTimer.Owner) -> [PendingTimer] {
    instrumentation?.recordStop(ownedBy: owner)
    return caseState.stopTimers(ownedBy: owner)
  }

  /// Records that an option of a gatekeeper was read.
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

  /// Records that all options of a gatekeeper were read.
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

  /// Returns the outcome of a random integer in an exploration; nil if there is no exploration.
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

  /// The greatest number of outcomes of one draw that are explored.
  static let mostOutcomes = 64
}

extension Engine {
  /// Records the options that an entry of a gatekeeper reads before its action passes.
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
