import JournalRows
import Moonlatch
import Platform

/// The thread that writes a journal: it takes all that waits, writes it as one transaction, and then tells those who
/// wait.
///
/// There is no timer in it: one writer is written at once, and of many each transaction takes those who came while the
/// one before it was written, and come as soon as they are told. What need not be waited for, snapshots and taking the log into the database, is done
/// when nobody waits.
final class Committer: @unchecked Sendable {
  let line = Monitor(Line())
  private let path: String
  private let pace: JournalStore.Pace
  private let keys: KeyAge
  private let reader: ReadSide
  private let open: () throws(JournalError) -> Connection

  // Of the thread's alone.
  private var connection: Connection?
  private var lock: LockFile?
  private var flows: Set<Int>
  private var isLogged = true
  private var nextCheckpoint: Int
  private var thread: pthread_t?
  /// Which file it is: once it is removed, what is written would be lost with the process.
  private let identity: [UInt64]

  init(
    _ connection: Connection, lock: LockFile, flows: Set<Int>, reader: ReadSide,
    pace: JournalStore.Pace, keys: KeyAge,
    open: @escaping () throws(JournalError) -> Connection
  ) {
    (self.connection, self.lock, self.flows) = (connection, lock, flows)
    (self.reader, self.pace, self.keys, self.open) = (reader, pace, keys, open)
    (path, nextCheckpoint) = (connection.path, pace.pages)
    identity = JournalPlace.identity(path)
  }

  /// Starts the thread, which lives until the journal is closed.
  func start() throws(JournalError) {
    guard SystemThread.start({ self.run() }) else {
      line.with { $0.isOver = true }
      throw JournalError(.failed, "\(path) cannot be written: the system has no more threads.")
    }
  }

  /// Waits until all that was added is kept and nothing is open any more.
  func close() {
    line.with(waking: true) { $0.isClosing = true }
    if isCommitter { return }  // called by one of those it tells: it ends after that
    line.wait { $0.isOver ? () : nil }
  }

  private var isCommitter: Bool {
    line.with { _ in thread.map { pthread_equal($0, pthread_self()) != 0 } ?? false }
  }

  /// Does something on the connection, in its turn, and waits for it.
  func perform<T: Sendable>(
    _ body: @escaping @Sendable (Connection) throws(JournalError) -> T
  ) throws(JournalError) -> T {
    if isCommitter {
      throw JournalError(.failed, "\(path): who is told of an append must not wait for another.")
    }
    let answer = Monitor<Result<T, JournalError>?>(nil)
    let work = Line.Work(
      body: { () throws(JournalError) in
        // Done by the thread that has it.
        let value = try body(try self.opened())
        answer.with { $0 = .success(value) }
      },
      done: { error in
        answer.with(waking: true) { answer in if let error { answer = .failure(error) } }
      })
    // The value is given before the work is done with; an error takes its place.
    let path = path
    if let refusal = line.with(waking: true, { $0.add(work, to: path) }) { throw refusal }
    return try answer.wait { $0 }.get()
  }

  /// Notes that a flow is kept, within `perform`.
  func knows(flow number: Int) { flows.insert(number) }

  // MARK: The thread

  private func run() {
    line.with { _ in thread = pthread_self() }
    while true {
      switch next() {
      case .commit(let appends):
        commit(appends)
        if appends.count > 1 { gather(appends.count) }
      case .perform(let work): perform(work)
      case .keep(let snapshots): keep(snapshots)
      case .checkpoint:
        isLogged = false
        checkpoint(truncating: true)
      case .end: return end()
      }
    }
  }

