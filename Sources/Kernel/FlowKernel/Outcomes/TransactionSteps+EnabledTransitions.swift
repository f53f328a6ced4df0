import LuaRuntime
import StateCharts

extension TransactionSteps {
  /// Creates the steps of microsteps, in the order `on_exit`, new leaves, reducer, content of transitions, `on_enter`.
  ///
  /// Each kind of step runs for all machines, in their order, before the next kind.
  convenience init(_ moves: [Microstep], reducer: LuaReference?) {
    self.init(
      TransactionSteps.leaving(moves, reducer: reducer) + TransactionSteps.entering(moves))
  }

  /// Returns the steps before the content of transitions and `on_enter`.
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

  /// Returns the steps that write the fields of regions whose leaf changes.
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
