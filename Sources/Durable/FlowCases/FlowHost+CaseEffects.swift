import FlowHosting
import FlowKernel
import LuaRuntime

extension FlowHost {
  /// The effects under way, oldest first: what each waits for and since when, and its failed attempts.
  ///
  /// - Throws: `AgentError` when the host is called from inside itself, or was stopped.
  public var effects: [EffectStatus] {
    get throws { try use { $0.effectStatus } }
  }
}
