import FlowKernel
import FlowLanguage
import LuaRuntime

/// An engine in the initial state of a flow, which checks if payloads and parts of the state fit.
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

  /// Returns the fault of a payload; nil if the action accepts it.
  func fault(inPayload payload: Value, of action: String) -> String? {
    engine.fault(inPayload: payload, of: action)
  }

  /// Returns the fault of a part that is merged into the state; nil if it fits.
  func fault(given part: Value) -> String? {
    do {
      try engine.load(state: tree, canonical)
      return engine.exploreGiven(part).failure?.message
    } catch {
      return "\(error)"
    }
  }
}
