import FlowKernel
import LuaRuntime

extension AskedFunction {
  /// The answer of a function about one or two states.
  struct Verdict: Equatable {
    let holds: Bool
    let reason: StateSearch.Reason
  }

  /// Returns the verdict from the results of `explore.lua`.
  ///
  /// - Throws: `ExplorationError` if the function returned nothing or raised an error.
  func verdict(
    _ said: Result<[Value], ScriptError>, in state: @autoclosure () -> String
  ) throws(ExplorationError) -> Verdict {
    switch said {
    case .success(let values):
      let answer = values.first?.stringValue
      guard answer == "yes" || answer == "no" else {
        throw ExplorationError(
          .setup, "\(place): \(title) returned nothing; end it with \"return\" and a condition")
      }
      let reason = answer == "no" && values.count > 1 ? values[1].stringValue ?? "" : ""
      return Verdict(
        holds: answer == "yes", reason: StateSearch.Reason(text: reason, place: nil, isIdle: false))
    case .failure(let error): throw failure(error, in: state())
    }
  }

  func failure(_ error: ScriptError, in state: String) -> ExplorationError {
    let at = error.place.isEmpty ? place.description : error.place
    return ExplorationError(.setup, "\(at): \(title): \(error.message), in the state \(state)")
  }
}