  private func next() -> Line.Step {
    if isLogged {
      if let step = line.wait(milliseconds: pace.pause, for: { $0.next(takesSnapshots: false) }) {
        return step
      }
      return line.wait(milliseconds: pace.idle) { $0.next(takesSnapshots: true) } ?? .checkpoint
    }
    return line.wait { $0.next(takesSnapshots: true) }
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

  private func end() {
    checkpoint(truncating: true)
    reader.close()
    connection?.close()
    (connection, lock) = (nil, nil)
    line.with(waking: true) { $0.isOver = true }
  }

  private func commit(_ appends: [Line.Append]) {
    do throws(JournalError) {
      let connection = try opened()
      let outcomes = try connection.writing { () throws(JournalError) -> [JournalError?] in
        var outcomes: [JournalError?] = []
        for append in appends { outcomes.append(try write(append, on: connection)) }
        return outcomes
      }
      isLogged = true
      tell(zip(appends, outcomes).map { ($0, $1, isBroken: false) })
      checkpointIfLong()
    } catch {
      if appends.count > 1, let connection, !connection.isBroken {
        // One of them may be at fault, or too long for what space is left.
        for append in appends { commit([append]) }
      } else {
        mendIfBroken()
        tell(appends.map { ($0, error, isBroken: true) })
      }
    }
  }

  /// Writes entries within a transaction; what is refused changes nothing.
  private func write(
    _ append: Line.Append, on connection: Connection
  ) throws(JournalError) -> JournalError? {
    let isWriter: Bool
    switch line.with({ $0.isWriters(append) }) {
    case .success(let answer): isWriter = answer
    case .failure(let error): return error
    }
    let refusal = try CaseWrites(connection: connection, keys: keys).append(
      append.entries, to: append.id.text, fence: append.fence, isWriter: isWriter, flows: flows)
    if refusal != nil && append.isBirth { line.with { $0.refuseBirth(append) } }
    return refusal
  }

  private func tell(_ outcomes: [(append: Line.Append, error: JournalError?, isBroken: Bool)]) {
    line.with(waking: true) { line in
      for outcome in outcomes {
        line.finish(
          outcome.append, isKept: outcome.error == nil, isBroken: outcome.isBroken)
      }
    }
    for outcome in outcomes { outcome.append.done(outcome.error) }
  }

  private func perform(_ work: Line.Work) {
    do throws(JournalError) {
      try work.body()
      isLogged = true
      work.done(nil)
    } catch {
      mendIfBroken()
      work.done(error)
    }
  }

  /// Keeps snapshots; where that fails, the entries say the same.
  private func keep(_ snapshots: [(id: ExactText, snapshot: StoredSnapshot, fence: Int)]) {
    isLogged = true
    do throws(JournalError) {
      let connection = try opened()
      try connection.writing { () throws(JournalError) in
        for (id, snapshot, _) in snapshots {
          try CaseWrites(connection: connection).keep(snapshot, of: id.text)
        }
      }
      checkpointIfLong()
    } catch {
      mendIfBroken()
    }
  }

  private func checkpointIfLong() {
    guard let pages = connection?.pages else { return }
    if pages < nextCheckpoint - pace.pages { nextCheckpoint = pace.pages }
    guard pages >= nextCheckpoint else { return }
    checkpoint(truncating: false)
    nextCheckpoint = pages + pace.pages  // where somebody still reads the log it grows
  }

  private func checkpoint(truncating: Bool) {
    do throws(JournalError) {
      _ = try connection?.checkpoint(truncating: truncating)
    } catch {
      mendIfBroken()  // the log still has it
    }
  }

  // MARK: After a failure

  private func opened() throws(JournalError) -> Connection {
    guard JournalPlace.identity(path) == identity else {
      throw JournalError(
        .failed,
        "\(path) was removed or replaced while it was open: nothing more is written to it. Open it again."
      )
    }
    if let connection { return connection }
    try RewrittenLog.write(path)
    let connection = try open()
    self.connection = connection
    reader.release()
    return connection
  }

  /// Lets go of a connection that has failed: what it holds in memory may be ahead of the disk, and what the system
  /// could not write it takes for written from then on.
  ///
  /// Nothing is read, and nobody is told, until what is in the log is on the disk; where that fails too, whoever
  /// comes next has it tried again.
  private func mendIfBroken() {
    guard let connection, connection.isBroken else { return }
    reader.hold()
    connection.set(SQLiteOption.keepsLogOnClose, true)
    connection.close()
    self.connection = nil
    nextCheckpoint = pace.pages
    _ = try? opened()
  }
}
