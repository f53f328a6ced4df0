import FlowHosting
import FlowKernel

/// The queue of a journal's writer thread, and the writers of cases in this process.
package struct Line {
  package struct Append {
    package var entries: [JournalEntry]
    package let id: ExactText
    package let fence: Int
    package let done: @Sendable (JournalError?) -> Void
    /// The number of the writer that has appended it; nil if no writer has that fence.
    package fileprivate(set) var writer: Int?
    /// The error if it cannot be written; it is reported in order with the other appends.
    package fileprivate(set) var refusal: JournalError?

    package init(
      _ entries: [JournalEntry], to id: String, fence: Int,
      done: @escaping @Sendable (JournalError?) -> Void
    ) {
      (self.entries, self.id, self.fence, self.done) = (entries, ExactText(id), fence, done)
    }

    package var isBirth: Bool { entries.first?.seq == 1 }
    package var bytes: Int { entries.reduce(0) { $0 + $1.body.count } }
  }

  /// A task other than an append, which is run by itself.
  package struct Work {
    package let body: @Sendable () throws(JournalError) -> Void
    package let done: @Sendable (JournalError?) -> Void

    package init(
      body: @escaping @Sendable () throws(JournalError) -> Void,
      done: @escaping @Sendable (JournalError?) -> Void
    ) { (self.body, self.done) = (body, done) }
  }

  /// The writer of a case in this process.
  package struct Writer {
    /// The unique number of the writer.
    package let number: Int
    package let fence: Int
    /// The serial number of its last append.
    package var last: Int
    /// The number of appends without an answer.
    package var pending = 0
    /// True if one of the writer's appends could not be stored.
    package var isBroken = false
    /// True while the birth of the case by this writer is not stored yet.
    package var isExpecting = false
  }

  /// The next step of the writer thread.
  package enum Step {
    case writeBatch([Append])
    case perform(Work)
    case keep([(id: ExactText, snapshot: StoredSnapshot, fence: Int)])
    case checkpoint
    case end
  }

  private enum Job {
    case append(Append)
    case work(Work)
  }

  /// The most bytes of entries in one transaction, and in the queue.
  private static let (mostTaken, mostWaiting) = (16 << 20, 512 << 20)
  /// The bytes of waiting snapshots above which they are stored even if the writer thread is never idle.
  private static let mostSnapshots = 16 << 20

  private var jobs: [Job] = []
  /// Increases with each append and each new writer.
  private var serial = 0
  private var bytes = 0
  private var writers: [ExactText: Writer] = [:]
  private var snapshots: [ExactText: (snapshot: StoredSnapshot, fence: Int)] = [:]
  private var snapshotBytes = 0
  package var isClosing = false
  /// True once the writer thread has ended, and reports nothing any more.
  package var isOver = false

  package init() {}

  // MARK: Adding

  /// Adds an append to the queue.
  ///
  /// - Returns: false if the writer thread has ended.
  package mutating func add(_ append: Append, to journal: String) -> Bool {
    if isOver { return false }
    var append = append
    serial += 1
    if isClosing {
      append.refusal = AppendPosition.closed(journal)
    } else if bytes + append.bytes > Self.mostWaiting {
      append.refusal = JournalError(
        .failed, "\(journal): \(bytes >> 20) MiB wait to be written: dispatch more slowly.")
    }
    if append.refusal != nil { append.entries = [] }
    var writer = writers[append.id]
    if append.isBirth && writer?.isBroken ?? true {
      writer = Writer(number: serial, fence: append.fence, last: serial, isExpecting: true)
    }
    if var writer, writer.fence == append.fence {
      append.writer = writer.number
      writer.pending += 1
      writer.last = serial
      writers[append.id] = writer
    }
    bytes += append.bytes
    jobs.append(.append(append))
    return true
  }

  package mutating func add(_ work: Work, to journal: String) -> JournalError? {
    if isClosing { return AppendPosition.closed(journal) }
    jobs.append(.work(work))
    return nil
  }

  /// Adds a snapshot to be stored when there is time, in place of the case's waiting one.
  package mutating func add(_ snapshot: StoredSnapshot, of id: ExactText, fence: Int) {
    guard !isClosing, writers[id]?.fence == fence, writers[id]?.isBroken == false else { return }
    dropSnapshot(of: id)
    snapshots[id] = (snapshot, fence)
    snapshotBytes += snapshot.body.count
  }

  private mutating func dropSnapshot(of id: ExactText) {
    if let old = snapshots.removeValue(forKey: id) { snapshotBytes -= old.snapshot.body.count }
  }

  // MARK: Taking

  /// The number of waiting jobs.
  package var count: Int { jobs.count }

  /// Returns the next step; nil if there is nothing to do.
  package mutating func next(takesSnapshots: Bool) -> Step? {
    if snapshotBytes > Self.mostSnapshots { return takeSnapshots() }
    guard let first = jobs.first else {
      if !snapshots.isEmpty && (takesSnapshots || isClosing) { return takeSnapshots() }
      return isClosing ? .end : nil
    }
    if case .work(let work) = first {
      jobs.removeFirst()
      return .perform(work)
    }
    var (taken, size): ([Append], Int) = ([], 0)
    for case .append(let append) in jobs.prefix(while: {
      if case .append = $0 { true } else { false }
    }) {
      if !taken.isEmpty && size + append.bytes > Self.mostTaken { break }
      taken.append(append)
      size += append.bytes
    }
    jobs.removeFirst(taken.count)
    bytes -= size
    return .writeBatch(taken)
  }

  private mutating func takeSnapshots() -> Step {
    let taken = snapshots.compactMap { id, waiting in
      writers[id]?.fence == waiting.fence
        ? (id: id, snapshot: waiting.snapshot, fence: waiting.fence) : nil
    }
    (snapshots, snapshotBytes) = ([:], 0)
    return .keep(taken)
  }

  // MARK: Writers

  /// Returns true if an append is from the case's present writer, or the error if it cannot be written.
  package func isWriters(_ append: Append) -> Result<Bool, JournalError> {
    if let refusal = append.refusal { return .failure(refusal) }
    guard let writer = writers[append.id], writer.number == append.writer else {
      return .success(false)
    }
    return writer.isBroken ? .failure(AppendPosition.broken(append.id.text)) : .success(true)
  }

  /// Removes the writer of a case whose creation was refused, so that it writes nothing more.
  package mutating func refuseBirth(_ append: Append) {
    if let writer = writers[append.id], writer.isExpecting, writer.number == append.writer {
      writers[append.id] = nil
    }
  }

  /// Records that an append has been answered.
  package mutating func finish(_ append: Append, isKept: Bool, isBroken: Bool) {
    guard let number = append.writer, var writer = writers[append.id], writer.number == number
    else { return }
    writer.pending -= 1
    if isKept { writer.isExpecting = false }
    if isBroken {
      writer.isBroken = true
      dropSnapshot(of: append.id)
    }
    writers[append.id] = writer
  }

  /// Returns the fence of a case's writer in this process; 0 if there is none.
  package func fence(of id: ExactText) -> Int { writers[id]?.fence ?? 0 }

  /// Returns the serial number of the last append to a case, once all of them are answered; nil before that.
  package func settled(_ id: ExactText) -> Int? {
    guard let writer = writers[id] else { return 0 }
    return writer.pending == 0 ? writer.last : nil
  }

  /// Makes a new writer of a case, if nothing was appended to it since.
  ///
  /// - Parameters:
  ///   - last: the result of `settled` when the case was read.
  ///   - fence: the fence under which the case was written last.
  /// - Returns: the new fence; nil if something was appended since.
  package mutating func activate(_ id: ExactText, since last: Int, fence: Int) -> Int? {
    guard settled(id) == last else { return nil }
    serial += 1
    let new = max(writers[id]?.fence ?? 0, fence) + 1
    writers[id] = Writer(number: serial, fence: new, last: serial)
    dropSnapshot(of: id)
    return new
  }
}
