import LuaRuntime
import StateCharts

extension Permission {
  /// Creates the permission of an action that is rejected.
  init(_ rejection: Rejection) {
    switch rejection {
    case .refused(let refusal): self = .refused(refusal)
    case .failed(let failure): self = .failed(failure)
    }
  }
}
