import FlowLanguage
import Platform

/// The flow that a scenario file plays.
package struct ScenarioFlow {
  /// Reads the flow of a scenario file, which is run once for it.
  ///
  /// The module that runs scenario files uses this one, so whoever checks them passes this in.
  package typealias Reader = (_ file: URL, _ name: String, _ reach: PathSandbox?) throws ->
    ScenarioFlow

  /// The flow's file.
  package let path: String
  /// The flow as messages name it.
  package let name: String

  package init(path: String, name: String) { (self.path, self.name) = (path, name) }
}
