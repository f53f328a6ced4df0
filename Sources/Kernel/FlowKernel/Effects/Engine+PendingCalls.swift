import FlowLanguage
import LuaRuntime

extension Engine {
  /// A call that the effect under way is about to wait for.
  package struct PreparedCall {
    package let number: Int
    package let capability: String
    package let body: @Sendable () async throws -> Value
  }

  /// Makes the call that an effect has prepared and waits for: where nothing can be waited for, nothing
  /// is called.
  func startCall(_ number: Int, by running: RunningEffects.Running) {
    guard let call = calls.prepared, call.number == number else { return }
    calls.prepared = nil
    let caller = PendingCalls.Caller(
      capability: call.capability, effect: running.title,
      revision: running.cause.revision, place: running.effect.function.place)
    calls.pending.start(number, by: caller, inheriting: !scratch.runsForNobody, kept(call.body))
  }

  /// Where a journal is kept, a call is made once it has all that led to the call.
  private func kept(
    _ body: @escaping @Sendable () async throws -> Value
  ) -> @Sendable () async throws -> Value {
    guard let receipt = caseWriter?.receipt else { return body }
    return {
      try await receipt.waitWhenFree()
      return try await body()
    }
  }

  /// A capability is about to answer at once: where a journal is kept, it has first all that led here.
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

  /// Goes on with the effect whose capability has answered, and runs what it dispatches.
  package func takeAnswer(of call: Int) {
    guard let answer = calls.pending.take(call) else { return }
    take(answer, to: call)
    runQueue()
  }

  /// Goes on with the effect that waits for the call.
  package func take(_ answer: Result<Value, TaskError>, to call: Int) {
    if !caseState.queue.isEmpty { forNobody { runQueue() } }
    guard let effect = effects.waiting(for: call) else { return }
    transcribe(.answer(call: call, answer.recorded))
    caseState.queue.outsideCame()
    go(on: effect, with: answer.map { [$0] })
  }

  /// Does something that was not caused by whoever is just here: what it calls has no task-locals.
  package func forNobody(_ body: () -> Void) {
    let outer = scratch.runsForNobody
    scratch.runsForNobody = true
    body()
    scratch.runsForNobody = outer
  }
}
