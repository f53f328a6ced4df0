import CSQLite
import FlowHosting
import FlowKernel
import JournalRows
import Platform
import Testing

@testable import FlowJournal

/// Databases that claim to be journals, but are not.
@Suite(.timeLimit(.minutes(5))) struct SchemaTests {
  private let folder = Folder()

  private func makeJournal() throws {
    let store = try SQLiteJournal(file: folder.file(), durability: .process)
    _ = try store.keep(JournaledFlow.trial)
    for seq in 1...3 { #expect(store.add([.trial(seq)], to: "a") == nil) }
    try store.close()
  }

  /// Does something to the file as any program could.
  private func change(_ sql: String) throws {
    var database: OpaquePointer?
    #expect(sqlite3_open(folder.file().path, &database) == SQLITE_OK)
    defer { sqlite3_close(database) }
    let code = sqlite3_exec(database, sql, nil, nil, nil)
    #expect(code == SQLITE_OK, "\(String(cString: sqlite3_errmsg(database)))")
  }

  /// Defines something under a name that SQLite keeps to itself.
  private static func hidden(_ type: String, _ name: String, _ sql: String) -> String {
    "PRAGMA writable_schema = on; INSERT INTO sqlite_schema VALUES('\(type)', '\(name)', 'entry', 0, '\(sql)');"
  }

  /// The refusals of who writes, and of who reads.
  private var refusals: [JournalError?] {
    [
      journalError { () throws(JournalError) in
        try SQLiteJournal(file: folder.file(), durability: .process).close()
      },
      journalError { () throws(JournalError) in _ = try JournalReader(file: folder.file()) },
    ]
  }

  @Test(
    "a journal with a different schema is refused",
    arguments: [
      (
        "ALTER TABLE life RENAME TO l2; CREATE VIEW life AS SELECT * FROM l2;",
        "defines index \"life_due\" otherwise"
      ),
      (
        "CREATE TRIGGER x AFTER INSERT ON entry BEGIN DELETE FROM entry WHERE seq < 3; END;",
        "defines trigger \"x\", which is none of a journal's"
      ),
      ("CREATE VIEW x AS SELECT 1;", "defines view \"x\""),
      ("DROP INDEX life_due;", "lacks index \"life_due\""),
      (
        "ALTER TABLE stands ADD COLUMN more TEXT GENERATED ALWAYS AS (hex(state)) VIRTUAL;",
        "defines table \"stands\" otherwise"
      ),
      ("DROP TABLE entry; CREATE VIEW entry AS SELECT 1;", "defines view \"entry\""),
      (
        hidden(
          "trigger", "sqlite_statx",
          "CREATE TRIGGER sqlite_statx AFTER INSERT ON entry BEGIN DELETE FROM entry; END"),
        "defines trigger \"sqlite_statx\""
      ),
    ])
  func definitions(sql: String, sentence: String) throws {
    try makeJournal()
    try change(sql)
    for refusal in refusals {
      #expect(refusal?.description.contains(sentence) == true, "\(refusal.debugDescription)")
    }
  }

  @Test("planner statistics gathered by another program are accepted")
  func analyzed() throws {
    try makeJournal()
    try change("ANALYZE")
    #expect(refusals.allSatisfy { $0 == nil })
  }

  @Test(
    "a database with another schema version is refused, and one with a damaged version is no journal"
  )
  func versions() throws {
    try makeJournal()
    for (version, sentence) in [
      (-1, "is not a journal of Moonlatch"), (99, "was written by a later Moonlatch"),
      (1, "was written by an earlier Moonlatch"),
    ] {
      try change("PRAGMA user_version = \(version)")
      for refusal in refusals { #expect(refusal?.description.contains(sentence) == true) }
    }
  }

  @Test("a value that claims to be longer than any valid one is refused")
  func longValues() throws {
    try makeJournal()
    try change("UPDATE entry SET body = zeroblob(\(Connection.longestValue + 1)) WHERE seq = 2")
    let reader = try JournalReader(file: folder.file())
    let refusal = journalError { () throws(JournalError) in
      _ = try reader.entries(of: "a", from: 1, limit: 10)
    }
    #expect(refusal?.description.contains("no value has more than 64 MB") == true)
    #expect(try !reader.verify().isWhole)
  }

  @Test("a cycle of pages does not cause an endless read")
  func circles() throws {
    let connection = try Connection(
      path: ":memory:", flags: SQLITE_OPEN_READWRITE, stepPatience: .milliseconds(1))
    let refusal = journalError { () throws(JournalError) in
      _ = try connection.row(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n) SELECT count(*) FROM n"
      ) { $0.integer(0) }
    }
    #expect(refusal?.kind == .damaged)
    #expect(refusal?.description.contains("its pages form a cycle") == true)
  }
}
