import StateCharts

@testable import RandomCharts

/// A chart that a test steps through by event names.
final class Walk {
  let chart: CompiledChart
  private(set) var interpreter: ChartInterpreter
  private(set) var configuration: [CompiledChart.LeafNumber] = []
  private(set) var memory: ChartInterpreter.HistoryValue
  /// The conditions that agree.
  var agreeing: Set<Int32> = []
  /// Conditions that look at where regions stand, as `in_state` does.
  var looks: [Int32: @Sendable ([String: String]) -> Bool] = [:]
  /// The conditions that were asked in the last step.
  private(set) var asked: [Int32] = []

  init(_ drawing: Drawing) {
    chart = CompiledChart(drawing.chart())
    interpreter = ChartInterpreter(chart)
    memory = interpreter.noMemory
    interpreter.begin(&configuration, remembering: memory)
  }

  /// The values of the fields of the active regions.
  var fields: [String: String] {
    var found: [String: String] = [:]
    for (region, leafNumber) in configuration.enumerated() where leafNumber >= 0 {
      if let field = chart.chart.regions[region].field {
        found[field] = chart.value(of: leafNumber)
      }
    }
    return found
  }

  var left: [String] { interpreter.left.map(name) }
  var entered: [String] { interpreter.entered.map(name) }
  var moved: [String] {
    interpreter.changes.map { chart.chart.states[Int(chart.heads[Int($0.region)])].name }
  }
  /// The states that list the ways that were taken.
  var taken: [String] { interpreter.taken.map { name(chart.rows[Int($0)].source) } }
  /// The states that list the last way that refused, by leaf.
  var refusing: [String] {
    interpreter.refusals.map { name(chart.rows[Int($0.transition)].source) }
  }

  private func name(_ state: Int32) -> String { chart.chart.states[Int(state)].path }

  func state(_ path: String) -> Int32 {
    Int32(chart.chart.states.firstIndex { $0.path == path } ?? 0)
  }

  /// Takes the microstep that an action enables, without eventless transitions; returns false if the action is refused.
  func play(_ action: String, inside path: String? = nil) -> Bool {
    guard let number = chart.action(action) else { return false }
    return step { interpreter, configuration, agrees in
      interpreter.select(
        .action(number, inside: path.map(state) ?? 0), at: configuration, agrees: agrees)
    }
  }

  /// Takes one eventless microstep; returns false if none is enabled.
  func round() -> Bool {
    step { interpreter, configuration, agrees in
      interpreter.select(.eventless, at: configuration, agrees: agrees)
    }
  }

  private func step(
    _ select: (inout ChartInterpreter, [CompiledChart.LeafNumber], (Int32) -> Bool) -> Bool
  ) -> Bool {
    var asked: [Int32] = []
    let (chart, agreeing, looks, fields) = (chart, agreeing, looks, fields)
    let passes = select(&interpreter, configuration) { number in
      let condition = chart.transition(number).condition ?? -1
      asked.append(condition)
      return looks[condition]?(fields) ?? agreeing.contains(condition)
    }
    self.asked = asked
    guard passes else { return false }
    interpreter.resolveConflicts(at: configuration, remembering: memory)
    interpreter.move(&configuration, remembering: &memory)
    return true
  }
}
