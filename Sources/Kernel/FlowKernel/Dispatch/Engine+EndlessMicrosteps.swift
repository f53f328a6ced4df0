import FlowLanguage
import LuaRuntime
import StateCharts

/// The error for microsteps without an end: the cycle of states, and the place of the last transition.
extension Engine {
  func endlessMicrosteps() -> ScriptError {
    let last = scratch.eventless.moves.dropFirst(scratch.eventless.before)
    var told: [String] = []
    for machine in loadedMachines + recordMachines.values.sorted(by: { $0.index < $1.index })
    where told.count < 3 {
      let states = last.lazy.filter { $0.machine.index == machine.index }.flatMap(\.transitions)
        .map { machine.path(of: machine.chart.rows[Int($0)].source) }
      let circle = Engine.circle(Array(states.suffix(100)))
      if !circle.isEmpty { told.append("\(machine.name): \(circle.joined(separator: " -> "))") }
    }
    let place = last.last.flatMap { move in
      move.transitions.last.flatMap { SourcePlace(move.machine.chart.transition($0).place) }
    }
    var error = ScriptError(
      kind: .limit,
      message: "endless eventless transitions (always, on_done; \(limits.microsteps) microsteps): "
        + told.joined(separator: "; ")
        + "; one of these conditions must become false once its transition is taken")
    if let place { error.take(place) }
    return error
  }

  /// Returns the cycle at the end of a list of states that were left, at most ten states.
  private static func circle(_ states: [String]) -> [String] {
    guard let last = states.last else { return [] }
    var circle = [last]
    for state in states.dropLast().reversed() where circle.count < 10 {
      circle.append(state)
      if state == last { break }
    }
    return circle.reversed()
  }
}
