import LuaRuntime
import StateCharts

extension TransactionSteps {
  /// `on_exit`, the machines move, the reducer, the content of transitions, `on_enter`: each over all machines in
  /// order.
  convenience init(_ moves: [Microstep], reducer: LuaReference?) {
    self.init(
      TransactionSteps.leaving(moves, reducer: reducer) + TransactionSteps.entering(moves))
  }

  /// The steps before the content of transitions and `on_enter`.
  static func leaving(_ moves: [Microstep], reducer: LuaReference?) -> [Step] {
    var steps: [Step] = []
    for move in moves {
      for state in move.left {
        steps += move.machine.chart.chart.states[Int(state)].onExit.map {
          .reducer(move.machine.reference($0), of: move.place)
        }
      }
    }
    for move in moves { steps += fields(of: move) }
    if let reducer { steps.append(.reducer(reducer)) }
    return steps
  }

  /// The fields of regions that stand elsewhere.
  static func fields(of move: Microstep) -> [Step] {
    move.changes.compactMap { change in
      move.machine.fields[Int(change.region)].map { field in
        .move(
          field, to: change.to < 0 ? nil : move.machine.values[Int(change.to)],
          region: Int(change.region), of: move.place)
      }
    }
  }

  static func entering(_ moves: [Microstep]) -> [Step] {
    var steps: [Step] = []
    for move in moves {
      steps += move.transitions.compactMap { move.machine.chart.transition($0).content }
        .map { .reducer(move.machine.reference($0), of: move.place) }
    }
    for move in moves {
      for state in move.entered {
        steps += move.machine.chart.chart.states[Int(state)].onEnter.map {
          .reducer(move.machine.reference($0), of: move.place)
        }
      }
    }
    return steps
  }
}
