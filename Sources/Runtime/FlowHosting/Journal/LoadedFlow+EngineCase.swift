import FlowKernel
import FlowLanguage
import LuaRuntime

extension LoadedFlow {
  /// A flow as a journal has kept its texts.
  package init(_ kept: JournaledFlow, limits: Limits = Limits()) throws {
    try self.init(FlowSources(kept: kept.texts), limits: limits, log: ScriptLog { _ in })
  }
}
