import FlowKernel
import FlowLanguage
import Platform

/// A scenario that has ended, with its flow in the final state, for the prompt to show.
package struct Halt {
  /// The flow's engine, which nobody else uses any more.
  package let engine: Engine
  /// The path of the flow's file, and its name in messages.
  package let flow: URL
  package let flowName: String
  /// The place of the scenario.
  package let place: SourcePlace
  package let scenario: String
  // The engine still calls host functions of the run.
  private let run: ScenarioRun
  private let vm: PreparedVM

  init(_ run: ScenarioRun, in vm: PreparedVM, at entry: ScenarioFile.Entry, of file: ScenarioFile) {
    (self.run, self.vm) = (run, vm)
    engine = run.engine
    flow = URL(filePath: file.flow)
    flowName = file.flowName
    place = SourcePlace(file: file.name, line: entry.line)
    scenario = entry.name
  }
}
