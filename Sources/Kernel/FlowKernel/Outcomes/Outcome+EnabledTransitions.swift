import LuaRuntime
import StateCharts

extension Outcome {
  /// Creates the outcome of a rejected dispatch.
  init(_ rejection: Rejection) {
    switch rejection {
    case .refused(let refusal): self = .refused(refusal)
    case .failed(let failure): self = .failed(failure)
    }
  }
}
