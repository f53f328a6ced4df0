import FlowKernel
import FlowLanguage
import LuaRuntime

extension ExplorationSpec.Given {
  /// Returns the error for a part that does not fit the state.
  func fault(_ failure: DispatchFailure) -> ExplorationError {
    ExplorationError(.setup, "\(place): given does not fit: \(failure.message)")
  }
}
