#if Server
  import FlowJournal
  import FlowPostgres
  import FlowServer
  import Logging
  import LuaRuntime
  import Moonlatch
  import Platform
  import ServiceLifecycle

  /// One run of the server: the journal, the cases, and what is said of them.
  struct Serving {
    private let command: ServeCommand
    private let flow: LoadedFlow
    private let logger: Logger

    init(_ command: ServeCommand, _ flow: LoadedFlow) throws {
      (self.command, self.flow) = (command, flow)
      let isJSON = command.jsonLogs
      var logger = Logger(
        label: "moonlatch.serve",
        factory: { label -> any LogHandler in
          if isJSON { return JSONLogHandler(label) }
          return StreamLogHandler.standardError(label: label)
        })
      guard let level = Logger.Level(rawValue: command.logLevel) else {
        throw Mistake(
          description: "there is no log level \(command.logLevel)"
            + Names.suggestion(for: command.logLevel, among: Logger.Level.allCases.map(\.rawValue)))
      }
      logger.logLevel = level
      self.logger = logger
    }

    private struct Mistake: Error, CustomStringConvertible { let description: String }

    func run() async throws {
      Descriptors.raise(to: command.maxConnections + 256)
      let (journal, place) = try openJournal()
      var options = HostOptions()
      options.print = { [logger] in logger.notice("print", metadata: ["text": "\($0)"]) }
      options.report = { [logger] in logger.warning("report", metadata: ["text": "\($0)"]) }
      options.keepsRefusals = true
      let cases = try Cases(of: flow, in: journal, options: options)
      let (tokens, shown) = try readTokens()
      let service = HTTPService(
        ServerOptions(
          host: command.host, port: command.port, names: command.name,
          maximumConnections: command.maxConnections, tokens: tokens,
          trustedHeader: command.trustHeader, isReadOnly: command.readOnly), logger: logger)
      CaseRoutes.mount(cases, on: service)
      let told = Told(flow: flow, place: place, token: shown, host: command.host)
      let group = ServiceGroup(
        configuration: .init(
          services: [
            KeptCasesService(cases: cases, journal: journal),
            ListeningService(service: service, told: told),
          ],
          gracefulShutdownSignals: [.sigterm, .sigint], logger: quiet))
      try await group.run()
    }

    private var quiet: Logger {
      var quiet = logger
      quiet.logLevel = max(logger.logLevel, .warning)
      return quiet
    }

    private func openJournal() throws -> (any Journal, String) {
      if command.journal == "memory" {
        return (MemoryJournal(), "in memory: nothing of them is left when this ends")
      }
      let file = command.journal ?? command.flow + ".journal"
      if file.contains("://") { return try openDatabase(file) }
      let store = try JournalStore(
        file: URL(filePath: file), durability: command.quick ? .process : .full)
      return (
        store,
        "in \(file): what is answered survives "
          + (command.quick ? "the process, not a power cut" : "a power cut")
      )
    }

    private func openDatabase(_ url: String) throws -> (any Journal, String) {
      let scheme = url.prefix { $0 != ":" }
      guard scheme == "postgresql" || scheme == "postgres" else {
        throw Mistake(
          description: "--journal \(scheme)://… is nothing that keeps cases: name a file, or "
            + "postgresql://…")
      }
      if command.quick {
        throw Mistake(description: "--quick is for files: what PostgreSQL answers, it has.")
      }
      #if PostgreSQL
        return (
          try PostgresStore(url), "in PostgreSQL: what is answered survives a power cut"
        )
      #else
        throw Mistake(
          description: "this moonlatch-serve was built without PostgreSQL: name a file, or install "
            + "libpq-dev and build it with the trait PostgreSQL")
      #endif
    }

    private func readTokens() throws -> (APITokens, shown: String?) {
      if let file = command.tokenFile {
        return (
          try APITokens(file: TextFile.read(file, name: file), named: file), nil
        )
      }
      let token = APITokens.random()
      return (APITokens(everything: token), token)
    }
  }

  /// What is said once connections are taken.
  struct Told: Sendable {
    let flow: LoadedFlow
    let place: String
    let token: String?
    let host: String

    func tell(_ port: Int) {
      let address = "http://\(host.contains(":") ? "[\(host)]" : host):\(port)"
      let token = token ?? "TOKEN"
      let action = flow.flow.actions.first { !$0.isInternal && Value.isName($0.name) }
      var text = "\(flow.name) is served at \(address)\ncases are kept \(place)\n"
      if self.token != nil { text += "the token of this run is \(token)\n" }
      text += """

          curl -H "Authorization: Bearer \(token)" -X POST \(address)/cases/first

        """
      if let action {
        let given = action.payload.sample.map { JSONText.text($0) } ?? "{…}"
        let quoted = given.replacing("'", with: "'\\''")
        text += """
            curl -H "Authorization: Bearer \(token)" --json '\(quoted)' \(address)/cases/first/actions/\(action.name)

          """
      }
      text += """
          curl -H "Authorization: Bearer \(token)" \(address)/cases/first/state
          curl \(address)/openapi.json

        """
      Terminal.writeOutput(text)
    }
  }

  private struct ListeningService: Service {
    let service: HTTPService
    let told: Told
    func run() async throws { try await service.run { told.tell($0) } }
  }

  /// Lets the cases sleep when nobody is served any more.
  private struct KeptCasesService: Service {
    let cases: Cases
    let journal: any Journal

    func run() async throws {
      try? await gracefulShutdown()
      try await cases.close(draining: .seconds(5))
      try journal.close()
    }
  }
#endif
