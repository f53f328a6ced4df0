import FlowHosting
import FlowKernel
import JournalRows
import Platform

/// A journal in a file: acknowledged entries survive a killed process and a loss of power.
///
/// ```swift
/// let store = try SQLiteJournal(file: URL(filePath: "orders.journal"))
/// let orders = try await Cases(of: order, in: store)
/// try await orders["o-17"].dispatch("pay", ["cents": 250], key: "req-81")
/// ```
///
/// The file is a database of SQLite. While it is open there are two more files beside it (`-wal`, `-shm`),
/// and one with the number of the last commit (`-mark`). Only one `SQLiteJournal` may have it open: a second
/// one is refused at once, also under another name of the file, such as a hard link. To read only, use
/// ``JournalReader``, at any time.
///
/// Make copies with `backup(to:)`, and restore them with `restore(_:to:replacing:)`: a copy of the file alone
/// lacks the contents of `-wal`. A log that belongs to another file, was truncated or removed is detected and
/// reported.
public final class SQLiteJournal: Journal, JournalStorage {
  /// The failures that an acknowledged entry survives.
  public enum Durability: Sendable {
    /// Entries survive a loss of power: each commit is synced to the disk.
    case full
    /// Entries survive the end of the process, but not a loss of power: a commit is not synced.
    case process
  }

  /// The times without waiting appends after which snapshots are stored and the log is emptied, in
  /// milliseconds, and the number of pages in the log that triggers a checkpoint.
  package struct Timing: Sendable {
    let pause: Int
    let idle: Int
    let pages: Int

    package init(pause: Int = 5, idle: Int = 1_000, pages: Int = 1_000) {
      (self.pause, self.idle, self.pages) = (pause, idle, pages)
    }
  }

  /// The journal's file.
  public let file: URL
  /// The failures that an acknowledged entry survives.
  public let durability: Durability
  /// True: writes are made on a thread of the journal's own.
  package var writesAtOnce: Bool { true }

  let path: String
  let keys: KeyAge
  let batchWriter: BatchWriter
  let reader: ReadSide
  private let flows: Monitor<[[ExactText]: Int]>
  /// The identity as it was last read here; no other process writes it.
  private let identity = Monitor<JournalIdentity?>(nil)

  /// Opens a journal, and creates an empty one if there is none.
  ///
  /// - Parameters:
  ///   - file: the journal's file.
  ///   - durability: the failures that an acknowledged entry survives.
  ///   - keys: how long the keys of dispatches are kept; an expired key may be used again.
  ///   - allowsNetworkDisk: true to allow a network file system, whose locks and writes cannot be relied on in general.
  /// - Throws: `JournalError`: `locked` if another `SQLiteJournal` has it open, in this process or another;
  ///   `unreadable` if the file is not a journal, or is one of a later Moonlatch; `unsafe` if acknowledged
  ///   entries could be lost; `damaged` if the log beside it belongs to another file, or acknowledged commits
  ///   are missing.
  public convenience init(
    file: URL, durability: Durability = .full,
    keepingKeys keys: Duration = .seconds(7 * 24 * 3_600),
    allowsNetworkDisk: Bool = false
  ) throws(JournalError) {
    try self.init(
      file: file, durability: durability, allowsNetworkDisk: allowsNetworkDisk, pace: .init(),
      keys: KeyAge(keys))
  }

  package init(
    file: URL, durability: Durability, allowsNetworkDisk: Bool = false, pace: Timing,
    keys: KeyAge = KeyAge(KeyAge.week)
  ) throws(JournalError) {
    let path = try JournalLocation.resolve(file)
    if !allowsNetworkDisk { try JournalLocation.check(path) }
    let lock = try DatabaseFiles.lock(path)
    let connection = try Schema.open(path, durability)
    lock.sign()
    let known = try FlowRow.numbers(on: connection)
    (self.file, self.durability, self.path) = (file, durability, path)
    self.keys = keys
    flows = Monitor(known)
    reader = ReadSide(path: path)
    batchWriter = BatchWriter(
      connection, lock: lock, flows: Set(known.values), reader: reader, pace: pace,
      keys: keys
    ) { () throws(JournalError) in try Schema.open(path, durability) }
    try batchWriter.start()
  }

  deinit { batchWriter.close() }

  // MARK: Writing

  /// Claims the journal for a flow.
  package func identify(as flow: String, adopting: Bool) throws(JournalError) -> JournalIdentity {
    if let known = identity.with({ $0 }), known.flow.map(ExactText.init) == ExactText(flow) {
      return known
    }
    let found = try batchWriter.perform { (connection) throws(JournalError) in
      try connection.writing { () throws(JournalError) in
        try JournalRow.claim(as: flow, adopting: adopting, on: connection)
      }
    }
    identity.with { $0 = found }
    return found
  }

  /// Stores the texts of a flow.
  package func keep(_ flow: JournaledFlow) throws(JournalError) -> Int {
    let name = [ExactText(flow.name), ExactText(flow.hash)]
    if let number = flows.with({ $0[name] }) { return number }
    let batchWriter = batchWriter
    let number = try batchWriter.perform { (connection) throws(JournalError) in
      // Another thread may have stored it meanwhile.
      if let number = try FlowRow.numbers(on: connection)[name] { return number }
      let number = try connection.writing { () throws(JournalError) in
        try FlowRow.insert(flow, on: connection) ?? 0
      }
      batchWriter.knows(flow: number)
      return number
    }
    flows.with { $0[name] = number }
    return number
  }

