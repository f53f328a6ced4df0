import FlowHosting
import FlowKernel

/// What waits for the committer, and who may write what.
package struct Line {
  package struct Append {
    package var entries: [JournalEntry]
    package let id: ExactText
    package let fence: Int
    package let done: @Sendable (JournalError?) -> Void
    /// The writer that has added it; nil where nobody is under that fence.
    package fileprivate(set) var writer: Int?
    /// Why it cannot be written, where that is known: it is told in its turn.
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

  /// Something else than appends, done by itself.
  package struct Work {
    package let body: @Sendable () throws(JournalError) -> Void
    package let done: @Sendable (JournalError?) -> Void

    package init(
      body: @escaping @Sendable () throws(JournalError) -> Void,
      done: @escaping @Sendable (JournalError?) -> Void
    ) { (self.body, self.done) = (body, done) }
  }

  /// Who writes a case in this process.
  package struct Writer {
    /// Each has another one.
    package let number: Int
    package let fence: Int
    /// The number of what was added last.
    package var last: Int
    /// Appends that have not been answered.
    package var pending = 0
    /// Whether something of the writer's could not be kept.
    package var isBroken = false
    /// Whether it has given birth to the case, and that is not yet kept.
    package var isExpecting = false
  }

  /// What the committer does next.
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

  /// A transaction takes no more than so many bytes, and no more than so many may wait.
  private static let (mostTaken, mostWaiting) = (16 << 20, 512 << 20)
  /// Snapshots of more bytes than so are kept even if the committer is never idle.
  private static let mostSnapshots = 16 << 20

  private var jobs: [Job] = []
  /// Counts whatever is added and whoever begins to write.
  private var serial = 0
  private var bytes = 0
  private var writers: [ExactText: Writer] = [:]
  private var snapshots: [ExactText: (snapshot: StoredSnapshot, fence: Int)] = [:]
  private var snapshotBytes = 0
  package var isClosing = false
  /// Whether the committer has ended: nothing is told by it any more.
  package var isOver = false

  package init() {}

  // MARK: Adding

  /// Has something wait for the committer.
  ///
  /// - Returns: false once there is none any more.
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

  /// Has a snapshot wait until there is time, in place of the one of the case that waits already.
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

  /// How much waits.
  package var count: Int { jobs.count }

  /// What there is to do at once; nil where nothing is.
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

  /// Whether an append is the present writer's; the error where that one can write no more.
  package func isWriters(_ append: Append) -> Result<Bool, JournalError> {
    if let refusal = append.refusal { return .failure(refusal) }
    guard let writer = writers[append.id], writer.number == append.writer else {
      return .success(false)
    }
    return writer.isBroken ? .failure(AppendPosition.broken(append.id.text)) : .success(true)
  }

  /// Notes that a birth has been refused: whoever expected it writes nothing.
  package mutating func refuseBirth(_ append: Append) {
    if let writer = writers[append.id], writer.isExpecting, writer.number == append.writer {
      writers[append.id] = nil
    }
  }

  /// Notes that an append has its answer.
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

  /// The fence of a case's writer; 0 where it has none here.
  package func fence(of id: ExactText) -> Int { writers[id]?.fence ?? 0 }

  /// The number of what a case's writer added last, once none of it waits.
  package func settled(_ id: ExactText) -> Int? {
    guard let writer = writers[id] else { return 0 }
    return writer.pending == 0 ? writer.last : nil
  }

  /// Makes whoever asks the writer of a case, if nothing was added to it since.
  ///
  /// - Parameters:
  ///   - last: what was added last when it was looked at.
  ///   - fence: that under which the case was written last.
  /// - Returns: the new one.
  package mutating func activate(_ id: ExactText, since last: Int, fence: Int) -> Int? {
    guard settled(id) == last else { return nil }
    serial += 1
    let new = max(writers[id]?.fence ?? 0, fence) + 1
    writers[id] = Writer(number: serial, fence: new, last: serial)
    dropSnapshot(of: id)
    return new
  }
}
