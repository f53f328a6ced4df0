import Moonlatch
import Platform

/// The flow that a scenario file plays.
package struct ScenarioFlow {
  /// Learns the flow of a scenario file, for which the file is run once. Scenarios are run by a module above
  /// this one, so whoever checks passes this in.
  package typealias Reader = (_ file: URL, _ name: String, _ reach: Reach?) throws -> ScenarioFlow

  /// The flow's file.
  package let path: String
  /// The flow as messages name it.
  package let name: String

  package init(path: String, name: String) { (self.path, self.name) = (path, name) }
}
