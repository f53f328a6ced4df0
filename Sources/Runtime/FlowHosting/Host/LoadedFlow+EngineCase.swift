import FlowKernel
import FlowLanguage
import LuaRuntime

extension LoadedFlow {
  /// Loads a flow from the texts that a journal has stored.
  package convenience init(_ kept: JournaledFlow, limits: Limits = Limits()) throws {
    try self.init(FlowSources(kept: kept.texts), limits: limits, log: ScriptLog { _ in })
  }
}
