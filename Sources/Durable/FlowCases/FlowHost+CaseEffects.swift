import FlowHosting
import FlowKernel
import LuaRuntime

extension FlowHost {
  /// The running effects, oldest first: what each waits for and since when, and its failed attempts.
  ///
  /// - Throws: `AgentError` if the host is called from inside itself, or was stopped.
  public var effects: [EffectStatus] {
    get throws { try use { $0.effectStatus } }
  }
}
