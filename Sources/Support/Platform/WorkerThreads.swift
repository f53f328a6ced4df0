/// An executor for tasks that may block, with threads of its own beside Swift's cooperative pool.
///
/// A job starts a thread if no thread is idle and the limit is not reached. A thread ends after five seconds without
/// work. Above the limit, jobs wait in order.
package final class WorkerThreads: TaskExecutor {
  private struct State {
    var jobs: [UnownedJob] = []
    /// The index of the first waiting job; those before it have been taken.
    var first = 0
    var idle = 0
    var threads = 0

    mutating func next() -> UnownedJob? {
      guard first < jobs.count else { return nil }
      defer {
        first += 1
        if first == jobs.count {
          (jobs, first) = ([], 0)
        } else if first >= 64, first * 2 >= jobs.count {
          jobs.removeFirst(first)
          first = 0
        }
      }
      return jobs[first]
    }
  }

  private let state = Monitor(State())
  private let limit: Int
  /// The time in milliseconds after which a thread without work ends.
  private static let patience = 5_000

  /// - Parameter limit: the largest number of threads.
  package init(limit: Int) { self.limit = max(1, limit) }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let mustStart = state.with(waking: true) { state in
      state.jobs.append(job)
      guard state.jobs.count - state.first > state.idle, state.threads < limit else { return false }
      state.threads += 1
      return true
    }
    guard mustStart, !SystemThread.start({ self.work() }) else { return }
    // The system has no more threads: another thread takes the job, or else this one runs a job.
    let left = state.with { state -> UnownedJob? in
      state.threads -= 1
      return state.threads == 0 ? state.next() : nil
    }
    left?.runSynchronously(on: asUnownedTaskExecutor())
  }

  private func work() {
    while let job = next() { job.runSynchronously(on: asUnownedTaskExecutor()) }
  }

  /// Returns the next job, or nil if the thread must end.
  private func next() -> UnownedJob? {
    let job = state.with { state -> UnownedJob? in
      if let job = state.next() { return job }
      state.idle += 1
      return nil
    }
    if let job { return job }
    let found = state.wait(milliseconds: Self.patience) { state in
      state.next().map { job in
        state.idle -= 1
        return job
      }
    }
    if let found { return found }
    return state.with { state in
      state.idle -= 1
      let job = state.next()
      if job == nil { state.threads -= 1 }
      return job
    }
  }
}
