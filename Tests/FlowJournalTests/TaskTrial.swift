import FlowCases
import FlowHosting
import FlowKernel
import LuaRuntime

@testable import FlowJournal

#if PostgreSQL
  import FlowPostgres
#endif

/// A journal of one kind with a table of tasks, as a test opens it.
///
/// A database goes by its own clock, so that no test moves the time: a lease of no length has ended at once, and a
/// deadline may have passed when the task is opened.
final class TaskTrial: Sendable {
  /// A server has to be there for the last one, as for `Trial`.
  enum Kind: CaseIterable, Sendable {
    case memory, shared, file, postgres

    static var allCases: [Kind] {
      Server.url == nil ? [.memory, .shared, .file] : [.memory, .shared, .file, .postgres]
    }
  }

  let store: any TaskStore
  /// The present time, in microseconds since 1970.
  let now: Int
  private let folder = Folder()

  init(_ kind: Kind) async throws {
    let now = EngineTime.wall()
    self.now = now
    let journal: any JournalStorage =
      switch kind {
      case .memory: MemoryJournal()
      case .shared: SharedMemoryJournal(shards: 16) { now }
      case .file: try SQLiteJournal(file: folder.file(), durability: .process)
      case .postgres: try Server.journal(Server.schema(), KeyAge(KeyAge.week))
      }
    guard let store = journal as? any TaskStore else {
      throw JournalError(.failed, "this journal has no table of tasks")
    }
    self.store = store
    _ = try await store.keep(JournaledFlow.trial)
  }

  /// Runs `body` with the rules of tasks, in a transaction.
  @discardableResult
  func tasks<Answer: Sendable>(
    _ body: @escaping @Sendable (TaskTable) throws -> Answer
  ) async throws -> Answer {
    try await store.withTasks(at: now) { (table: TaskTable) throws(JournalError) -> Answer in
      do {
        return try body(table)
      } catch let error as JournalError {
        throw error
      } catch {
        throw JournalError(.failed, "\(error)")
      }
    }
  }

  /// Returns a row; nil if there is none.
  func row(_ id: Int) async throws -> StoredTask? { try await tasks { try $0.rows.row(id) } }

  /// Returns the numbers of the rows that a query matches.
  func ids(_ query: TaskQuery = TaskQuery()) async throws -> [Int] {
    try await tasks { try $0.rows.list(query).map(\.id) }
  }

  /// Appends entries, and returns the kind of the refusal.
  @discardableResult
  func append(
    _ entries: JournalEntry..., to id: String, fence: Int = 1
  ) async -> JournalError.Kind? {
    await withCheckedContinuation { continuation in
      store.append(entries, to: id, fence: fence) { continuation.resume(returning: $0?.kind) }
    }
  }

  /// Creates a case whose first entry opens tasks, and returns their numbers.
  func open(_ tasks: OpenTask..., by id: String = "a") async throws -> [Int] {
    guard await append(.tasks(1, opens: tasks), to: id) == nil else {
      throw JournalError(.failed, "case \(id) could not be created")
    }
    return try await ids(TaskQuery(caseID: id))
  }

  /// Claims tasks of some queues.
  func claim(
    _ queues: String..., most: Int = 1, lease: Int = TaskTrial.hour, attempts: Int = 20,
    by worker: String = "one"
  ) async throws -> [StoredTask] {
    let rules = TaskClaim.Rules(lease: lease, attempts: attempts)
    let claim = TaskClaim(
      queues: queues, rules: ["root.mail": rules], most: most, worker: worker)
    return try await tasks { try $0.claim(claim) }
  }

  /// An hour, in microseconds.
  static let hour = 3_600_000_000

  /// Erases a case.
  ///
  /// - Returns: false if this kind of journal cannot.
  func erase(_ id: String) throws -> Bool {
    if let file = store as? SQLiteJournal {
      try file.erase(id)
      return true
    }
    #if PostgreSQL
      if let database = store as? PostgresJournal {
        try database.erase(id)
        return true
      }
    #endif
    return false
  }
}

extension TaskTrial {
  /// Returns a task of `root.mail` that was opened a second ago, or at another time.
  func task(
    _ call: String, try tryNumber: Int = 1, queue: String = "mail", kind: TaskKind = .worker,
    name: String = "mail", scopeKey: Value = .nil, arguments: Value = ["text": "hello"],
    isOnce: Bool = false, opened: Int = -1_000_000, deadline: Int? = nil
  ) -> OpenTask {
    OpenTask(
      call: call, tryNumber: tryNumber, effect: 1, position: "1", scope: "root",
      scopeKey: scopeKey, name: name, arguments: arguments, kind: kind, queue: queue,
      isOnce: isOnce, opened: now + opened,
      deadline: deadline.map { now + $0 })
  }
}

extension JournalEntry {
  /// An entry that closes and opens tasks.
  static func tasks(
    _ seq: Int, closes closed: [TaskChanges.Closed] = [], opens opened: [OpenTask] = [],
    ends: Bool = false, wall: Int = 1_000_000
  ) -> JournalEntry {
    JournalEntry(
      seq: seq, flow: 1, wall: wall, body: Array("entry \(seq)".utf8), revision: seq,
      hasEnded: ends, tasks: TaskChanges(closed: closed, opened: opened),
      birth: seq == 1 ? .init(time: 1_000_000, seed: 1) : nil)
  }
}

extension TaskChanges.Closed {
  /// A task whose effect has got the answer.
  static func answered(_ call: String, try tryNumber: Int = 1) -> Self {
    Self(call: call, tryNumber: tryNumber, isAnswered: true)
  }

  /// A task for whose answer nothing waits any more.
  static func cancelled(_ call: String, try tryNumber: Int = 1) -> Self {
    Self(call: call, tryNumber: tryNumber, isAnswered: false)
  }
}

extension TaskReply {
  /// The name of the reply, such as `done`.
  var name: String {
    switch self {
    case .done: "done"
    case .unknown: "unknown"
    case .leaseLost: "leaseLost"
    case .answered: "answered"
    case .closed: "closed"
    case .unheard: "unheard"
    }
  }

  /// The row of the reply.
  var row: StoredTask? {
    switch self {
    case .done(let row), .leaseLost(let row), .answered(let row), .closed(let row),
      .unheard(let row):
      row
    case .unknown: nil
    }
  }
}

extension TaskOutcome {
  /// A failure with this message.
  static func failed(_ message: String, isFinal: Bool = false) -> TaskOutcome {
    .failure(CallFailure(message: message, isFinal: isFinal))
  }
}
