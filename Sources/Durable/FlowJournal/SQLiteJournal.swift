import JournalRows
import Moonlatch
import Platform

/// A journal in a file: what it has acknowledged is there after the process was killed and after a power cut.
///
/// ```swift
/// let store = try SQLiteJournal(file: URL(filePath: "orders.journal"))
/// let orders = try await Cases(of: order, in: store)
/// try await orders["o-17"].dispatch("pay", ["cents": 250], key: "req-81")
/// ```
///
/// The file is a database of SQLite, with two more beside it while it is open (`-wal`, `-shm`) and one that says who
/// writes it (`-lock`): one store alone does, and a second one is refused at once. Whoever only reads uses
/// ``JournalReader``, at any time. Make copies with `backup(to:)`: a copy of the file alone lacks what `-wal` holds.
public final class SQLiteJournal: Journal {
  /// What an acknowledged entry survives.
  public enum Durability: Sendable {
    /// A power cut too: each commit waits for the disk.
    case full
    /// The end of the process, but no power cut: a commit waits for the system alone.
    case process
  }

  /// How long nobody waits, in milliseconds, until snapshots are kept and until the log is emptied; and how many
  /// pages the log may have until as much as possible is taken from it.
  package struct Timing: Sendable {
    let pause: Int
    let idle: Int
    let pages: Int

    package init(pause: Int = 5, idle: Int = 1_000, pages: Int = 1_000) {
      (self.pause, self.idle, self.pages) = (pause, idle, pages)
    }
  }

  /// The file.
  public let file: URL
  /// What an acknowledged entry survives.
  public let durability: Durability
  /// True: a thread of the journal's own writes.
  public var writesAtOnce: Bool { true }

  let path: String
  let keys: KeyAge
  let batchWriter: BatchWriter
  let reader: ReadSide
  private let flows: Monitor<[[ExactText]: Int]>

  /// Opens a journal, and makes an empty one where there is none.
  ///
  /// - Parameters:
  ///   - file: the journal.
  ///   - durability: what an acknowledged entry survives.
  ///   - keys: how long the keys of dispatches are kept: one that is given again later is for something new.
  ///   - allowsNetworkDisk: whether it may be on a disk of the network, where locks and writes cannot be
  ///     relied on in general.
  /// - Throws: `JournalError`: `locked`, where another store has it open, in this process or another; `unreadable`,
  ///   where the file is something else, or of a later Moonlatch; `unsafe`, where it could lose what it acknowledges.
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
    let lock = try LockFile(of: path)
    let connection = try Schema.open(path, durability)
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

  /// Keeps the texts of a flow.
  public func keep(_ flow: JournaledFlow) throws(JournalError) -> Int {
    let name = [ExactText(flow.name), ExactText(flow.hash)]
    if let number = flows.with({ $0[name] }) { return number }
    let batchWriter = batchWriter
    let number = try batchWriter.perform { (connection) throws(JournalError) in
      // Another may have come first.
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

  /// Becomes the writer of a case.
  public func activate(_ id: String) throws(JournalError) -> StoredCase? {
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

  /// Adds entries to a case.
  public func append(
    _ entries: [JournalEntry], to id: String, fence: Int,
    _ done: @escaping @Sendable (JournalError?) -> Void
  ) {
    let append = Line.Append(entries, to: id, fence: fence, done: done)
    if !batchWriter.line.with(waking: true, { $0.add(append, to: path) }) {
      done(AppendPosition.closed(path))
    }
  }

  /// Keeps a snapshot of a case, when nobody waits for anything else.
  public func keep(_ snapshot: StoredSnapshot, of id: String, fence: Int) {
    batchWriter.line.with(waking: true) { $0.add(snapshot, of: ExactText(id), fence: fence) }
  }

  /// Writes all that was acknowledged into a file of its own, which is a journal too, while this one is written.
  public func backup(to target: URL) throws(JournalError) {
    try JournalReader(file: file).backup(to: target)
  }

  /// Waits until all that was added is kept, and closes the file.
  public func close() throws(JournalError) { batchWriter.close() }

  // MARK: Reading

  private func read<T>(
    _ body: (CaseReads) throws(JournalError) -> T
  ) throws(JournalError) -> T {
    try reader.read(
      mend: { () throws(JournalError) in try batchWriter.perform { _ in } }, body)
  }

  /// The flow of a number.
  public func flow(_ number: Int) throws(JournalError) -> JournaledFlow? {
    try read { (reads) throws(JournalError) in
      try FlowRow.read(number, on: reads.connection)
    }
  }

  /// What was answered to a dispatch with a key.
  public func answer(to key: String, of id: String) throws(JournalError) -> KeyedAnswer? {
    try read { (reads) throws(JournalError) in try reads.answer(to: key, of: id, keys) }
  }

  /// Entries of a case in order.
  public func entries(
    of id: String, from seq: Int, limit: Int
  ) throws(JournalError) -> [JournalEntry] {
    try read { (reads) throws(JournalError) in
      try reads.entries(of: id, from: seq, limit: limit)
    }
  }

  /// Cases in order of id.
  public func cases(
    whose machine: (name: String, state: String)?, after id: String?, limit: Int
  ) throws(JournalError) -> [CaseSummary] {
    try read { (reads) throws(JournalError) in
      try reads.cases(whose: machine, after: id, limit: limit)
    }
  }

  /// What is known of one case.
  public func summary(of id: String) throws(JournalError) -> CaseSummary? {
    try read { (reads) throws(JournalError) in try reads.summary(of: id) }
  }

  /// The ids of cases that have something due.
  public func due(until time: Int, limit: Int) throws(JournalError) -> [String] {
    try read { (reads) throws(JournalError) in try reads.due(until: time, limit: limit) }
  }

  /// When the next case has something due that is later than a time.
  public func nextDue(after time: Int) throws(JournalError) -> Int? {
    try read { (reads) throws(JournalError) in try reads.nextDue(after: time) }
  }
}

extension SQLiteJournal: FlowListing {
  /// The numbers of all flows that are kept.
  package func flowNumbers() throws(JournalError) -> [Int] {
    try read { (reads) throws(JournalError) in try FlowRow.all(on: reads.connection) }
  }
}

extension SQLiteJournal: SnapshotReading {
  package func snapshot(of id: String, isNewest: Bool) throws(JournalError) -> StoredSnapshot? {
    try read { (reads) throws(JournalError) in try reads.snapshot(of: id, isNewest: isNewest) }
  }
}
