#if PostgreSQL && Server
  import FlowHosting
  import FlowKernel
  import Foundation
  import JournalRows
  import Testing

  @testable import FlowPostgres

  /// How the way to a server is kept secret, as the URL says: on a server of the test's own, with a certificate that an
  /// authority of its own has signed for localhost.
  @Suite(
    .enabled(
      if: Database.server != nil,
      "MOONLATCH_POSTGRES names no server: \"scripts/postgres with COMMAND\" starts one"))
  struct DatabaseTLSTests {
    private let server: SecretServer

    init() throws { server = try SecretServer() }

    /// Returns the error of opening a journal on the server with this host and these options; nil if it opens.
    private func problem(_ host: String, _ options: String) -> String? {
      do throws(JournalError) {
        try PostgresJournal(server.url(host, options)).close()
        return nil
      } catch {
        return error.description
      }
    }

    @Test("verify-full accepts the server's own name, and encrypts each connection of a store")
    func verified() throws {
      let url = server.url("localhost", "sslmode=verify-full&sslrootcert=\(server.authority)")
      let store = try PostgresJournal(url)
      let flow = JournaledFlow(name: "a.lua", hash: "1", version: 1, texts: [])
      #expect(try store.keep(flow) == 1)
      store.onChanges { _ in }
      #expect(try store.lease(as: "one", for: .seconds(60), without: []).count == 256)
      #expect(try store.verify().isWhole)
      let connection = try PostgresConnection(PostgresPlace(url))
      let secret = try connection.row(
        """
        SELECT count(*), count(*) FILTER (WHERE ssl) FROM pg_stat_activity JOIN pg_stat_ssl USING (pid)
        WHERE application_name = 'moonlatch'
        """
      ) { ($0.integer(0), $0.integer(1)) }
      #expect(try #require(secret).0 >= 4 && secret?.0 == secret?.1)
      try store.close()
    }

    @Test("verify-full rejects another name, another authority, and none")
    func refused() throws {
      let named = "sslmode=verify-full&sslrootcert=\(server.authority)"
      #expect(problem("127.0.0.1", named)?.contains("does not match host name") == true)
      let other = try SecretServer(isRunning: false)
      let stranger = "sslmode=verify-full&sslrootcert=\(other.authority)"
      #expect(problem("localhost", stranger)?.contains("certificate verify failed") == true)
      let none = "sslmode=verify-full&sslrootcert=/nowhere/root.crt"
      #expect(problem("localhost", none)?.contains("\"/nowhere/root.crt\" does not exist") == true)
    }

    @Test(
      "require encrypts without checking the server's identity, and rejects a server without TLS")
    func required() throws {
      #expect(problem("127.0.0.1", "sslmode=require") == nil)
      let plain = try #require(Database.server) + "?sslmode=require"
      let error = #expect(throws: JournalError.self) { try PostgresJournal(plain) }
      #expect(error?.description.contains("server does not support SSL") == true)
    }
  }

  /// A server that speaks TLS, for as long as it is kept.
  private final class SecretServer {
    private let folder: String
    private let plain: String

    /// - Parameter isRunning: without it, only its authority is there.
    init(isRunning: Bool = true) throws {
      folder = "/tmp/moonlatch-tls.\(UUID().uuidString)"
      plain = try Self.postgres("start", folder)
      if !isRunning { try Self.postgres("kill", folder) }
    }

    deinit { _ = try? Self.postgres("stop", folder) }

    var authority: String { folder + "/root.crt" }

    func url(_ host: String, _ options: String) -> String {
      plain.replacing("@127.0.0.1:", with: "@\(host):") + "?" + options
    }

    /// Runs `scripts/postgres` and returns its output.
    @discardableResult
    private static func postgres(_ command: String, _ folder: String) throws -> String {
      let streams = try TemporaryFolder()
      try streams.write("", to: "in")
      let path = streams.url.path
      let child = try ChildProcess(
        [command, folder], in: streams.url,
        streams: [.reading(path + "/in"), .writing(path + "/out"), .writing(path + "/err")],
        command: Page.root.appending(path: "scripts/postgres").path,
        environment: ["POSTGRES_TLS": "yes"])
      let (code, errors) = (child.wait(), try streams.text(of: "err"))
      try #require(code == 0, "\(errors)")
      return try streams.text(of: "out").trimmingCharacters(in: .newlines)
    }
  }
#endif
