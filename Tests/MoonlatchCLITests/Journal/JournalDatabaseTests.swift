#if PostgreSQL && Server
  import FlowCases
  import FlowHosting
  import FlowJournal
  import FlowKernel
  import Foundation
  import JournalRows
  import Testing

  @testable import FlowPostgres

  /// `moonlatch journal` on a database: the same commands, in the program that reads it.
  @Suite(
    .enabled(
      if: Database.server != nil,
      "MOONLATCH_POSTGRES names no server: \"scripts/postgres with COMMAND\" starts one"))
  struct JournalDatabaseTests {
    private let folder: TemporaryFolder
    private let database: Database

    private static let door = """
      state { coins = 0 }
      action.coin { amount = integer { min = 1 } }
      action.push {}
      machine.door { initial = "closed", closed = { coin = "open" }, open = { push = "closed", after = { push = 20 } } }
      function reduce.coin(s, a) s.coins = s.coins + a.amount end
      """

    init() throws {
      folder = try TemporaryFolder()
      database = try Database()
      try folder.write(Self.door, to: "door.lua")
    }

    private func journal(_ arguments: String...) throws -> Ran {
      try moonlatch(["journal"] + arguments, in: folder, input: Data())
    }

    /// Two cases of the door that have lived, with a clock that stands still.
    private func live(in journal: any JournalStorage) throws {
      for id in ["o-1", "o-2"] {
        let host = try FlowHost(
          flow: folder.url.appending(path: "door.lua"), journal: journal, case: id,
          options: HostOptions(
            clock: .virtual, seed: 7, began: Date(timeIntervalSince1970: 1_700_000_000),
            print: { _ in }, report: { _ in }))
        try host.dispatch("coin", ["amount": 2], key: "k")
        try host.advance(30)
        try host.stop()
      }
    }

    /// A journal that nobody serves any more.
    private func lived() throws {
      let store = try PostgresJournal(database.url)
      try live(in: store)
      try store.close()
    }

    @Test("read-only subcommands print the same for a database as for a file")
    func reads() throws {
      try lived()
      let store = try SQLiteJournal(file: folder.url.appending(path: "j.journal"))
      try live(in: store)
      try store.close()
      try folder.write(
        Self.door.replacing("s.coins + a.amount", with: "s.coins + 2 * a.amount"), to: "double.lua")
      try folder.write(Self.door.replacing("closed", with: "shut"), to: "shut.lua")
      for (arguments, code) in [
        (["show", "J"], 0), (["show", "J", "--case", "o-2", "--from", "2", "--json"], 0),
        (["show", "J", "--json"], 0), (["verify", "J"], 0), (["show", "J", "--case", "o-3"], 4),
        (["replay", "J", "--flow", "door.lua"], 0), (["replay", "J", "--flow", "double.lua"], 1),
        (["migrate", "--check", "J", "door.lua"], 0), (["migrate", "--check", "J", "shut.lua"], 1),
        (["migrate", "J", "door.lua"], 64), (["scenario", "J", "--case", "o-1"], 0),
      ] as [([String], Int32)] {
        func run(_ journal: String) throws -> Ran {
          try moonlatch(
            ["journal"] + arguments.map { $0 == "J" ? journal : $0 }, in: folder, input: Data())
        }
        let (file, there) = (try run("j.journal"), try run(database.url))
        #expect(there.code == code, "\(arguments): \(there.errors)")
        let time = #/\d{4}-\d\d-\d\d[ T][0-9:.]+( UTC|Z)/#
        #expect(there.output.replacing(time, with: "T") == file.output.replacing(time, with: "T"))
        #expect(there.errors == file.errors.replacing("j.journal", with: database.name))
      }
    }

    @Test("read-only subcommands take no leases, claims or cases of a database")
    func readsOnly() throws {
      let store = try PostgresJournal(database.url)
      try live(in: store)
      #expect(try store.lease(as: "one", for: .seconds(600), without: []).count == 256)
      let before = try database.rows()
      for arguments in [
        ["show", database.url], ["verify", database.url],
        ["replay", database.url, "--flow", "door.lua"],
        ["migrate", "--check", database.url, "door.lua"],
        ["scenario", database.url, "--case", "o-1"],
      ] {
        let ran = try moonlatch(["journal"] + arguments, in: folder, input: Data())
        #expect(ran.code == 0, "\(arguments): \(ran.errors)")
      }
      #expect(try database.rows() == before)
      #expect(try store.lease(as: "one", for: .seconds(600), without: []).count == 256)
    }

    @Test("a user with read access can read, and is told what is not permitted")
    func reader() throws {
      try lived()
      let url = try database.reader()
      #expect(
        try journal("verify", url)
          == Ran(
            code: 0, output: "intact: 2 cases, 6 entries, 0 snapshots, 2 stored answers\n",
            errors: "")
      )
      let erased = try journal("erase", url, "--case", "o-1")
      #expect(erased.code == 2)
      #expect(erased.errors.contains("permission denied for table"))
      try database.run("REVOKE SELECT ON moonlatch.snapshot FROM PUBLIC")
      let partial = try journal("verify", url)
      #expect(partial.code == 2 && partial.output.isEmpty)
      #expect(
        partial.errors.contains("permission denied for table snapshot: this user has no permission")
      )
    }

    @Test("verify reports rows that were changed from outside, with exit code 1")
    func damaged() throws {
      try lived()
      try database.run("UPDATE moonlatch.entry SET body = '' WHERE seq = 2")
      let ran = try journal("verify", database.url)
      #expect(ran.code == 1 && ran.errors.isEmpty)
      #expect(ran.output.contains("entry 2 of case \"o-1\" was changed after it was written"))
      #expect(ran.output.contains("entry 2 of case \"o-2\" was changed after it was written"))
      #expect(ran.output.contains("case \"o-1\": of its entries 1 to "))
      #expect(ran.output.contains("\nintact: 0 of 2 cases\ndamaged: 2 cases, "))
      #expect(ran.output.hasSuffix(" entries, 0 snapshots, 2 stored answers\n"))
    }

    @Test("compact and erase work on a database in use, with any number of shards")
    func writes() throws {
      let store = try PostgresJournal(database.url, shards: 16)
      try live(in: store)
      #expect(try store.lease(as: "one", for: .seconds(600), without: []).count == 16)
      #expect(
        try journal("compact", database.url, "--keep", "0.001")
          == Ran(
            code: 0, output: "dropped 0 entries, 2 stored answers, 0 ended cases\n", errors: ""))
      #expect(
        try journal("erase", database.url, "--case", "o-1")
          == Ran(code: 0, output: "case o-1 was erased\n", errors: ""))
      let unknown = try journal("erase", database.url, "--case", "o-3")
      #expect(unknown.code == 2 && unknown.errors.contains("o-3"))
      #expect(
        try journal("verify", database.url).output
          == "intact: 2 cases, 6 entries (3 erased), 0 snapshots, 0 stored answers\n")
      #expect(!(try journal("show", database.url, "--case", "o-1").output.contains("coin")))
      #expect(try store.lease(as: "one", for: .seconds(600), without: []).count == 16)
    }

    @Test(
      "a database without a journal is left unchanged, and an unreachable one is an error at once")
    func none() throws {
      for arguments in [["verify"], ["compact"], ["erase", "--case", "a"], ["show"]] {
        let ran = try moonlatch(
          ["journal", arguments[0], database.url] + arguments.dropFirst(), in: folder, input: Data()
        )
        #expect(
          ran
            == Ran(
              code: 2, output: "", errors: "moonlatch: \(database.name) holds no journal yet.\n"))
      }
      let nowhere = try journal("show", database.url + "_not")
      #expect(nowhere.code == 2)
      #expect(nowhere.errors.hasPrefix("moonlatch: \(database.name)_not: connecting failed: "))
      #expect(nowhere.errors.contains("does not exist"))
    }

    @Test("a pg_dump made while nodes serve is a complete journal whose cases can continue")
    func backup() async throws {
      let store = try PostgresJournal(database.url)
      try live(in: store)
      let other = try Database()
      func run(_ program: String, _ arguments: String...) throws -> Ran {
        try ran("/usr/bin/" + program, arguments)
      }
      let dumped = try run(
        "pg_dump", "--format=custom", "--schema=moonlatch", "--file=copy", database.url)
      #expect(dumped.code == 0, "\(dumped.errors)")
      let restored = try run("pg_restore", "--no-owner", "--dbname=" + other.url, "copy")
      #expect(restored.code == 0, "\(restored.errors)")
      #expect(
        try journal("verify", other.url).output
          == "intact: 2 cases, 6 entries, 0 snapshots, 2 stored answers\n")
      let copy = try PostgresJournal(other.url)
      var options = HostOptions(report: { _ in })
      options.clock = .virtual
      let flow = try LoadedFlow(folder.url.appending(path: "door.lua"))
      let cases = try await Cases(of: flow, in: copy, options: options)
      #expect(try await cases["o-1"].dispatch("coin", ["amount": 1]).commit?.revision == 3)
      try await cases.close()
      try copy.close()
      try store.close()
    }

    private func ran(_ command: String, _ arguments: [String]) throws -> Ran {
      let streams = try TemporaryFolder()
      try streams.write("", to: "in")
      let path = streams.url.path
      let child = try ChildProcess(
        arguments, in: folder.url,
        streams: [.reading(path + "/in"), .writing(path + "/out"), .writing(path + "/err")],
        command: command)
      let code = child.wait()
      return Ran(
        code: code, output: try streams.text(of: "out"), errors: try streams.text(of: "err"))
    }

    @Test("moonlatch-serve has the journal command too, with the same help")
    func help() throws {
      let ran = try journal("verify", "--help")
      #expect(ran.code == 0 && ran.output.contains("The journal: a file, or postgresql://"))
    }
  }

  /// A database of a test's own on the server of tests.
  final class Database {
    static var server: String? { ProcessInfo.processInfo.environment["MOONLATCH_POSTGRES"] }

    let url: String
    /// The name of the database in messages.
    let name: String
    private let own = "trial_\(getpid())_\(UInt64.random(in: 0 ... .max))"
    private let parts: URLComponents
    private let connection: PostgresConnection
    private var roles: [String] = []

    init() throws {
      var parts = try #require(URLComponents(string: Database.server ?? ""))
      connection = try PostgresConnection(PostgresPlace(Database.server ?? ""))
      try connection.script("CREATE DATABASE \(own)")
      parts.path = "/" + own
      self.parts = parts
      url = try #require(parts.string)
      parts.password = nil
      name = try #require(parts.string)
    }

    deinit {
      try? connection.script("DROP DATABASE \(own) WITH (FORCE)")
      for role in roles { try? connection.script("DROP ROLE \(role)") }
    }

    private func here() throws -> PostgresConnection {
      try PostgresConnection(PostgresPlace(url))
    }

    func run(_ sql: String) throws { try here().script(sql) }

    /// All that says who serves what.
    func rows() throws -> [String] {
      let connection = try here()
      return try ["node", "shard", "life", "inbox"].flatMap { table in
        try connection.rows("SELECT t::text FROM moonlatch.\(table) t ORDER BY 1") { $0.text(0) }
      }
    }

    /// The URL of a user who may only read it.
    func reader() throws -> String {
      let role = own + "_reader"
      try run(
        """
        CREATE ROLE \(role) LOGIN PASSWORD 'looks'; GRANT USAGE ON SCHEMA moonlatch TO \(role);
        GRANT SELECT ON ALL TABLES IN SCHEMA moonlatch TO PUBLIC
        """)
      roles.append(role)
      var parts = parts
      (parts.user, parts.password) = (role, "looks")
      return try #require(parts.string)
    }
  }
#endif
