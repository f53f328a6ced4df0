import FlowHosting
import FlowKernel
import JournalRows
import Platform

/// The writer of a journal in a file.
///
/// Work that nobody waits for, such as snapshots and checkpoints of the log, is done while no append waits.
final class BatchWriter: LineWriter, @unchecked Sendable {
  private let thread: LineThread
  private let path: String
  private let pace: SQLiteJournal.Timing
  private let keys: KeyAge
  private let reader: ReadSide
  private let open: () throws(JournalError) -> Connection

  // Used by the thread alone.
  private var connection: Connection?
  private var lock: FileLock?
  private var flows: Set<Int>
  /// The rows of cases as they were written last; no other process writes the file.
  private var rows: [ExactText: CaseRow] = [:]
  private var isLogged = true
  private var nextCheckpoint: Int
  /// The file: if it was removed or replaced, all that is written would be lost with the process.
  private let inode: Inode
  /// The greatest number of rows that are cached.
  private static let mostRows = 10_000

  var line: Monitor<Line> { thread.line }

  init(
    _ connection: Connection, lock: FileLock, flows: Set<Int>, reader: ReadSide,
    pace: SQLiteJournal.Timing, keys: KeyAge,
    open: @escaping () throws(JournalError) -> Connection
  ) {
    (self.connection, self.lock, self.flows) = (connection, lock, flows)
    (self.reader, self.pace, self.keys, self.open) = (reader, pace, keys, open)
    (path, nextCheckpoint) = (connection.path, pace.pages)
    inode = lock.inode
    thread = LineThread(path)
  }

  func start() throws(JournalError) { try thread.start(self) }

  func close() { thread.close() }

  /// Runs `body` with the connection on the writer's thread, and waits for it.
  ///
  /// - Parameter keepsRows: true if it changes no row of a case.
  func perform<T: Sendable>(
    keepsRows: Bool = false,
    _ body: @escaping @Sendable (Connection) throws(JournalError) -> T
  ) throws(JournalError) -> T {
    try thread.perform { () throws(JournalError) in
      let connection = try self.opened()
      if !keepsRows { self.rows = [:] }
      return try body(connection)
    }
  }

  /// Records that a flow is stored; called within `perform`.
  func knows(flow number: Int) { flows.insert(number) }

  // MARK: The thread

  func next(in line: Monitor<Line>) -> Line.Step {
    if isLogged {
      if let step = line.wait(milliseconds: pace.pause, for: { $0.next(takesSnapshots: false) }) {
        return step
      }
      return line.wait(milliseconds: pace.idle) { $0.next(takesSnapshots: true) } ?? .checkpoint
    }
    return line.wait { $0.next(takesSnapshots: true) }
  }

  func checkpoint() {
    isLogged = false
    checkpoint(truncating: true)
  }

  func end() {
    checkpoint(truncating: true)
    reader.close()
    connection?.close()
    (connection, lock) = (nil, nil)
  }

  func writeBatch(_ appends: [Line.Append]) {
    do throws(JournalError) {
      let connection = try opened()
      if rows.count > Self.mostRows { rows = [:] }
      let outcomes = try connection.writing { () throws(JournalError) -> [JournalError?] in
        var outcomes: [JournalError?] = []
        for append in appends { outcomes.append(try write(append, on: connection)) }
        return outcomes
      }
      isLogged = true
      thread.tell(zip(appends, outcomes).map { ($0, $1, isBroken: false) })
      checkpointIfLong()
    } catch {
      rows = [:]
      if appends.count > 1, let connection, !connection.isBroken {
        // One of them may have caused the error, or be too long for the space that is left.
        for append in appends { writeBatch([append]) }
      } else {
        mendIfBroken()
        thread.tell(appends.map { ($0, error, isBroken: true) })
      }
    }
  }

  /// Writes the entries of an append within a transaction; a refused append changes nothing.
  private func write(
    _ append: Line.Append, on connection: Connection
  ) throws(JournalError) -> JournalError? {
    let isWriter: Bool
    switch line.with({ $0.isWriters(append) }) {
    case .success(let answer): isWriter = answer
    case .failure(let error): return error
    }
    let refusal = try CaseWrites(connection: connection, keys: keys).append(
      append.entries, to: append.id.text, fence: append.fence, isWriter: isWriter, flows: flows,
      rows: &rows)
    if refusal != nil && append.isBirth { line.with { $0.refuseBirth(append) } }
    return refusal
  }

  func perform(_ work: Line.Work) {
    do throws(JournalError) {
      try work.body()
      isLogged = true
      work.done(nil)
    } catch {
      mendIfBroken()
      work.done(error)
    }
  }

  func keep(_ snapshots: [(id: ExactText, snapshot: StoredSnapshot, fence: Int)]) {
    isLogged = true
    do throws(JournalError) {
      let connection = try opened()
      let written = try connection.writing { () throws(JournalError) in
        var written: [CaseRow] = []
        for (id, snapshot, _) in snapshots {
          let row = try CaseWrites(connection: connection).keep(snapshot, of: id.text)
          if let row { written.append(row) }
        }
        return written
      }
      for row in written { rows[ExactText(row.id)] = row }
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
    guard Inode(of: path) == inode else {
      throw JournalError(
        .failed,
        "\(path) was removed or replaced while it was open: nothing more is written to it. Open it again."
      )
    }
    if let connection { return connection }
    try RewrittenLog.write(path)
    let connection = try open()
    self.connection = connection
    lock?.sign()
    reader.release()
    return connection
  }

  /// Closes a connection that has failed, and opens a new one.
  ///
  /// The memory of the failed connection may be ahead of the disk, and the system takes what it could not
  /// write for written.
  ///
  /// Nothing is read or reported before the contents of the log are on the disk; if that fails too, the next
  /// call tries again.
  private func mendIfBroken() {
    guard let connection, connection.isBroken else { return }
    reader.hold()
    connection.set(SQLiteOption.keepsLogOnClose, true)
    connection.close()
    self.connection = nil
    rows = [:]
    nextCheckpoint = pace.pages
    _ = try? opened()
  }
}
