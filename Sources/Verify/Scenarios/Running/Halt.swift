import FlowKernel
import FlowLanguage
import Platform

/// Where a scenario has ended, with its flow as it stands there, for somebody to look at.
package struct Halt {
  /// The flow's engine, which nobody else goes on with.
  package let engine: Engine
  /// The flow's file, and how messages name it.
  package let flow: URL
  package let flowName: String
  /// Where the scenario stands.
  package let place: SourcePlace
  package let scenario: String
  // The engine still asks the run what its scripts ask the host.
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
