#if Server && PostgreSQL
  import JournalRows
  import Platform

  @testable import FlowPostgres

  /// A database of a test's own on the server of tests.
  final class Database {
    static var server: String? { ProcessInfo.processInfo.environment["MOONLATCH_POSTGRES"] }
    static var url: String? { server }

    let url: String
    private let name = "trial_\(getpid())_\(UInt64.random(in: 0 ... .max))"
    private let connection: PostgresConnection

    init() throws {
      let server = Database.server ?? ""
      connection = try PostgresConnection(PostgresPlace(server))
      try connection.script("CREATE DATABASE \(name)")
      url =
        server.split(separator: "/").dropLast().joined(separator: "/").replacing(
          "postgresql:/", with: "postgresql://") + "/\(name)"
    }

    deinit { try? connection.script("DROP DATABASE \(name) WITH (FORCE)") }
  }
#endif
