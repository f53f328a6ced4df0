import FlowKernel
import FlowLanguage
import LuaRuntime

/// An engine at the beginning of a flow, which is asked whether payloads and parts of the state fit.
final class ExplorationProbe {
  private let engine: Engine
  private let tree: [UInt8]
  private let canonical: CanonicalState

  init(_ flow: LoadedFlow, limits: Limits, for host: HostOptions?) throws {
    engine = try Engine(flow, limits: limits, log: ScriptLog { _ in }, exploredFor: host)
    try engine.startExploring(traces: false)
    canonical = engine.beginExploring().canonical
    tree = try engine.vm.stateBytes(after: [])
  }

  /// What is wrong with a payload; nil where the action takes it.
  func fault(inPayload payload: Value, of action: String) -> String? {
    engine.fault(inPayload: payload, of: action)
  }

  /// What is wrong with a part that is merged into the state.
  func fault(given part: Value) -> String? {
    do {
      try engine.load(state: tree, canonical)
      return engine.exploreGiven(part).failure?.message
    } catch {
      return "\(error)"
    }
  }
}
