import LuaRuntime
import StateCharts

extension Outcome {
  /// What a dispatch came to that was rejected.
  init(_ rejection: Rejection) {
    switch rejection {
    case .refused(let refusal): self = .refused(refusal)
    case .failed(let failure): self = .failed(failure)
    }
  }
}
