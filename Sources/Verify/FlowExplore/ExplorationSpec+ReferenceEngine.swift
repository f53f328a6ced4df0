import FlowKernel
import FlowLanguage
import LuaRuntime

extension ExplorationSpec.Given {
  /// What is said where it does not fit the state.
  func fault(_ failure: DispatchFailure) -> ExplorationError {
    ExplorationError(.setup, "\(place): given does not fit: \(failure.message)")
  }
}
