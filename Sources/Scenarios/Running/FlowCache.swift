import Moonlatch
import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The flows of a run, each read, checked and compiled once.
///
/// Within a run a flow is what it was when it was first played, however often it is played.
package final class FlowCache: Sendable {
  private struct Key: Hashable {
    let path: String
    let name: String
  }

  private let loaded = Mutex<[Key: Result<LoadedFlow, any Error>]>([:])

  package init() {}

  /// The flow of a file, loaded now if it was not before.
  func flow(_ path: String, named name: String, limits: Limits) throws -> LoadedFlow {
    let key = Key(path: path, name: name)
    if let known = loaded.withLock({ $0[key] }) { return try known.get() }
    let flow = Result {
      try LoadedFlow(
        FlowSources(file: URL(filePath: path), displayName: name), limits: limits,
        log: ScriptLog { _ in })
    }
    loaded.withLock { $0[key] = flow }
    return try flow.get()
  }

  /// The flow of a scenario file and the modules that it requires, as messages name them.
  package func files(of file: ScenarioFile) throws -> [String] {
    try flow(file.flow, named: file.flowName, limits: Limits()).files
  }
}
