import LuaRuntime

extension RunningEffects.Running {
  /// Returns the answer in the form that the waiting code takes: the prelude of a scenario, or the effect itself.
  package func answer(_ answer: Result<[Value], TaskError>) -> Result<[Value], TaskError> {
    guard awaitsStub else { return answer }
    awaitsStub = false
    return switch answer {
    case .success(let values): .success(["told", true] + values)
    case .failure(let error): .success(["told", false, error.raised ?? .string(error.message)])
    }
  }
}
