#if Server && PostgreSQL
  import ArgumentParser
  import FlowCases
  import FlowKernel
  import JournalRows
  import Platform
  import Testing

  @testable import FlowPostgres
  @testable import ServeCLI

  /// The locations in which `moonlatch serve` and `moonlatch inspect` store and find cases.
  @Suite struct StoreLocationTests {
    @Test("a URL that is no file or PostgreSQL database is rejected with the valid forms")
    func refused() throws {
      let error = #expect(throws: ValidationError.self) {
        try StoreLocation.open("mysql://here/there")
      }
      #expect(
        error?.message == "mysql://… is not a journal: name a file, or postgresql://…")
    }

    @Test("opening a missing file for reading does not create it")
    func noFile() {
      let path = "/tmp/moonlatch-none-\(getpid()).journal"
      #expect(throws: JournalError.self) { try StoreLocation.open(path, isReadOnly: true) }
      #expect(!FileManager.default.fileExists(atPath: path))
    }
  }

  /// The same in a database.
  @Suite(
    .serialized,
    .enabled(
      if: Database.url != nil,
      "MOONLATCH_POSTGRES names no server: \"scripts/postgres with COMMAND\" starts one"))
  struct KeptDatabaseTests {
    private static let flow =
      "state { n = 0 }\naction.add {}\nfunction reduce.add(s) s.n = s.n + 1 end"

    @Test("opening a database for reading takes no leases and no cases from the nodes")
    func readOnly() async throws {
      let database = try Database()
      let flow = try LoadedFlow(source: Self.flow, name: "a.lua")
      var options = HostOptions(report: { _ in })
      options.clock = .virtual
      let store = try PostgresJournal(database.url)
      var one = NodeOptions()
      one.name = "one"
      let node = try await Cases(of: flow, in: store, options: options, node: one)
      try await node.create("a")
      try await node["a"].dispatch("add")
      func held() throws -> Int {
        try store.lease(as: "one", for: .seconds(60), without: []).count
      }
      #expect(try held() == 256)

      let place = try StoreLocation.open(database.url, isReadOnly: true)
      let reader = try await Cases(of: flow, in: place.journal, options: options)
      #expect(try held() == 256)
      #expect(try await reader["a"].state()["n"] == 1)
      // A dispatch on the reader is not stored.
      try await reader["a"].dispatch("add")
      #expect(try store.fence(of: "a") == 1)
      #expect(try await node["a"].dispatch("add").commit?.revision == 2)
      #expect(try held() == 256)
    }

    @Test("opening a database for reading creates no journal")
    func noJournal() throws {
      let database = try Database()
      for _ in 1...2 {
        let error = #expect(throws: JournalError.self) {
          try StoreLocation.open(database.url, isReadOnly: true)
        }
        #expect(error?.description.hasSuffix("holds no journal yet.") == true)
      }
    }
  }
#endif
