import FlowKernel
import FlowLanguage

/// Where cases are kept: each a flow's state with all that belongs to it, under an id, as a record of what happened
/// to it.
///
/// A *case* is one life of a flow. Whoever has it *activated* is its only writer: each activation takes a new
/// *fence*, and an append under an older one is refused, so that a process that was thought dead writes nothing any
/// more. Within an activation entries are numbered without a gap, by `seq`.
///
/// Reads and activations may block: `Cases` and hosts call them on threads kept for that, 16 calls of a journal at once,
/// and give up after 30 s. A plain function can stand for an `async` one. Writes return at once, and report later, in
/// the order of the calls, whether the entries are where no power cut takes them from. `SQLiteJournal` keeps them in a
/// file, `MemoryJournal` until the process ends.
public protocol Journal: AnyObject, Sendable {
  /// True if `append` and `keep` of a snapshot never wait for anything.
  ///
  /// Then they are called by whichever thread has made the entries, and else on threads of the journal's own; false
  /// if nothing is said.
  var writesAtOnce: Bool { get }

  /// Claims the journal for a flow, and says which journal it is.
  ///
  /// The first flow that claims a journal owns it. A host does so before it activates a case.
  ///
  /// - Parameters:
  ///   - flow: the name of the flow, as `flow_name` declares it; or else the stem of its file.
  ///   - adopting: whether the journal is taken over from a flow of another name, which is remembered.
  /// - Throws: `JournalError`: `otherFlow`, if a flow of another name owns it.
  func identify(as flow: String, adopting: Bool) async throws(JournalError) -> JournalIdentity

  /// Keeps the texts of a flow, so that entries can be read as long as they are there.
  ///
  /// - Returns: the number by which entries name it: the same for the same name and hash.
  func keep(_ flow: JournaledFlow) async throws(JournalError) -> Int

  /// The flow of a number.
  func flow(_ number: Int) async throws(JournalError) -> JournaledFlow?

  /// Becomes the writer of a case, whoever was it before.
  ///
  /// - Returns: what is known of the case; nil where none of that id was ever born.
  /// - Throws: `JournalError`, where what is kept cannot be read: nobody has been put out then.
  func activate(_ id: String) async throws(JournalError) -> StoredCase?

  /// Adds entries to a case, all of them or none, behind everything that was added before; a birth, where the first
  /// one has `seq` 1: its fence becomes the case's.
  ///
  /// Once entries could not be kept, those that their writer adds behind them are refused too, until the case is
  /// activated again.
  ///
  /// - Parameters:
  ///   - entries: what has happened, in order.
  ///   - id: the case's id.
  ///   - fence: the right to write that its activation has given; 1 for a birth.
  ///   - done: called once, on any thread, within `append` or after it, with what has become of them; those of one
  ///     case in order. It must not wait for the journal.
  func append(
    _ entries: [JournalEntry], to id: String, fence: Int,
    _ done: @escaping @Sendable (JournalError?) -> Void)

  /// Keeps a snapshot, when there is time: it is a cache of what the entries say, and may be lost. It is not taken
  /// from one who writes the case no more.
  func keep(_ snapshot: StoredSnapshot, of id: String, fence: Int)

  /// What was answered to a dispatch that had that key; nil where none passed, or so long ago that the key is
  /// forgotten: then it can be given again.
  func answer(to key: String, of id: String) async throws(JournalError) -> KeyedAnswer?

  /// Entries of a case in order, beginning with a number; no more than so many.
  ///
  /// They have what they are read by: `due`, `machines`, `hasEnded`, `answers` and `birth` are told by `summary`,
  /// `answer` and `activate` alone. The `body` of one that was erased is empty.
  func entries(of id: String, from seq: Int, limit: Int) async throws(JournalError)
    -> [JournalEntry]

  /// Cases in order of id, behind one and no more than so many: all, or those of which a machine is in a state.
  func cases(
    whose machine: (name: String, state: String)?, after id: String?, limit: Int
  ) async throws(JournalError) -> [CaseSummary]

  /// What is known of one case.
  func summary(of id: String) async throws(JournalError) -> CaseSummary?

  /// The ids of cases that have something due up to a time, the earliest first; no more than so many.
  func due(until time: Int, limit: Int) async throws(JournalError) -> [String]

  /// When the next case has something due that is later than a time, in microseconds since 1970.
  func nextDue(after time: Int) async throws(JournalError) -> Int?

  /// Waits until all that was added is kept, and lets go of what is open; nothing can be added any more.
  func close() async throws(JournalError)
}

extension Journal {
  /// False: writes are made on threads of the journal's own.
  public var writesAtOnce: Bool { false }
}

/// The texts of a flow, as a journal keeps them.
public struct JournaledFlow: Sendable, Hashable {
  /// A file of it.
  public struct Text: Sendable, Hashable {
    /// What messages call the file.
    public let name: String
    /// All of it.
    public let text: String

    /// The text of a file.
    public init(name: String, text: String) { (self.name, self.text) = (name, text) }
  }

  /// What messages call the flow's file.
  public let name: String
  /// What tells its texts from others: the same texts have the same.
  public let hash: String
  /// Which version of the flow it is, as `version(n)` says.
  public let version: Int
  /// The flow's file, and the modules that it requires.
  public let texts: [Text]

