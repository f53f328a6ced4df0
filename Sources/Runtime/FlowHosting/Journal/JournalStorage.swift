import FlowKernel
import FlowLanguage

/// The requirements of a journal: for each case of a flow an append-only log of its entries, under an id.
///
/// A *case* is one durable instance of a flow. Only the process that has *activated* a case may write to it:
/// each activation takes a new *fence*, and an append under an older fence is refused, so that a process that
/// was taken for dead cannot write any more. The entries of a case are numbered by `seq`, without a gap.
///
/// Reads and activations may block: `Cases` and hosts call them on threads of their own, 16 calls of a
/// journal at once, and give up after 30 s. A synchronous function can implement an `async` requirement.
/// Writes return at once, and later report, in the order of the calls, whether the entries are durable: safe
/// from a loss of power. `SQLiteJournal` stores them in a file, `MemoryJournal` in memory until the process
/// ends.
package protocol JournalStorage: Journal {
  /// True if `append` and `keep` of a snapshot never block.
  ///
  /// If so, they are called on the thread that has made the entries, otherwise on threads kept for the
  /// journal. False by default.
  var writesAtOnce: Bool { get }

  /// Claims the journal for a flow, and returns the journal's identity.
  ///
  /// The first flow that claims a journal owns it. A host claims it before it activates a case.
  ///
  /// - Parameters:
  ///   - flow: the name of the flow: the one that `flow_name` declares, or else the stem of its file.
  ///   - adopting: true to take the journal over from a flow of another name, which the journal then remembers.
  /// - Throws: `JournalError` of kind `otherFlow` if a flow of another name owns the journal.
  func identify(as flow: String, adopting: Bool) async throws(JournalError) -> JournalIdentity

  /// Stores the texts of a flow, so that its entries can be read for as long as they exist.
  ///
  /// - Returns: the number by which entries refer to the flow; it is the same for the same name and hash.
  func keep(_ flow: JournaledFlow) async throws(JournalError) -> Int

  /// Returns the flow with a number, or nil if there is none.
  func flow(_ number: Int) async throws(JournalError) -> JournaledFlow?

  /// Makes the caller the writer of a case, in place of any other writer.
  ///
  /// - Returns: the stored case with its new fence; nil if no case with that id was ever born.
  /// - Throws: `JournalError` if the case cannot be read; the present writer then keeps its fence.
  func activate(_ id: String) async throws(JournalError) -> StoredCase?

  /// Appends entries to a case behind all earlier ones: either all of them or none.
  ///
  /// If the first entry has `seq` 1, this is the birth of the case, and `fence` becomes the case's fence.
  ///
  /// Once an append has failed, later appends of the same writer are refused too, until the case is activated again.
  ///
  /// - Parameters:
  ///   - entries: the entries, in order.
  ///   - id: the case's id.
  ///   - fence: the fence that the activation returned; 1 for a birth.
  ///   - done: called once with the result, on any thread, during `append` or after it; for the appends to
  ///     one case in order. It must not wait for the journal.
  func append(
    _ entries: [JournalEntry], to id: String, fence: Int,
    _ done: @escaping @Sendable (JournalError?) -> Void)

  /// Stores a snapshot, when there is time.
  ///
  /// A snapshot is a cache of the entries before it, and may be lost. It is ignored if `fence` is not the case's fence.
  func keep(_ snapshot: StoredSnapshot, of id: String, fence: Int)

  /// Returns the stored answer to a dispatch with a key.
  ///
  /// - Returns: nil if no dispatch with that key has passed, or the key has expired; an expired key may be used again.
  func answer(to key: String, of id: String) async throws(JournalError) -> KeyedAnswer?

  /// Returns up to `limit` entries of a case in order, beginning with number `seq`.
  ///
  /// The entries have only the properties that are needed to read them: `due`, `machines`, `hasEnded`,
  /// `answers`, `tasks` and `birth` are available from `summary`, `answer` and `activate` alone. The `body` of an
  /// erased entry is empty.
  func entries(of id: String, from seq: Int, limit: Int) async throws(JournalError)
    -> [JournalEntry]

  /// Returns up to `limit` cases behind an id, in order of id: all, or only those of which a machine is in a state.
  func cases(
    whose machine: (name: String, state: String)?, after id: String?, limit: Int
  ) async throws(JournalError) -> [CaseSummary]

  /// Returns the summary of a case, or nil if there is none.
  func summary(of id: String) async throws(JournalError) -> CaseSummary?

  /// Returns the ids of up to `limit` cases that have something due until a time, the earliest first.
  ///
  /// - Parameter time: in microseconds since 1970.
  func due(until time: Int, limit: Int) async throws(JournalError) -> [String]

  /// Returns the earliest time after `time` at which a case has something due, in microseconds since 1970.
  ///
  /// - Returns: nil if nothing is due later.
  func nextDue(after time: Int) async throws(JournalError) -> Int?
}

