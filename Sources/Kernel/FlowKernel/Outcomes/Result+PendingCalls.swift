import FlowLanguage
import LuaRuntime

extension Result where Success == Value, Failure == TaskError {
  var recorded: Transcript.Answer {
    switch self {
    case .success(let value): .value(value)
    case .failure(let error): .error(error.message)
    }
  }
}
