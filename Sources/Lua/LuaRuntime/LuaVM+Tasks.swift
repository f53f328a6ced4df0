import CLatch

/// What a host function says: its results, or that they come later.
package enum HostAnswer {
  case values([Value])
  /// The effect that called waits for what the request says.
  case wait([Value])
  /// Raises a value as it is, without a place in front.
  case raise(Value)
}

/// An effect at work: a coroutine of the host's own.
package struct LuaTask: Hashable, Sendable {
  let number: Int32
}

/// Who gets what a task returns.
package enum TaskResultReceiver {
  case nobody, host
  /// The task that waits for its functions, of which this is the one with that number, from 1 on.
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

/// Where running a task has led.
package indirect enum TaskProgress {
  /// It has come to its end, with what it returned first, if the host is its heir.
  ///
  /// The maps are the places of tables in it that are maps or lists with holes, as types may say.
  case finished(Value, unnamedMaps: [[ValueKey]])
  /// It waits for what the request says.
  case waiting([Value])
  case failed(ScriptError)
}

extension LuaVM {
  /// Starts an effect, with the payload under way.
  ///
  /// The task is worth keeping only while it waits.
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

  /// Starts the function of that number for which a task waits.
  package func start(receiver: TaskResultReceiver, budget: Int) -> (LuaTask, TaskProgress) {
    var task: latch_task = 0
    var request = latch_bytes()
    let status = latch_task_branch(latch, receiver.raw, run(LATCH_EFFECT, budget), &task, &request)
    return (LuaTask(number: task), progress(status, request))
  }

  /// Goes on with a task: its wait returns the values, or raises the message.
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

  /// Ends a task that waits: what it has to close is closed.
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

/// What is raised in an effect whose wait has failed.
package struct TaskError: Error {
  package let message: String
  /// A value to raise as it is; nil for the message, with the place of the wait in front.
  package let raised: Value?

  package init(message: String) { (self.message, raised) = (message, nil) }

  package init(raising value: Value) {
    (message, raised) = (value.stringValue ?? value.description, value)
  }
}

/// Instances of scopes, as scripts hold them.
extension LuaVM {
  /// Keeps the instance with that number.
  package func instance(_ number: Int) throws(ScriptError) -> LuaReference {
    var kept: latch_ref = 0
    try check(latch_scope_instance(latch, Int64(number), &kept))
    return LuaReference(kept)
  }

  /// A closed instance lives on only where a script holds it.
  package func forgetInstance(_ number: Int) { latch_forget_instance(latch, Int64(number)) }

  /// Runs a function that was deferred.
  package func cleanUp(_ number: Int, budget: Int) throws(ScriptError) {
    try check(latch_clean_up(latch, Int64(number), run(LATCH_EFFECT, budget)))
  }
}
