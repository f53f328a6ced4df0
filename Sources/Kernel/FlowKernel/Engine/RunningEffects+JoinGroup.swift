import LuaRuntime

extension RunningEffects.Running {
  /// The receiver of the function's result.
  package var receiver: TaskResultReceiver {
    if let branch, let task = branch.parent.task {
      return .waiting(task, function: branch.number)
    }
    return effect.onDone == nil ? .nobody : .host
  }
}
