import FlowLanguage
import StateCharts

/// The parts of a flow that coverage counts.
extension LoadedFlow {
  /// The names of the flow's file and of its modules, as messages have them.
  package var files: [String] { flow.files }

  /// The names of the flow's actions, sorted.
  package var actionNames: [String] { flow.actionNames }

  /// The titles of the gate rules, sorted, each once.
  package var gateNames: [String] {
    Set(flow.actions.flatMap { $0.rules.map(\.title) }).sorted()
  }

  /// The transitions that the flow's machines list, each written as `door: closed -open-> opened`.
  package var transitionNames: [String] {
    Set(flow.machines.lazy.flatMap(\.transitionNames).compactMap(\.self)).sorted()
  }

  /// The states of machines with nested states, each written as `player: on.playing`.
  ///
  /// Regions are left out, because they are active with the state around them.
  package var stateNames: [String] {
    flow.machines.lazy.filter { !$0.isFlat }.flatMap { machine in
      machine.chart.states.indices.compactMap { machine.nameWhereCounted(Int32($0)) }
    }.sorted()
  }

  /// The lines that can run, by the names of the flow's files, and the lines on which functions begin.
  package var lines: [(file: String, lines: Set<Int>, functions: Set<Int>)] {
    func told(_ source: CompiledSource) -> (file: String, lines: Set<Int>, functions: Set<Int>) {
      (source.source.name, source.code.lines, source.code.functionLines)
    }
    return [told(compiled.entry)]
      + compiled.modules.byName.values.map(told).sorted { $0.file < $1.file }
  }
}
