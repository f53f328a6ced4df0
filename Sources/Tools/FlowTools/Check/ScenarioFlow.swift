import FlowLanguage
import Platform

/// The flow of a scenario file.
package struct ScenarioFlow {
  /// A function that returns the flow of a scenario file, by running the file once.
  ///
  /// The module that runs scenario files depends on this one, so the caller of a check passes the function in.
  package typealias Reader = (_ file: URL, _ name: String, _ reach: PathSandbox?) throws ->
    ScenarioFlow

  /// The flow's file.
  package let path: String
  /// The flow's name in messages.
  package let name: String

  package init(path: String, name: String) { (self.path, self.name) = (path, name) }
}
