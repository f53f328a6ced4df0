import LuaRuntime

extension RunningEffects.Running {
  /// Who gets what it returns.
  package var receiver: TaskResultReceiver {
    if let branch, let task = branch.parent.task {
      return .waiting(task, function: branch.number)
    }
    return effect.onDone == nil ? .nobody : .host
  }
}
