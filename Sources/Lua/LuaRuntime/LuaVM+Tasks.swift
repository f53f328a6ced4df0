import CLatch

/// The answer of a host function: its results, or a wait for them.
package enum HostAnswer {
  case values([Value])
  /// Suspends the calling effect until the request is answered.
  case wait([Value])
  /// Raises a value as it is, without a position in front.
  case raise(Value)
}

/// A running effect: a coroutine that the host owns.
package struct LuaTask: Hashable, Sendable {
  let number: Int32
}

/// The receiver of a task's result.
package enum TaskResultReceiver {
  case nobody, host
  /// A task that waits for its functions, of which this task runs the one with the given number, counted from 1.
  case waiting(LuaTask, function: Int)

  fileprivate var raw: latch_result_receiver {
    switch self {
    case .nobody: latch_result_receiver(task: 0, number: 0)
    case .host: latch_result_receiver(task: 0, number: 1)
    case .waiting(let task, let function):
      latch_result_receiver(task: task.number, number: Int32(clamping: function))
    }
  }
}

/// The outcome of running a task for a while.
package indirect enum TaskProgress {
  /// The task has finished, with its first result if the receiver is the host.
  ///
  /// `unnamedMaps` are the paths in it to tables that are maps or lists with holes, depending on their types.
  case finished(Value, unnamedMaps: [[ValueKey]])
  /// The task waits until the request is answered.
  case waiting([Value])
  case failed(ScriptError)
}

extension LuaVM {
  /// Starts an effect with the current payload.
  ///
  /// The returned task is valid only while it waits.
  package func start(
    _ function: LuaReference, self instance: LuaReference, more: [Value],
    receiver: TaskResultReceiver,
    budget: Int
  ) -> (LuaTask, TaskProgress) {
    var task: latch_task = 0
    var request = latch_bytes()
    let status = withBytes(of: more) {
      latch_task_start(
        latch, function.number, instance.number, $0, receiver.raw, run(LATCH_EFFECT, budget), &task,
        &request)
    }
    return (LuaTask(number: task), progress(status, request))
  }

  /// Starts the function of the receiver's number, for which the receiver's task waits.
  package func start(receiver: TaskResultReceiver, budget: Int) -> (LuaTask, TaskProgress) {
    var task: latch_task = 0
    var request = latch_bytes()
    let status = latch_task_branch(latch, receiver.raw, run(LATCH_EFFECT, budget), &task, &request)
    return (LuaTask(number: task), progress(status, request))
  }

  /// Resumes a task: its wait returns the values or raises the error.
  package func resume(
    _ task: LuaTask, receiver: TaskResultReceiver, with answer: Result<[Value], TaskError>,
    budget: Int
  ) -> TaskProgress {
    var request = latch_bytes()
    let values: [Value]
    let kind: latch_answer
    switch answer {
    case .success(let results): (values, kind) = (results, LATCH_ANSWER_RETURNS)
    case .failure(let error):
      (values, kind) =
        error.raised.map { ([$0], LATCH_ANSWER_RAISES_AS_IS) }
        ?? ([.string(error.message)], LATCH_ANSWER_RAISES)
    }
    let status = withBytes(of: values) {
      latch_task_resume(
        latch, task.number, receiver.raw, $0, kind, run(LATCH_EFFECT, budget), &request)
    }
    return progress(status, request)
  }

  /// Ends a waiting task, and closes its to-be-closed variables.
  package func close(_ task: LuaTask, budget: Int) {
    latch_task_close(latch, task.number, run(LATCH_EFFECT, budget))
  }

  private func progress(_ status: latch_status, _ request: latch_bytes) -> TaskProgress {
    switch status {
    case LATCH_OK, LATCH_PENDING: break
    default: return .failed(failure())
    }
    do {
      if status == LATCH_PENDING { return .waiting(try values(request)) }
      let (values, maps) = try valuesAndMaps(request)
      return .finished(values.first ?? .nil, unnamedMaps: maps)
    } catch {
      return .failed(error)
    }
  }
}

/// The error that is raised in an effect whose wait has failed.
package struct TaskError: Error {
  package let message: String
  /// The value to raise as it is; nil to raise the message with the position of the wait in front.
  package let raised: Value?

  package init(message: String) { (self.message, raised) = (message, nil) }

  package init(raising value: Value) {
    (message, raised) = (value.stringValue ?? value.description, value)
  }
}

/// Scope instances, as scripts hold them.
extension LuaVM {
  /// Stores the instance with that number in the VM, and returns a reference to it.
  package func instance(_ number: Int) throws(ScriptError) -> LuaReference {
    var kept: latch_ref = 0
    try check(latch_scope_instance(latch, Int64(number), &kept))
    return LuaReference(kept)
  }

  /// Releases a closed instance, which then lives only while a script holds it.
  package func forgetInstance(_ number: Int) { latch_forget_instance(latch, Int64(number)) }

  /// Runs a deferred function.
  package func cleanUp(_ number: Int, budget: Int) throws(ScriptError) {
    try check(latch_clean_up(latch, Int64(number), run(LATCH_EFFECT, budget)))
  }
}