  /// Whether it is an SCXML document.
  package var isDocument: Bool { name.hasSuffix(FlowFile.suffixOfDocuments) }

  /// A flow's texts.
  public init(name: String, hash: String, version: Int, texts: [Text]) {
    (self.name, self.hash, self.version, self.texts) = (name, hash, version, texts)
  }
}

/// One entry of a case: a turn, or all that the case is at once.
public struct JournalEntry: Sendable, Hashable {
  /// The number of the entry in its case, from 1 on, without a gap.
  public let seq: Int
  /// The flow that was at work, as the journal numbers it.
  public let flow: Int
  /// When it was written, by the wall clock, in microseconds since 1970.
  public let wall: Int
  /// What happened, as Moonlatch encodes it.
  public let body: [UInt8]
  /// The case's revision after it.
  public let revision: Int
  /// When the case has something due next, in microseconds since 1970; nil where nothing is.
  public let due: Int?
  /// Where the machines stand after it, each with its active states, if that has changed.
  public let machines: [String: [String]]?
  /// Whether the case has ended with it.
  public let hasEnded: Bool
  /// The answers that are kept for those who ask again.
  public let answers: [KeyedAnswer]
  /// The birth, for the first one.
  public let birth: Birth?

  /// How a case came into being.
  public struct Birth: Sendable, Hashable {
    /// When, by the wall clock, in microseconds since 1970.
    public let time: Int
    /// The seed of its random numbers.
    public let seed: UInt64

    /// A birth.
    public init(time: Int, seed: UInt64) { (self.time, self.seed) = (time, seed) }
  }

  /// An entry.
  public init(
    seq: Int, flow: Int, wall: Int, body: [UInt8], revision: Int, due: Int? = nil,
    machines: [String: [String]]? = nil, hasEnded: Bool = false, answers: [KeyedAnswer] = [],
    birth: Birth? = nil
  ) {
    (self.seq, self.flow, self.wall, self.body) = (seq, flow, wall, body)
    (self.revision, self.due, self.machines) = (revision, due, machines)
    (self.hasEnded, self.answers, self.birth) = (hasEnded, answers, birth)
  }
}

/// What was answered to a dispatch with a key: only what has passed is kept.
public struct KeyedAnswer: Sendable, Hashable {
  /// The key, as whoever dispatched chose it.
  public let key: String
  /// The SHA-256 digest of the action and the payload, which tells the dispatch from others.
  public let request: [UInt8]
  /// The revision to which it led.
  public let revision: Int

  /// An answer.
  public init(key: String, request: [UInt8], revision: Int) {
    (self.key, self.request, self.revision) = (key, request, revision)
  }
}

/// All that a case is after an entry.
public struct StoredSnapshot: Sendable, Hashable {
  /// The number of the entry after which it was taken.
  public let seq: Int
  /// The flow that was at work, as the journal numbers it.
  public let flow: Int
  /// What is there, as Moonlatch encodes it.
  public let body: [UInt8]

  /// A snapshot.
  public init(seq: Int, flow: Int, body: [UInt8]) {
    (self.seq, self.flow, self.body) = (seq, flow, body)
  }
}

/// What a journal gives to whoever activates a case.
public struct StoredCase: Sendable {
  /// The right to write: each activation has a higher one.
  public let fence: Int
  /// How it came into being.
  public let birth: JournalEntry.Birth
  /// The newest snapshot that can be read; none where entry 1 is the beginning.
  public let snapshot: StoredSnapshot?
  /// The entries behind the snapshot, in order, or all of them; none of a case that was erased, or that ended so long
  /// ago that they were dropped.
  public let entries: [JournalEntry]
  /// When it has ended, if it has, in microseconds since 1970.
  public let ended: Int?

  /// What is known of a case.
  public init(
    fence: Int, birth: JournalEntry.Birth, snapshot: StoredSnapshot?, entries: [JournalEntry],
    ended: Int? = nil
  ) {
    (self.fence, self.birth, self.snapshot) = (fence, birth, snapshot)
    (self.entries, self.ended) = (entries, ended)
  }
}

/// What a list tells of a case.
public struct CaseSummary: Sendable, Hashable {
  /// The case's id.
  public let id: String
  /// The number of its last entry.
  public let seq: Int
  /// Its revision.
  public let revision: Int
  /// The flow that was at work in its last entry, as the journal numbers it.
  public let flow: Int
  /// When it was born, in microseconds since 1970.
  public let born: Int
  /// When its last entry was written, in microseconds since 1970.
  public let wall: Int
  /// When it has something due next, in microseconds since 1970.
  public let due: Int?
  /// Where its machines stand, each with its active states.
  public let machines: [String: [String]]
  /// When it has ended, if it has, in microseconds since 1970.
  public let ended: Int?

  /// A case's row.
  public init(
    id: String, seq: Int, revision: Int, flow: Int, born: Int, wall: Int, due: Int?,
    machines: [String: [String]], ended: Int?
  ) {
    (self.id, self.seq, self.revision, self.flow) = (id, seq, revision, flow)
    (self.born, self.wall, self.due) = (born, wall, due)
    (self.machines, self.ended) = (machines, ended)
  }
}
