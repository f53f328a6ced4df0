import FlowLanguage
import StateCharts

/// The transitions of `always` and `on_done` of all machines, and their conditions.
package final class EventlessTransitions: Sendable {
  /// The machines that have such transitions, in the order of declaration.
  package let machines: [Machine]
  /// The machines of records that have such transitions.
  package let records: [LoadedMachine]
  /// The index in `machines` of each machine of the flow; nil if it is not among them.
  private let places: [Int?]
  /// The numbers of the readers of conditions.
  package let conditionNumbers: Range<Int32>
  private let conditions: [EventlessCondition]

  package final class Machine: Sendable {
    package let loaded: LoadedMachine
    /// The transitions, if they are prepared; otherwise nil.
    package let transitions: TransitionTable?
    /// The reader of each prepared transition's condition; nil for a transition without one.
    package let conditions: [Int32?]

    package init(_ machine: LoadedMachine) {
      loaded = machine
      transitions =
        machine.isPrepared
        ? TransitionTable(CompiledChart.eventless, in: machine, reducer: nil) : nil
      conditions = transitions?.conditions ?? []
    }
  }

  /// Returns nil if no machine has such transitions.
  package init?(_ flow: Flow, _ machines: [LoadedMachine]) {
    let having = machines.filter {
      $0.chart.hasEventless && $0.records == nil && !$0.dialect.runsContentByBlock
    }
    records = machines.filter { $0.chart.hasEventless && $0.records != nil }
    if having.isEmpty && records.isEmpty { return nil }
    self.machines = having.map(Machine.init)
    var places: [Int?] = machines.map { _ in nil }
    for (place, machine) in having.enumerated() { places[machine.index] = place }
    self.places = places
    (conditions, conditionNumbers) = (flow.conditions, flow.conditionNumbers)
  }

  /// Returns the index of a machine in `machines`; nil if it is not among them.
  package func place(of machine: LoadedMachine) -> Int? { places[machine.index] }

  /// Returns the index of the machine of a condition; nil if no state that lists the condition is active.
  package func place(ofActive reader: Int32, at leafNumbers: [ChartInterpreter.LeafNumber]) -> Int?
  {
    let condition = conditions[Int(reader - conditionNumbers.lowerBound)]
    guard let place = places[condition.machine] else { return nil }
    let machine = machines[place].loaded
    return condition.sources.contains { machine.isActive($0, at: leafNumbers) } ? place : nil
  }
}
