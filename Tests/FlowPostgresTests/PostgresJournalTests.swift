#if PostgreSQL
  import FlowCases
  import FlowHosting
  import FlowKernel
  import JournalRows
  import Platform
  import Testing

  @testable import FlowPostgres

  /// A journal in PostgreSQL, as far as it is another one than a file.
  @Suite(
    .enabled(
      if: Server.url != nil,
      "MOONLATCH_POSTGRES names no server: \"scripts/postgres with COMMAND\" starts one"))
  struct PostgresJournalTests {
    private let schema = Server.schema()

    private func store() throws -> PostgresJournal {
      let store = try PostgresJournal(Server.url ?? "", schema: schema)
      _ = try store.keep(JournaledFlow(name: "a.lua", hash: "1", version: 1, texts: []))
      return store
    }

    /// A connection of the test's own to the same tables.
    private func connection() throws -> PostgresConnection {
      try PostgresSchema.open(PostgresPlace(Server.url ?? "", schema: schema), shards: 256)
    }

    private func error(_ url: String, shards: Int = 256) -> JournalError? {
      do throws(JournalError) {
        _ = try PostgresSchema.open(PostgresPlace(url, schema: schema), shards: shards)
        return nil
      } catch {
        return error
      }
    }

    @Test("a server that could lose acknowledged commits is refused")
    func unsafe() throws {
      let url = try #require(Server.url) + "?options=-csynchronous_commit%3Doff"
      let found = try #require(error(url))
      #expect(found.kind == .unsafe)
      #expect(found.description.contains("synchronous_commit is off there"))
    }

    @Test("no message contains a password")
    func passwords() throws {
      let url = try #require(Server.url)
      let password = try #require(
        url.split(separator: ":").last { $0.contains("@") }?.split(separator: "@").first)
      for wrong in [
        url.replacing("/postgres", with: "/nowhere"),
        url.replacing("postgresql://", with: "postgresql:// "),
        url + "?sslmode=verify-full", url + "?nothing=1",
      ] {
        let found = try #require(error(wrong))
        #expect(!found.description.contains(password))
      }
      let known = url.replacing(password, with: "hunter2hunter2")
      let found = try #require(error(known))
      #expect(
        found.description.contains("password authentication failed")
          && !found.description.contains("hunter2"))
    }

    @Test("tables of another version, with other shards or of another program are refused")
    func versions() throws {
      let url = try #require(Server.url)
      try store().close()
      #expect(error(url) == nil)
      #expect(
        error(url, shards: 16)?.description.contains("has 256 shards, not 16")
          == true)
      let connection = try connection()
      try connection.run("UPDATE journal SET version = 3")
      #expect(error(url)?.description.contains("by an earlier Moonlatch (version 3") == true)
      try connection.run("UPDATE journal SET version = 99")
      #expect(error(url)?.description.contains("written by a later Moonlatch (version 99") == true)
      try connection.run("DROP TABLE journal")
      #expect(error(url)?.description.contains("of another program") == true)
    }

    @Test("an expired dispatch is not executed by the node that has it, and is deleted")
    func impatient() throws {
      let store = try store()
      let dispatch = InboxDispatch(id: "a", key: "k", request: [1])
      try store.dispatch(dispatch)
      let taken = try store.dispatches(in: [store.shard(of: "a")], limit: 9, by: "n")
      #expect(try taken.count == 1 && store.isWaiting(taken[0]))
      let connection = try connection()
      try connection.run("UPDATE inbox SET until_us = 0")
      #expect(try !store.isWaiting(taken[0]))
      #expect(try connection.row("SELECT count(*) FROM inbox") { $0.integer(0) } == 1)
      _ = try store.lease(as: "other", for: .seconds(9), without: [])
      #expect(try connection.row("SELECT count(*) FROM inbox") { $0.integer(0) } == 0)
      try store.close()
    }

    @Test("an append whose connection is cut is stored once and reported as stored")
    func cut() throws {
      let store = try store()
      #expect(store.add(.trial(1)) == nil)
      let other = try connection()
      for seq in 2...40 {
        try other.run(
          """
          SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE application_name = 'moonlatch' AND pid <> pg_backend_pid() AND query LIKE '%append(%'
            AND query NOT LIKE '%pg_stat_activity%'
          """)
        #expect(store.add(.trial(seq)) == nil)
      }
      #expect(try store.entries(of: "a", from: 1, limit: 99).map(\.seq) == Array(1...40))
      #expect(try store.verify().isWhole)
    }

    @Test("a writer continues after another store compacts its case, and stops after it is erased")
    func compaction() throws {
      let (writer, other) = (try store(), try store())
      for seq in 1...9 {
        #expect(writer.add(.trial(seq)) == nil)
        if [4, 7].contains(seq) {
          _ = try other.batchWriter.perform { (connection) throws(JournalError) in
            try CaseWrites(connection: connection).keep(
              StoredSnapshot(seq: seq, flow: 1, body: [1]), of: "a")
          }
        }
      }
      #expect(try other.reader.compact(before: .max).entries == 4)
      #expect(writer.add(.trial(10)) == nil)
      #expect(try writer.entries(of: "a", from: 1, limit: 9).map(\.seq) == Array(5...10))
      #expect(try writer.verify().isWhole)
      try other.erase("a")
      #expect(writer.add(.trial(11))?.kind == .endedCase)
      #expect(try writer.verify().isWhole)
    }

    @Test("a node that was stopped while leasing or activating blocks no other")
    func stopped() throws {
      let (store, leases, rows) = (try store(), try connection(), try connection())
      #expect(store.add(.trial(1)) == nil)
      var (held, fence): (Set<Int>?, Int?)
      // Both are cut off meanwhile.
      try? leases.writingAmongNodes { () throws(JournalError) in
        try leases.script("LOCK TABLE node IN EXCLUSIVE MODE")
        try? rows.writingAmongNodes { () throws(JournalError) in
          try rows.script("SELECT * FROM life FOR UPDATE")
          held = try store.lease(as: "one", for: .seconds(60), without: [])
          fence = try store.activate("a")?.fence
        }
      }
      #expect(held?.count == 256)
      #expect(fence == 2)
    }

    @Test("a row that was changed from outside is reported")
    func damage() throws {
      let store = try store()
      for seq in 1...3 { #expect(store.add(.trial(seq)) == nil) }
      try connection().run("UPDATE entry SET body = '' WHERE seq = 2")
      #expect(throws: JournalError.self) { try store.entries(of: "a", from: 1, limit: 9) }
      #expect(
        try store.verify().faults.first?.description.contains("entry 2 of case \"a\"") == true)
    }
  }

  /// The faults that `verify` finds beside cases.
  extension PostgresJournalTests {
    @Test(
      "verify reports changed leases, nodes and shards, and deleted rows",
      arguments: [
        (
          "UPDATE shard SET until_us = until_us + 1 WHERE n = 7",
          "the lease of shard 7 was changed after"
        ),
        ("UPDATE shard SET owner = 'x' WHERE n = 9", "the lease of shard 9 was changed after"),
        ("DELETE FROM shard WHERE n = 9", "there are leases of 255 shards"),
        ("UPDATE node SET until_us = 1", "the row of node \"one\" was changed after"),
        ("UPDATE life SET shard = (shard + 1) % 256", "case \"a\" is in shard "),
        ("DELETE FROM ack WHERE seq = 2", "case \"a\" has 2 answers to keys, but 3 were written"),
        ("UPDATE journal SET flow = 'billing'", "the identity of the journal was changed after"),
      ])
    func leases(statement: String, sentence: String) throws {
      let store = try store()
      _ = try store.identify(as: "order", adopting: false)
      for seq in 1...3 { #expect(store.add(.trial(seq)) == nil) }
      _ = try store.lease(as: "one", for: .seconds(60), without: [])
      try store.release([3], by: "one")
      #expect(try store.verify().isWhole)
      try connection().run(statement)
      let findings = try store.verify()
      #expect(findings.faults.contains { $0.description.contains(sentence) })
    }

    @Test("an expired key can be answered anew, and counts once")
    func forgottenKeys() throws {
      let wall = Monitor(2_000_000)
      let keys = KeyAge(.seconds(10)) { wall.with { $0 } }
      let store = try PostgresJournal(Server.url ?? "", schema: schema, keys: keys)
      _ = try store.keep(JournaledFlow(name: "a.lua", hash: "1", version: 1, texts: []))
      #expect(store.add(.trial(1)) == nil)
      let again = JournalEntry(
        seq: 2, flow: 1, wall: 100_000_000, body: [1], revision: 2,
        answers: [KeyedAnswer(key: "k1", request: [2], revision: 2)])
      #expect(store.add(again) == nil)
      #expect(try store.verify().isWhole)
      #expect(try store.verify().answers == 1)
    }
  }

  /// The server that tests keep journals in.
  enum Server {
    static var url: String? { ProcessInfo.processInfo.environment["MOONLATCH_POSTGRES"] }

    static func schema() -> String {
      "trial_\(getpid())_\(UInt64.random(in: .min ... .max))"
    }
  }

  extension JournalEntry {
    static func trial(_ seq: Int, due: Int? = nil) -> JournalEntry {
      JournalEntry(
        seq: seq, flow: 1, wall: 1_000_000 + seq, body: Array("entry \(seq)".utf8), revision: seq,
        due: due,
        answers: [KeyedAnswer(key: "k\(seq)", request: [1], revision: seq)],
        birth: seq == 1 ? .init(time: 1_000_000, seed: 1) : nil)
    }
  }

  extension PostgresJournal {
    /// Adds an entry to the case "a", and waits for what becomes of it.
    func add(_ entry: JournalEntry, fence: Int = 1) -> JournalError? {
      let outcome = Monitor<JournalError??>(nil)
      append([entry], to: "a", fence: fence) { error in
        outcome.with(waking: true) { $0 = .some(error) }
      }
      return outcome.wait { $0 }
    }
  }
#endif
