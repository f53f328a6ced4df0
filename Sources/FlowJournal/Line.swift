import Moonlatch

/// What waits for the committer, and who may write what.
struct Line {
  struct Append {
    let entries: [JournalEntry]
    let id: ExactText
    let fence: Int
    let done: @Sendable (JournalError?) -> Void
    var isBirth: Bool { entries.first?.seq == 1 }
    var bytes: Int { entries.reduce(0) { $0 + $1.body.count } }
  }

  /// Something else than appends, done by itself.
  struct Work {
    let body: @Sendable (Connection) throws(JournalError) -> Void
    let done: @Sendable (JournalError?) -> Void
  }

  /// Who writes a case in this process.
  struct Writer {
    var fence: Int
    /// Appends that have not been answered.
    var pending = 0
    /// How many appends were ever taken.
    var taken = 0
    /// Whether something of the writer's could not be kept.
    var isBroken = false
    /// Whether it has given birth to the case, and that is not yet kept.
    var isExpecting = false
  }

  /// What the committer does next.
  enum Step {
    case commit([Append])
    case perform(Work)
    case keep([(id: ExactText, snapshot: StoredSnapshot)])
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
  private var bytes = 0
  private var writers: [ExactText: Writer] = [:]
  private var snapshots: [ExactText: (snapshot: StoredSnapshot, fence: Int)] = [:]
  private var snapshotBytes = 0
  var isClosing = false
  var isOver = false

  // MARK: Adding

  /// Has something wait for the committer; what cannot is given back with the reason.
  mutating func add(_ append: Append, to journal: String) -> JournalError? {
    if isClosing { return CaseHead.closed(journal) }
    if bytes + append.bytes > Self.mostWaiting {
      return JournalError(
        .failed, "\(journal): \(bytes >> 20) MiB wait to be written: dispatch more slowly.")
    }
    if append.isBirth && writers[append.id]?.isBroken ?? true {
      writers[append.id] = Writer(fence: append.fence, isExpecting: true)
    }
    writers[append.id]?.pending += 1
    writers[append.id]?.taken += 1
    bytes += append.bytes
    jobs.append(.append(append))
    return nil
  }

  mutating func add(_ work: Work, to journal: String) -> JournalError? {
    if isClosing { return CaseHead.closed(journal) }
    jobs.append(.work(work))
    return nil
  }

  /// Has a snapshot wait until there is time, in place of the one of the case that waits already.
  mutating func add(_ snapshot: StoredSnapshot, of id: ExactText, fence: Int) {
    guard !isClosing, writers[id]?.fence == fence, writers[id]?.isBroken == false else { return }
    dropSnapshot(of: id)
    snapshots[id] = (snapshot, fence)
    snapshotBytes += snapshot.body.count
  }

  private mutating func dropSnapshot(of id: ExactText) {
    if let old = snapshots.removeValue(forKey: id) { snapshotBytes -= old.snapshot.body.count }
  }

  // MARK: Taking

  /// What there is to do at once; nil where nothing is.
  mutating func next(takesSnapshots: Bool) -> Step? {
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
    return .commit(taken)
  }

  private mutating func takeSnapshots() -> Step {
    let taken = snapshots.compactMap { id, waiting in
      writers[id]?.fence == waiting.fence ? (id: id, snapshot: waiting.snapshot) : nil
    }
    (snapshots, snapshotBytes) = ([:], 0)
    return .keep(taken)
  }

  // MARK: Writers

  /// Whether an append is the present writer's; the error where that one can write no more.
  func isWriters(_ append: Append) -> Result<Bool, JournalError> {
    guard let writer = writers[append.id], writer.fence == append.fence else {
      return .success(false)
    }
    return writer.isBroken ? .failure(CaseHead.broken(append.id.text)) : .success(true)
  }

  /// Notes that a birth has been refused: whoever expected it writes nothing.
  mutating func refuseBirth(_ append: Append) {
    if let writer = writers[append.id], writer.isExpecting, writer.fence == append.fence {
      writers[append.id] = nil
    }
  }

  /// Notes that an append has its answer.
  mutating func finish(_ append: Append, isKept: Bool, isBroken: Bool) {
    writers[append.id]?.pending -= 1
    guard writers[append.id]?.fence == append.fence else { return }
    if isKept { writers[append.id]?.isExpecting = false }
    if isBroken {
      writers[append.id]?.isBroken = true
      dropSnapshot(of: append.id)
    }
  }

  /// How many appends of a case were ever taken, once none of them waits.
  func settled(_ id: ExactText) -> Int? {
    guard let writer = writers[id] else { return 0 }
    return writer.pending == 0 ? writer.taken : nil
  }

  /// Makes whoever asks the writer of a case, if nothing was added to it since so many appends.
  ///
  /// - Parameter fence: that under which the case was written last.
  /// - Returns: the new one.
  mutating func activate(_ id: ExactText, since taken: Int, fence: Int) -> Int? {
    let writer = writers[id]
    guard (writer?.taken ?? 0) == taken else { return nil }
    let new = max(writer?.fence ?? 0, fence) + 1
    writers[id] = Writer(fence: new, taken: taken)
    dropSnapshot(of: id)
    return new
  }
}