  /// Makes the caller the writer of a case.
  package func activate(_ id: String) throws(JournalError) -> StoredCase? {
    let name = ExactText(id)
    while true {
      let last = batchWriter.line.wait { $0.settled(name) }
      guard let found = try read({ (reads) throws(JournalError) in try reads.find(id) })
      else { return nil }
      let fence = batchWriter.line.with {
        $0.activate(name, since: last, fence: found.row.fence)
      }
      guard let fence else { continue }  // something was added while it was read
      return found.stored(fence: fence)
    }
  }

  /// Appends entries to a case.
  package func append(
    _ entries: [JournalEntry], to id: String, fence: Int,
    _ done: @escaping @Sendable (JournalError?) -> Void
  ) {
    let append = Line.Append(entries, to: id, fence: fence, done: done)
    if !batchWriter.line.with(waking: true, { $0.add(append, to: path) }) {
      done(AppendPosition.closed(path))
    }
  }

  /// Stores a snapshot of a case, when no append waits.
  package func keep(_ snapshot: StoredSnapshot, of id: String, fence: Int) {
    batchWriter.line.with(waking: true) { $0.add(snapshot, of: ExactText(id), fence: fence) }
  }

  /// Writes all that was acknowledged into a new file, which is a journal, too; this one may be written meanwhile.
  ///
  /// - Throws: `JournalError` if the file exists already, or cannot be written.
  public func backup(to target: URL) throws(JournalError) {
    try JournalReader(file: file).backup(to: target)
  }

  /// Replaces a journal that nobody has open by a backup, or makes a new journal of it.
  ///
  /// The replacement is atomic, also at a loss of power; the files beside the old journal are removed.
  ///
  /// - Parameters:
  ///   - backup: a file that `backup(to:)` has written.
  ///   - target: the journal's file.
  ///   - replacing: true to replace a file that is another journal, or cannot be read.
  /// - Throws: `JournalError`: `locked` if the journal is open for writing; `damaged` if the backup has a
  ///   fault; `otherFlow` if another journal is there.
  public static func restore(
    _ backup: URL, to target: URL, replacing: Bool = false
  ) throws(JournalError) {
    try Restoration.run(backup, target, replacing: replacing)
  }

  /// Waits until all appended entries are stored, and closes the file.
  public func close() throws(JournalError) { batchWriter.close() }

  // MARK: Reading

  func read<T>(
    _ body: (CaseReads) throws(JournalError) -> T
  ) throws(JournalError) -> T {
    try reader.read(
      mend: { () throws(JournalError) in try batchWriter.perform { _ in } }, body)
  }

  /// Returns the flow with a number.
  package func flow(_ number: Int) throws(JournalError) -> JournaledFlow? {
    try read { (reads) throws(JournalError) in
      try FlowRow.read(number, on: reads.connection)
    }
  }

  /// Returns the stored answer to a dispatch with a key.
  package func answer(to key: String, of id: String) throws(JournalError) -> KeyedAnswer? {
    try read { (reads) throws(JournalError) in try reads.answer(to: key, of: id, keys) }
  }

  /// Returns entries of a case in order.
  package func entries(
    of id: String, from seq: Int, limit: Int
  ) throws(JournalError) -> [JournalEntry] {
    try read { (reads) throws(JournalError) in
      try reads.entries(of: id, from: seq, limit: limit)
    }
  }

  /// Returns cases in order of id.
  package func cases(
    whose machine: (name: String, state: String)?, after id: String?, limit: Int
  ) throws(JournalError) -> [CaseSummary] {
    try read { (reads) throws(JournalError) in
      try reads.cases(whose: machine, after: id, limit: limit)
    }
  }

  /// Returns the summary of a case.
  package func summary(of id: String) throws(JournalError) -> CaseSummary? {
    try read { (reads) throws(JournalError) in try reads.summary(of: id) }
  }

  /// Returns the ids of cases that have something due.
  package func due(until time: Int, limit: Int) throws(JournalError) -> [String] {
    try read { (reads) throws(JournalError) in try reads.due(until: time, limit: limit) }
  }

  /// Returns the earliest time after `time` at which a case has something due, in microseconds since 1970.
  package func nextDue(after time: Int) throws(JournalError) -> Int? {
    try read { (reads) throws(JournalError) in try reads.nextDue(after: time) }
  }
}

extension SQLiteJournal: FlowListing {
  /// Returns the numbers of all stored flows.
  package func flowNumbers() throws(JournalError) -> [Int] {
    try read { (reads) throws(JournalError) in try FlowRow.all(on: reads.connection) }
  }
}

extension SQLiteJournal: SnapshotReading {
  package func livingCases() throws(JournalError) -> [LivingCases] {
    try read { (reads) throws(JournalError) in try reads.livingCases() }
  }

  package func snapshot(of id: String, isNewest: Bool) throws(JournalError) -> StoredSnapshot? {
    try read { (reads) throws(JournalError) in try reads.snapshot(of: id, isNewest: isNewest) }
  }
}
