import FlowLanguage
import LuaRuntime

/// An error of a function among the options of an `http` capability.
enum HTTPFunctionFailure: Error, Sendable {
  /// The function has called `fail`.
  case failed(String, isRetryable: Bool)
  /// The function has a fault, which this text names with its place.
  case broken(String)
  /// No VM was free in time.
  case busy
  /// The call was cancelled before its turn.
  case interrupted

  /// Reads what a function has raised.
  init(_ error: ScriptError, _ option: String, of capability: HostCapability) {
    if let message = error.value?["capability_failure"]?.stringValue {
      self = .failed(message, isRetryable: error.value?["retryable"] == true)
      return
    }
    var error = error
    error.take(capability.place)
    self = .broken("\(option) of \(capability.name): \(error.summary)")
  }
}
