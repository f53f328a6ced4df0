import FlowHosting
import FlowKernel
import JournalRows
import Platform
import Testing

@testable import FlowJournal

#if PostgreSQL
  import FlowPostgres
#endif

/// A temporary folder of one test.
final class Folder: Sendable {
  let path: String

  init() {
    var name = Array((FileManager.default.temporaryDirectory.path + "/journal.XXXXXX").utf8CString)
    path = mkdtemp(&name).map { String(cString: $0) } ?? "/nonexistent"
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func file(_ name: String = "a.journal") -> URL { URL(fileURLWithPath: "\(path)/\(name)") }
}

/// Returns the error that a body throws, or nil.
func journalError(_ body: () throws(JournalError) -> Void) -> JournalError? {
  do throws(JournalError) { try body() } catch { return error }
  return nil
}

/// The error of opening a journal to write it, and closing it.
func openingError(
  _ file: URL, _ durability: SQLiteJournal.Durability = .process
) -> JournalError? {
  journalError { () throws(JournalError) in
    try SQLiteJournal(file: file, durability: durability).close()
  }
}

/// The PostgreSQL server on which tests store journals.
enum Server {
  static var url: String? { ProcessInfo.processInfo.environment["MOONLATCH_POSTGRES"] }

  /// A name for a journal of a test's own.
  static func schema() -> String {
    "trial_\(getpid())_\(UInt64.random(in: .min ... .max))"
  }

  static func journal(_ schema: String, _ keys: KeyAge) throws -> any JournalStorage {
    #if PostgreSQL
      return try PostgresJournal(url ?? "", schema: schema, keys: keys)
    #else
      throw JournalError(.failed, "these tests were built without the trait PostgreSQL.")
    #endif
  }
}

/// A journal of one kind, as a test opens it.
final class Trial: Sendable {
  /// A server has to be there for the last one: scripts/postgres starts it, and scripts/test does so.
  enum Kind: CaseIterable, Sendable {
    case memory, file, postgres

    static var allCases: [Kind] {
      Server.url == nil ? [.memory, .file] : [.memory, .file, .postgres]
    }
  }

  private let kind: Kind
  private let keys: KeyAge
  private let folder = Folder()
  private let schema = Server.schema()
  private let opened: Mutex<any JournalStorage>

  /// - Parameter wall: what the journal's clock shows, in microseconds since 1970.
  init(_ kind: Kind, wall: @escaping @Sendable () -> Int = { 1_000_000 }) throws {
    self.kind = kind
    keys = KeyAge(KeyAge.week, wall: wall)
    let journal: any JournalStorage =
      switch kind {
      case .memory: MemoryJournal(keys: keys)
      case .file: try Trial.store(folder, keys)
      case .postgres: try Server.journal(schema, keys)
      }
    opened = Mutex(journal)
    _ = try self.journal.keep(JournaledFlow.trial)
  }

  private static func store(_ folder: Folder, _ keys: KeyAge) throws -> SQLiteJournal {
    try SQLiteJournal(file: folder.file(), durability: .process, pace: .init(), keys: keys)
  }

  /// The journal, which this thread waits for.
  var journal: BlockingJournal { BlockingJournal(opened.withLock { $0 }) }

  /// Goes on as another process would.
  func restart() throws {
    try journal.close()
    let next: any JournalStorage =
      switch (kind, journal.journal) {
      case (.memory, let journal as MemoryJournal): journal.restarted()
      case (.postgres, _): try Server.journal(schema, keys)
      default: try Trial.store(folder, keys)
      }
    opened.withLock { $0 = next }
  }

  /// Adds entries, and waits for what becomes of them.
  @discardableResult
  func append(_ entries: [JournalEntry], to id: String, fence: Int = 1) -> JournalError.Kind? {
    journal.journal.add(entries, to: id, fence: fence)?.kind
  }

  /// A case with so many entries.
  func begin(_ id: String, entries: Int) {
    for seq in 1...entries { #expect(append([.trial(seq)], to: id) == nil) }
  }
}

extension JournalStorage {
  /// Adds entries, and waits for what becomes of them.
  @discardableResult
  func add(_ entries: [JournalEntry], to id: String, fence: Int = 1) -> JournalError? {
    let outcome = Monitor<JournalError??>(nil)
    append(entries, to: id, fence: fence) { error in
      outcome.with(waking: true) { $0 = .some(error) }
    }
    return outcome.wait { $0 }
  }
}

extension JournaledFlow {
  static let trial = JournaledFlow(
    name: "order.lua", hash: "f00d", version: 2,
    texts: [
      .init(name: "order.lua", text: "state { n = 0 }\n"), .init(name: "a/é.lua", text: ""),
    ])
}

extension JournalEntry {
  static func trial(
    _ seq: Int, due: Int? = nil, machines: [String: [String]]? = nil, ends: Bool = false,
    answers: [KeyedAnswer] = [], body: [UInt8]? = nil, flow: Int = 1
  ) -> JournalEntry {
    JournalEntry(
      seq: seq, flow: flow, wall: 1_000_000 + seq, body: body ?? Array("entry \(seq)".utf8),
      revision: 10 * seq, due: due, machines: machines, hasEnded: ends, answers: answers,
      birth: seq == 1 ? .init(time: 1_000_000, seed: .max - 3) : nil)
  }
}

/// Returns the kind of error that a body throws, or nil.
func kind(_ body: () throws(JournalError) -> Void) -> JournalError.Kind? {
  do throws(JournalError) {
    try body()
    return nil
  } catch {
    return error.kind
  }
}
