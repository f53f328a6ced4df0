#if Server && PostgreSQL
  import FlowServer
  import HTTPTesting
  import JournalRows
  import Logging
  import Testing

  @testable import FlowCases
  @testable import FlowKernel
  @testable import FlowPostgres
  @testable import ServeCLI

  /// Servers that share a database.
  @Suite(
    .serialized, .timeLimit(.minutes(5)),
    .enabled(
      if: Database.url != nil,
      "MOONLATCH_POSTGRES names no server: \"scripts/postgres with COMMAND\" starts one"))
  struct ServingTests {
    /// Whoever asks a server.
    private struct Asked: RawAsked {
      let port: Int
      let token: String
    }

    /// Cases as `moonlatch serve` with these arguments has them, whose leases are renewed by hand.
    private func cases(_ database: Database, _ arguments: [String]) async throws -> Cases {
      let flow = try LoadedFlow(source: "state {}\naction.go {}", name: "a.lua")
      let serving = try Serving(ServeCommand.parse(["a.lua"] + arguments), flow)
      return try await Cases(
        of: flow, in: PostgresJournal(database.url),
        options: HostOptions(clock: .virtual, report: { _ in }), node: serving.node)
    }

    /// The clock of the database, and when leases end: in microseconds since 1970.
    private func leases(_ database: Database) throws -> (now: Int, ends: [Int]) {
      let place = try PostgresPlace(database.url)
      let connection = try PostgresConnection(place)
      try connection.script("SET search_path TO \(place.schema)")
      let now = try connection.row("SELECT wall()") { $0.integer(0) } ?? 0
      var ends: [Int] = []
      try connection.each("SELECT until_us FROM shard WHERE owner IS NOT NULL") {
        ends.append($0.integer(0))
      }
      return (now, ends)
    }

    /// The metrics of a server of cases.
    private func metrics(of cases: Cases) async throws -> String {
      let token = "0123456789abcdef0123456789abcdef"
      let service = HTTPService(
        ServerOptions(port: 0, tokens: APITokens(everything: token)),
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
      CaseRoutes.mount(cases, on: service)
      let (ports, found) = AsyncStream.makeStream(of: Int.self)
      let running = Task { try await service.run { found.yield($0) } }
      defer { running.cancel() }
      var iterator = ports.makeAsyncIterator()
      let port = try #require(await iterator.next())
      return try await Asked(port: port, token: token).request("GET", "/metrics")
    }

    @Test("leases are stored for as long as --lease says", arguments: [("5s", 5), ("1h", 3_600)])
    func lease(text: String, seconds: Int) async throws {
      let database = try Database()
      let node = try await cases(database, ["--lease", text])
      let before = try leases(database).now
      await node.renewLeases()
      let (after, ends) = try leases(database)
      #expect(ends.count == 256)
      let length = seconds * 1_000_000
      #expect(ends.allSatisfy { (before + length...after + length).contains($0) })
      try await node.close()
    }

    @Test("two servers hold half of the shards each, as the metrics of both show")
    func leasesHeld() async throws {
      let database = try Database()
      // Longer than any machine takes for this.
      let one = try await cases(database, ["--lease", "1h"])
      let other = try await cases(database, ["--lease", "1h"])
      for _ in 0..<2 { for node in [one, other] { await node.renewLeases() } }
      for node in [one, other] {
        #expect(try await metrics(of: node).contains("\nmoonlatch_leases_held 128.0\n"))
      }
      try await one.close()
      await other.renewLeases()
      #expect(try await metrics(of: other).contains("\nmoonlatch_leases_held 256.0\n"))
      try await other.close()
    }

    @Test("leases are renewed four times in their duration or more often, and last 20 s by default")
    func renewal() throws {
      let flow = try LoadedFlow(source: "state {}\naction.go {}", name: "a.lua")
      func node(_ arguments: String...) throws -> NodeOptions {
        try Serving(ServeCommand.parse(["a.lua"] + arguments), flow).node
      }
      #expect(try node("--lease", "2s").renewal == .milliseconds(500))
      #expect(try node("--lease", "5s").renewal == .seconds(1))
      #expect(try node().lease == .seconds(20))
    }
  }
#endif
