import Moonlatch

/// One case of a log, played against a flow of its own.
final class ReplayCase {
  let name: String
  private(set) var isWhole = true
  private let engine: Engine
  /// The time of the first event, in microseconds since 1970.
  private var beginning: Int?

  init(_ name: String, of flow: LoadedFlow, _ limits: Limits, _ log: ScriptLog) throws {
    self.name = name
    engine = try Engine(flow, limits: limits, log: log)
    engine.turnOffEffectsAndTimers()
  }

  /// Seconds since the case began, on the clock of its flow.
  var time: Double { Double(engine.time) / 1_000_000 }

  /// Microseconds since the case began.
  var microseconds: Int { engine.time }

  /// Offers an action at a time of the log, in microseconds.
  func dispatch(_ action: String, _ payload: Value, at time: Int?) -> Outcome {
    if let time {
      let start = beginning ?? time
      beginning = start
      let (elapsed, overflow) = time.subtractingReportingOverflow(start)
      if !overflow { engine.setTime(elapsed) }
    }
    let outcome = engine.dispatch(action, payload)
    if !outcome.isPassed { isWhole = false }
    return outcome
  }
}