extension JournalStorage {
  /// False: writes are made on threads kept for the journal.
  package var writesAtOnce: Bool { false }
}

/// The texts of a flow, as a journal stores them.
package struct JournaledFlow: Sendable, Hashable {
  /// A file of a flow.
  package struct Text: Sendable, Hashable {
    /// The name of the file, as messages show it.
    package let name: String
    /// The text of the file.
    package let text: String

    /// Makes the text of a file.
    package init(name: String, text: String) { (self.name, self.text) = (name, text) }
  }

  /// The name of the flow's file, as messages show it.
  package let name: String
  /// The hash of the texts; equal texts have the same.
  package let hash: String
  /// The version of the flow, as `version(n)` declares it.
  package let version: Int
  /// The texts of the flow's file and of the modules that it requires.
  package let texts: [Text]

  /// True if the flow is an SCXML document.
  package var isDocument: Bool { name.hasSuffix(FlowFile.suffixOfDocuments) }

  /// Makes the texts of a flow.
  package init(name: String, hash: String, version: Int, texts: [Text]) {
    (self.name, self.hash, self.version, self.texts) = (name, hash, version, texts)
  }
}

/// The stored answer to a passed dispatch with a key.
package struct KeyedAnswer: Sendable, Hashable {
  /// The key, as the caller of the dispatch chose it.
  package let key: String
  /// The SHA-256 digest of the action and the payload, by which a repeated dispatch is recognized.
  package let request: [UInt8]
  /// The revision of the commit.
  package let revision: Int

  /// Makes an answer.
  package init(key: String, request: [UInt8], revision: Int) {
    (self.key, self.request, self.revision) = (key, request, revision)
  }
}

/// An image of a case after one of its entries.
package struct StoredSnapshot: Sendable, Hashable {
  /// The number of the entry after which it was taken.
  package let seq: Int
  /// The number of the flow that ran, in the journal.
  package let flow: Int
  /// The content of the snapshot, in Moonlatch's encoding.
  package let body: [UInt8]

  /// Makes a snapshot.
  package init(seq: Int, flow: Int, body: [UInt8]) {
    (self.seq, self.flow, self.body) = (seq, flow, body)
  }
}

/// A case as a journal returns it to its new writer.
package struct StoredCase: Sendable {
  /// The fence of this activation, which is higher than that of each earlier one.
  package let fence: Int
  /// The birth of the case.
  package let birth: JournalEntry.Birth
  /// The newest snapshot that can be read; nil if the case has to be read from entry 1 on.
  package let snapshot: StoredSnapshot?
  /// The entries behind the snapshot, in order, or all entries if there is none; empty if the case was
  /// erased, or ended so long ago that its entries were dropped.
  package let entries: [JournalEntry]
  /// The time at which the case ended, in microseconds since 1970; nil if it has not ended.
  package let ended: Int?
  /// The open tasks of the case, as their rows say; nil if the journal has no table of tasks.
  package let tasks: StoredTasks?

  /// Makes a stored case.
  package init(
    fence: Int, birth: JournalEntry.Birth, snapshot: StoredSnapshot?, entries: [JournalEntry],
    ended: Int? = nil
  ) {
    self.init(
      fence: fence, birth: birth, snapshot: snapshot, entries: entries, ended: ended, tasks: nil)
  }

  /// Makes a stored case of a journal with a table of tasks.
  package init(
    fence: Int, birth: JournalEntry.Birth, snapshot: StoredSnapshot?, entries: [JournalEntry],
    ended: Int? = nil, tasks: StoredTasks?
  ) {
    (self.fence, self.birth, self.snapshot) = (fence, birth, snapshot)
    (self.entries, self.ended, self.tasks) = (entries, ended, tasks)
  }
}
