import FlowHosting
import FlowKernel
import Platform

/// The work of a journal's writer thread.
package protocol LineWriter: AnyObject, Sendable {
  /// Waits for the next step.
  func next(in line: Monitor<Line>) -> Line.Step
  /// Stores appends in one transaction, and reports the results.
  func writeBatch(_ appends: [Line.Append])
  /// Runs a task.
  func perform(_ work: Line.Work)
  /// Stores snapshots; if that fails, nothing is lost, because the entries contain the same.
  func keep(_ snapshots: [(id: ExactText, snapshot: StoredSnapshot, fence: Int)])
  /// Cleans up while nothing waits.
  func checkpoint()
  /// Closes all that is open; nothing follows.
  func end()
}

/// The writer thread of a journal: it takes all waiting appends, has them written as one transaction, and
/// reports the results.
///
/// It uses no timer: a single append is written at once. Of many, each transaction takes those that came
/// while the previous one was written, and those that follow immediately on its results.
package final class LineThread: @unchecked Sendable {
  package let line = Monitor(Line())
  private let path: String
  // Guarded by the line's lock.
  private var thread: pthread_t?

  /// Makes a thread that is not started yet.
  ///
  /// - Parameter path: the name of the journal in messages.
  package init(_ path: String) { self.path = path }

  /// Starts the thread, which lives until the journal is closed.
  package func start(_ writer: any LineWriter) throws(JournalError) {
    guard SystemThread.start({ self.run(writer) }) else {
      line.with { $0.isOver = true }
      throw JournalError(.failed, "\(path) cannot be written: the system has no more threads.")
    }
  }

  /// Waits until all that was appended is stored and everything is closed.
  package func close() {
    line.with(waking: true) { $0.isClosing = true }
    if isOurs { return }  // called by one of those it tells: it ends after that
    line.wait { $0.isOver ? () : nil }
  }

  private var isOurs: Bool {
    line.with { _ in thread.map { pthread_equal($0, pthread_self()) != 0 } ?? false }
  }

  /// Runs `body` on the thread, in order with other steps, and waits for it.
  package func perform<T: Sendable>(
    _ body: @escaping @Sendable () throws(JournalError) -> T
  ) throws(JournalError) -> T {
    if isOurs {
      throw JournalError(
        .failed, "\(path): a completion handler of an append must not wait for another append.")
    }
    let answer = Monitor<Result<T, JournalError>?>(nil)
    // The value is set before `done` is called; an error replaces it.
    let work = Line.Work(
      body: { () throws(JournalError) in
        let value = try body()
        answer.with { $0 = .success(value) }
      },
      done: { error in
        answer.with(waking: true) { answer in if let error { answer = .failure(error) } }
      })
    let path = path
    if let refusal = line.with(waking: true, { $0.add(work, to: path) }) { throw refusal }
    return try answer.wait { $0 }.get()
  }

  private func run(_ writer: any LineWriter) {
    line.with { _ in thread = pthread_self() }
    while true {
      switch writer.next(in: line) {
      case .writeBatch(let appends):
        writer.writeBatch(appends)
        if appends.count > 1 { gather(appends.count) }
      case .perform(let work): writer.perform(work)
      case .keep(let snapshots): writer.keep(snapshots)
      case .checkpoint: writer.checkpoint()
      case .end:
        writer.end()
        return line.with(waking: true) { $0.isOver = true }
      }
    }
  }

  /// Yields to callers that were just answered as long as more of them append again.
  ///
  /// A sync for a few of them would make all others wait for the next one.
  private func gather(_ most: Int) {
    var (before, count) = (-1, 0)
    while count > before && count < most {
      before = count
      sched_yield()
      count = line.with(\.count)
    }
  }

  /// Reports the results of appends.
  package func tell(
    _ outcomes: [(append: Line.Append, error: JournalError?, isBroken: Bool)]
  ) {
    line.with(waking: true) { line in
      for outcome in outcomes {
        line.finish(outcome.append, isKept: outcome.error == nil, isBroken: outcome.isBroken)
      }
    }
    for outcome in outcomes { outcome.append.done(outcome.error) }
  }
}
