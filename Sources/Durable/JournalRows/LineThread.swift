import FlowHosting
import FlowKernel
import Platform

/// What a journal does with what its line gives, on a thread of its own.
package protocol LineWriter: AnyObject, Sendable {
  /// Waits for what is to be done next.
  func next(in line: Monitor<Line>) -> Line.Step
  /// Keeps entries as one transaction, and tells those who wait.
  func writeBatch(_ appends: [Line.Append])
  /// Does something else in its turn.
  func perform(_ work: Line.Work)
  /// Keeps snapshots; where that fails, the entries say the same.
  func keep(_ snapshots: [(id: ExactText, snapshot: StoredSnapshot, fence: Int)])
  /// Tidies up while nobody waits.
  func checkpoint()
  /// Lets go of what is open: nothing comes any more.
  func end()
}

/// The thread that writes a journal: it takes all that waits, has it written, and those are told who wait.
///
/// There is no timer in it: one writer is written at once, and of many each transaction takes those who came while the
/// one before it was written, and come as soon as they are told.
package final class LineThread: @unchecked Sendable {
  package let line = Monitor(Line())
  private let path: String
  // Under the line's lock.
  private var thread: pthread_t?

  /// - Parameter path: what messages call the journal.
  package init(_ path: String) { self.path = path }

  /// Starts the thread, which lives until the journal is closed.
  package func start(_ writer: any LineWriter) throws(JournalError) {
    guard SystemThread.start({ self.run(writer) }) else {
      line.with { $0.isOver = true }
      throw JournalError(.failed, "\(path) cannot be written: the system has no more threads.")
    }
  }

  /// Waits until all that was added is kept and nothing is open any more.
  package func close() {
    line.with(waking: true) { $0.isClosing = true }
    if isOurs { return }  // called by one of those it tells: it ends after that
    line.wait { $0.isOver ? () : nil }
  }

  private var isOurs: Bool {
    line.with { _ in thread.map { pthread_equal($0, pthread_self()) != 0 } ?? false }
  }

  /// Does something on the thread, in its turn, and waits for it.
  package func perform<T: Sendable>(
    _ body: @escaping @Sendable () throws(JournalError) -> T
  ) throws(JournalError) -> T {
    if isOurs {
      throw JournalError(.failed, "\(path): who is told of an append must not wait for another.")
    }
    let answer = Monitor<Result<T, JournalError>?>(nil)
    // The value is given before the work is done with; an error takes its place.
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

  /// Lets those who were told just now come again, as long as more of them do: a sync for a few of them would have all
  /// others wait for the next one.
  private func gather(_ most: Int) {
    var (before, count) = (-1, 0)
    while count > before && count < most {
      before = count
      sched_yield()
      count = line.with(\.count)
    }
  }

  /// Tells what has become of appends.
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
