import FlowLanguage
import LuaRuntime

extension Engine {
  /// A call for which the effect under way is about to wait.
  package struct PreparedCall {
    package let number: Int
    package let capability: String
    package let work: Work

    /// The work of a call.
    package enum Work {
      /// A function of the host.
      case function(@Sendable () async throws -> Value)
      /// A task, which is performed outside of the process.
      case task(OpenTask)
    }
  }

  /// Starts the call that an effect has prepared and waits for.
  ///
  /// Nothing is called if the effect cannot wait for it.
  func startCall(_ number: Int, by running: RunningEffects.Running) {
    guard let call = calls.prepared, call.number == number else { return }
    calls.prepared = nil
    let body: @Sendable () async throws -> Value
    switch call.work {
    case .task(let task): return open(task, by: running)
    case .function(let function): body = function
    }
    let caller = PendingCalls.Caller(
      capability: call.capability, effect: running.title,
      revision: running.cause.revision, place: running.effect.function.place)
    calls.pending.start(number, by: caller, inheriting: !scratch.runsForNobody, kept(body))
  }

  /// Returns the body of a call; if there is a journal, the call waits until the journal has all that led to it.
  private func kept(
    _ body: @escaping @Sendable () async throws -> Value
  ) -> @Sendable () async throws -> Value {
    guard let receipt = caseWriter?.receipt else { return body }
    return {
      try await receipt.waitWhenFree()
      return try await body()
    }
  }

  /// Writes all that led to a capability's immediate answer, if there is a journal.
  ///
  /// Throws if that fails; the capability is then not called.
  func keepBeforeCall(of capability: String) throws(ScopeRefusal) {
    guard let caseWriter else { return }
    do throws(JournalError) {
      if let running = effects.current {
        recordWait(running, for: .capability(capability))
        deliver(.effectWaits(running.root.number), to: .effects)
      }
      try caseWriter.barrier(self)
    } catch {
      throw ScopeRefusal("\(capability) was not called: \(error)")
    }
  }

  /// Resumes the effect whose capability has answered, and runs the queue.
  package func takeAnswer(of call: Int) {
    guard let answer = calls.pending.take(call) else { return }
    take(answer, to: call)
    runQueue()
  }

  /// Resumes the effect that waits for the call.
  package func take(_ answer: Result<Value, TaskError>, to call: Int) {
    if !caseState.queue.isEmpty { forNobody { runQueue() } }
    guard let effect = effects.waiting(for: call) else { return }
    transcribe(.answer(call: call, answer.recorded))
    caseState.queue.outsideCame()
    go(on: effect, with: answer.map { [$0] })
  }

  /// Runs a body that the current caller did not cause: its calls have no task-locals.
  package func forNobody(_ body: () -> Void) {
    let outer = scratch.runsForNobody
    scratch.runsForNobody = true
    body()
    scratch.runsForNobody = outer
  }
}
