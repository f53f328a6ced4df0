import FlowKernel
import FlowLanguage
import LuaRuntime

extension Engine {
  /// Returns an engine with a case as it is stored; nothing in it resumes.
  package static func standing(
    _ id: String, as stored: StoredCase, of flow: LoadedFlow
  ) throws -> Engine {
    let engine = try Engine(
      flow, limits: flow.limits, log: ScriptLog { _ in }, seed: stored.birth.seed)
    try engine.take(CaseImage(stored, of: id))
    return engine
  }
}
