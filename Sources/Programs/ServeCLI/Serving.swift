import FlowLanguage

#if Server
  import CommandTasks
  import FlowCases
  import FlowHosting
  import FlowInspector
  import FlowKernel
  import FlowServer
  import FlowTools
  import HTTPTasks
  import HostFiles
  import Logging
  import LuaRuntime
  import MoonlatchInspector
  import Platform
  import ServiceLifecycle

  /// One run of the server: it opens the journal and the cases, and prints the start message.
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
        throw LocationError(
          description: "there is no log level \(command.logLevel)"
            + Names.suggestion(for: command.logLevel, among: Logger.Level.allCases.map(\.rawValue)))
      }
      logger.logLevel = level
      self.logger = logger
    }

    func run() async throws {
      try Descriptors.raise(to: command.maxConnections + 256)
      let sender = self.sender()
      let runner = CommandTaskRunner()
      // This reads files, and may wait for a database.
      let (capabilities, tokens, shown, kept) =
        try await withTaskExecutorPreference(WorkerThreads(limit: 1)) { try open(sender, runner) }
      var options = HostOptions(limits: flow.limits)
      options.print = { [logger] in logger.notice("print", metadata: ["text": "\($0)"]) }
      options.report = { [logger] in logger.warning("report", metadata: ["text": "\($0)"]) }
      options.keepsRefusals = true
      options.adoptsJournal = command.adopt
      let cases = try await Cases(of: flow, in: kept.journal, options: options, node: node) {
        capabilities.provide(to: &$0)
      }
      cases.tasks.mostWaiting = command.maxPolls
      // A host file without capabilities may have had some before, whose tasks follow it.
      if capabilities.hostFile != nil, capabilities.tasks.isEmpty { try await cases.tasks.use([:]) }
      let unfit = try await cases.unfit()
      let service = HTTPService(serverOptions(tokens), logger: logger)
      CaseRoutes.mount(cases, unfit: unfit, hostFile: capabilities.hostFile, on: service)
      InspectorRoutes.mount(
        Inspection(InspectedCases(cases), isReadOnly: command.readOnly), on: service, at: "inspect")
      let told = StartMessage(
        flow: flow, place: kept.text, unfit: unfit, token: shown, host: command.host,
        capabilities: capabilities.provided, hooks: capabilities.hooks,
        notifications: capabilities.notifications, missing: capabilities.missing,
        tasks: (try? await cases.tasks.counts()) ?? [])
      let group = ServiceGroup(
        configuration: .init(
          services: [
            KeptCasesService(cases: cases, sender: sender, runner: runner),
            ListeningService(service: service, told: told),
          ] + reloading(tokens)
            + reloading(capabilities, cases),
          gracefulShutdownSignals: [.sigterm, .sigint], logger: quiet))
      let deadline = ShutdownDeadline()
      defer { withExtendedLifetime(deadline) {} }
      try await group.run()
    }

    /// Reads the host file and the tokens, and then opens the journal.
    private func open(
      _ sender: HTTPTaskSender, _ runner: CommandTaskRunner
    ) throws -> (ServedCapabilities, APITokens, shown: String?, StoreLocation) {
      let capabilities = try ServedCapabilities(
        of: flow, at: command.flow, HostFileChoice(option: command.hostFile), command.missing,
        sender: sender, runner: runner, allowsCommands: command.allowCommands)
      let (tokens, shown) = try readTokens()
      let kept = try StoreLocation.open(
        command.journal ?? command.flow + ".journal", quick: command.quick)
      return (capabilities, tokens, shown, kept)
    }

    /// Returns a client for the host file's capabilities.
    func sender() -> HTTPTaskSender { HTTPTaskSender(allowsPrivate: command.allowPrivate) }

    /// Returns the options of the server.
    func serverOptions(_ tokens: APITokens) -> ServerOptions {
      var options = ServerOptions(
        host: command.host, port: command.port, names: command.name,
        maximumConnections: command.maxConnections, tokens: tokens,
        trustedHeader: command.trustHeader, isReadOnly: command.readOnly)
      options.maximumHooks = command.maxHooks
      return options
    }

    /// The options of this server as one node of several on a database.
    var node: NodeOptions {
      var node = NodeOptions()
      guard let lease = command.lease else { return node }
      node.lease = lease
      node.renewal = min(node.renewal, lease / 4)
      return node
    }

    private func reloading(
      _ capabilities: ServedCapabilities, _ cases: Cases
    ) -> [any Service] {
      guard let file = capabilities.hostFile?.file.file else { return [] }
      return [
        HostFileReloading(
          capabilities: capabilities, name: file.lastPathComponent, cases: cases, logger: logger)
      ]
    }

    private func reloading(_ tokens: APITokens) -> [any Service] {
      guard let file = command.tokenFile else { return [] }
      return [TokenReloading(tokens: tokens, file: file, flow: flow.flow, logger: logger)]
    }

    private var quiet: Logger {
      var quiet = logger
      quiet.logLevel = max(logger.logLevel, .warning)
      return quiet
    }

    private func readTokens() throws -> (APITokens, shown: String?) {
      if let file = command.tokenFile {
        return (
          try APITokens(file: TextFile.read(file, name: file), named: file, of: flow.flow), nil
        )
      }
      let token = APITokens.random()
      return (APITokens(everything: token), token)
    }
  }

  /// The message that is printed once connections are accepted.
  struct StartMessage: Sendable {
    let flow: LoadedFlow
    let place: String
    let unfit: [UnfitCases]
    let token: String?
    let host: String
    /// The capabilities, the webhooks and the notifications of the host file, the capabilities that nobody provides, and
    /// the numbers of tasks in the journal.
    var capabilities: [HostCapability] = []
    var hooks: [HostHook] = []
    var notifications: [HostNotification] = []
    var missing: [MissingCapability] = []
    var tasks: [TaskCount] = []

    func tell(_ port: Int) {
      let address = "http://\(host.contains(":") ? "[\(host)]" : host):\(port)"
      let token = token ?? "TOKEN"
      let action = flow.flow.actions.first { !$0.isInternal && Value.isName($0.name) }
      var text = "\(flow.name) is served at \(address)\ncases are stored \(place)\n"
      for cases in unfit { text += "\(cases)\n".visible }
      text += capabilityLines
      if let counts = taskCounts { text += counts }
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

        inspect the cases at \(address)/inspect#token=\(token)

        """
      Terminal.writeOutput(text)
    }
  }

  extension StartMessage {
    /// A line for each capability, webhook and notification, with its performer, path or request, and the place that says
    /// so.
    fileprivate var capabilityLines: String {
      let lines =
        capabilities.map { ($0.title, $0.summary, $0.place) }
        + missing.map { ($0.title, "nobody, so that durable effects wait for it", $0.place) }
        + hooks.map { ("hook \($0.name)", $0.summary, $0.place) }
        + notifications.map { ("notify \($0.name)", $0.summary, $0.place) }
      let width = lines.map { $0.0.count }.max() ?? 0
      return lines.map { title, performer, place in
        let blanks = String(repeating: " ", count: width - title.count)
        return "\(title)\(blanks)  \(performer)  \(place)\n"
      }.joined()
    }

    /// The numbers of open and dead tasks; nil if there are none.
    fileprivate var taskCounts: String? {
      func count(_ states: StoredTask.State...) -> Int {
        tasks.filter { states.contains($0.state) }.reduce(0) { $0 + $1.count }
      }
      let (open, dead) = (count(.ready, .leased, .called, .answered), count(.dead, .cancelled))
      if open + dead == 0 { return nil }
      return "tasks: \(open) open, \(dead) dead (GET /tasks?state=dead)\n"
    }
  }

  private struct ListeningService: Service {
    let service: HTTPService
    let told: StartMessage
    func run() async throws { try await service.run { told.tell($0) } }
  }

  /// A service that puts the cases to sleep once no more requests are served.
  struct KeptCasesService: Service {
    let cases: Cases
    /// The client that sends the requests of their capabilities; nil if there is none.
    var sender: HTTPTaskSender?
    /// The runner of their commands; nil if there is none.
    var runner: CommandTaskRunner?

    func run() async throws {
      try? await gracefulShutdown()
      do {
        try await cases.close(draining: .seconds(5))
      } catch {
        await closePerformers()
        try? await cases.closeJournal()
        throw error
      }
      await closePerformers()
      try await cases.closeJournal()
    }

    private func closePerformers() async {
      await runner?.close()
      await sender?.close()
    }
  }
#endif
