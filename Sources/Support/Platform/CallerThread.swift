/// An executor that runs asynchronous code on the calling thread, which blocks meanwhile.
///
/// A function that never suspends runs like a plain call. A function that suspends is resumed on the same thread, so it
/// never waits for a thread of Swift's cooperative pool that is itself blocked.
package enum CallerThread {
  /// Runs `body` to completion, and returns its result or throws its error.
  package static func run<Value: Sendable, Failure: Error>(
    _ body: @escaping @Sendable () async throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let loop = Loop<Result<Value, Failure>>()
    Task.detached(executorPreference: loop) {
      do throws(Failure) { loop.end(.success(try await body())) } catch {
        loop.end(.failure(error))
      }
    }
    return try loop.run().get()
  }

  /// The job queue of one call, whose jobs run on the calling thread.
  private final class Loop<Outcome: Sendable>: TaskExecutor {
    private enum Step {
      case run(UnownedJob)
      case end(Outcome)
    }

    private struct State {
      var jobs: [UnownedJob] = []
      var outcome: Outcome?
    }

    private let state = Monitor(State())

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      // The rest of a task whose outcome is known runs here, because nothing waits for it.
      let isLate = state.with(waking: true) { state in
        if state.outcome == nil { state.jobs.append(job) }
        return state.outcome != nil
      }
      if isLate { job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    func end(_ outcome: Outcome) { state.with(waking: true) { $0.outcome = outcome } }

    func run() -> Outcome {
      while true {
        let step = state.wait { state -> Step? in
          if !state.jobs.isEmpty { return .run(state.jobs.removeFirst()) }
          return state.outcome.map(Step.end)
        }
        switch step {
        case .run(let job): job.runSynchronously(on: asUnownedTaskExecutor())
        case .end(let outcome): return outcome
        }
      }
    }
  }
}
