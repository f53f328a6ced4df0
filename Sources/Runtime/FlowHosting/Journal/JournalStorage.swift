import FlowKernel

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
