import FlowLanguage
import StateCharts

/// The parts of a flow that coverage counts.
extension LoadedFlow {
  /// Its file and its modules, as messages name them.
  package var files: [String] { flow.files }

  /// The names of its actions, sorted.
  package var actionNames: [String] { flow.actionNames }

  /// The gate rules, each once.
  package var gateNames: [String] {
    Set(flow.actions.flatMap { $0.rules.map(\.title) }).sorted()
  }

  /// The ways that its machines list, each written as `door: closed -open-> opened`.
  package var transitionNames: [String] {
    Set(flow.machines.lazy.flatMap(\.transitionNames).compactMap(\.self)).sorted()
  }

  /// The states of machines with states inside, each written as `player: on.playing`; not regions, which
  /// are active with what is around them.
  package var stateNames: [String] {
    flow.machines.lazy.filter { !$0.isFlat }.flatMap { machine in
      machine.chart.states.indices.compactMap { machine.nameWhereCounted(Int32($0)) }
    }.sorted()
  }

  /// The lines that can run, by the names of the flow's files, and of these the ones on which
  /// functions begin.
  package var lines: [(file: String, lines: Set<Int>, functions: Set<Int>)] {
    func told(_ source: CompiledSource) -> (file: String, lines: Set<Int>, functions: Set<Int>) {
      (source.source.name, source.code.lines, source.code.functionLines)
    }
    return [told(compiled.entry)]
      + compiled.modules.byName.values.map(told).sorted { $0.file < $1.file }
  }
}
