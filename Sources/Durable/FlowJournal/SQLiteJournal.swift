import FlowHosting
import FlowKernel
import JournalRows
import Platform

/// A journal in a file: what it has acknowledged is there after the process was killed and after a power cut.
///
/// ```swift
/// let store = try SQLiteJournal(file: URL(filePath: "orders.journal"))
/// let orders = try await Cases(of: order, in: store)
/// try await orders["o-17"].dispatch("pay", ["cents": 250], key: "req-81")
/// ```
///
/// The file is a database of SQLite, with two more beside it while it is open (`-wal`, `-shm`) and one that has the number
/// of the last commit (`-mark`). One store alone writes it: a second one is refused at once, also under another name of the
/// file, such as a hard link. Whoever only reads uses ``JournalReader``, at any time.
///
/// Make copies with `backup(to:)`, and put them back with `restore(_:to:replacing:)`: a copy of the file alone lacks what
/// `-wal` holds. A log of another file beside it, and one that was cut off or removed, are refused and named.
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
  /// As it was last read here; nobody else writes it.
  private let identity = Monitor<JournalIdentity?>(nil)

  /// Opens a journal, and makes an empty one where there is none.
  ///
  /// - Parameters:
  ///   - file: the journal.
  ///   - durability: what an acknowledged entry survives.
  ///   - keys: how long the keys of dispatches are kept: one that is given again later is for something new.
  ///   - allowsNetworkDisk: whether it may be on a disk of the network, where locks and writes cannot be
  ///     relied on in general.
  /// - Throws: `JournalError`: `locked`, where another store has it open, in this process or another; `unreadable`,
  ///   where the file is something else, or of a later Moonlatch; `unsafe`, where it could lose what it acknowledges;
  ///   `damaged`, where the log beside it is another's, or commits are missing that were acknowledged.
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
  public func identify(as flow: String, adopting: Bool) throws(JournalError) -> JournalIdentity {
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

  /// Puts a backup in the place of a journal that nobody has open, or makes a journal of it.
  ///
  /// The file is there as a whole or not at all, also after a power cut; what lies beside the old one goes with it.
  ///
  /// - Parameters:
  ///   - backup: what `backup(to:)` has written.
  ///   - target: the journal.
  ///   - replacing: whether a file goes that is not the same journal, or cannot be read.
  /// - Throws: `JournalError`: `locked`, if somebody writes the journal; `damaged`, if the backup is not whole; `otherFlow`,
  ///   if another journal is there.
  public static func restore(
    _ backup: URL, to target: URL, replacing: Bool = false
  ) throws(JournalError) {
    try Restoration.run(backup, target, replacing: replacing)
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
  package func livingCases() throws(JournalError) -> [LivingCases] {
    try read { (reads) throws(JournalError) in try reads.livingCases() }
  }

  package func snapshot(of id: String, isNewest: Bool) throws(JournalError) -> StoredSnapshot? {
    try read { (reads) throws(JournalError) in try reads.snapshot(of: id, isNewest: isNewest) }
  }
}
