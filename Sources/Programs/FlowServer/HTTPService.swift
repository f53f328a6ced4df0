#if Server
  import Hummingbird
  import HummingbirdCore
  import Logging
  import NIOCore
  import ServiceLifecycle
  import Synchronization

  // Routes are mounted as in this example:
  //
  //     let service = HTTPService(options, logger: logger)
  //     service.routes.at("inspect", open: true).get("") { call in .text(page, as: "text/html; charset=utf-8") }
  //     let api = service.routes.at("inspect/api")
  //     api.get("cases/:id") { call in
  //       let id = try call.parameter("id")
  //       guard let found = try look(id) else { throw Problem.notFound("there is no case \(id)") }
  //       return .json(found)
  //     }
  //     api.post("cases/:id/fork", needs: .create) { call in .json(try await fork(call.body()), status: .created) }
  //     api.get("cases/:id/events") { call in
  //       call.events { sink in
  //         for try await entry in entries(from: (call.lastSeq ?? 0) + 1) {
  //           try await sink.send(json(entry), id: "\(entry.seq)")
  //         }
  //       }
  //     }
  //     try await service.run()
  //
  // The service checks Host, Origin, the type and size of a body and the time to send it before a route is reached. A
  // token is required unless routes are mounted `open`, as a page without data may be. An error that a route throws
  // becomes problem+json: a `Problem` as it is; a `JournalError`, a `Refusal`, a `DispatchFailure` or a `ViewError` as
  // the routes of cases report it; any other error as 500. Streams end when the service does.

  /// An HTTP server that authenticates requests and passes those that it can read to its routes.
  package final class HTTPService: Service {
    /// The options of the server.
    package let options: ServerOptions
    /// The root at which routes are mounted, before the server runs.
    package let routes: Routes
    /// The open event streams.
    package let streams = OpenStreams()
    /// The metrics of the server.
    package let meters = ServerMeters()
    private let logger: Logger
    /// `nonisolated(unsafe)`: the creator of the service mounts its routes before `run`, one after the other; from then
    /// on the router is only read.
    nonisolated(unsafe) private let router: Router<ServerContext>
    private let gate: HostHeaderGuard

    /// Creates a server without routes.
    package init(_ options: ServerOptions, logger: Logger) {
      (self.options, self.logger) = (options, logger)
      router = Router(context: ServerContext.self)
      gate = HostHeaderGuard(options)
      routes = Routes(
        group: router.group(), isOpen: false,
        parts: Routes.Parts(options: options, streams: streams, logger: logger))
    }

    /// The port on which the server listens, once `ready` was called.
    package var port: Int { gate.port }

    /// Serves until the service group that contains it shuts down, or the task is cancelled.
    ///
    /// - Parameter ready: called once connections are accepted.
    package func run(ready: @escaping @Sendable (_ port: Int) async -> Void) async throws {
      routes.close()
      let options = options
      let application = Application(
        responder: GuardedResponder(
          inner: router.buildResponder(), gate: gate, meters: meters, logger: logger),
        server: .http1(
          configuration: .init(
            additionalChannelHandlers: [RequestDeadline(options)],
            idleTimeout: .seconds(60),
            httpDecoderConfiguration: .init(
              maxHeaderFieldSize: HTTPLimits.field, maxHeaderListSize: HTTPLimits.allFields,
              maxHeaderFieldCount: HTTPLimits.fieldCount))),
        configuration: ApplicationConfiguration(
          address: .hostname(options.host, port: options.port), backlog: 1_024),
        onServerRunning: { [gate, options, logger] channel in
          try? await channel.eventLoop.submit {
            try channel.pipeline.syncOperations.addHandler(
              ConnectionLimit(options.maximumConnections, logger: logger), position: .first)
          }.get()
          let port = channel.localAddress?.port ?? 0
          gate.listen(at: port)
          await ready(port)
        },
        logger: quiet)
      try await withGracefulShutdownHandler {
        try await application.run()
      } onGracefulShutdown: { [streams] in
        streams.endAll()
      }
    }

    /// Serves as a member of a service group.
    package func run() async throws { try await run(ready: { _ in }) }

    /// The logger of Hummingbird, which passes on warnings and errors only.
    private var quiet: Logger {
      var quiet = Logger(label: "hummingbird") { [logger] _ in PassingLogHandler(to: logger) }
      quiet.logLevel = max(logger.logLevel, .warning)
      return quiet
    }
  }

  /// A log handler that passes messages to another logger.
  ///
  /// Hummingbird's metadata of each request becomes text only if the message is logged, and not when it is created, as
  /// in other handlers.
  private struct PassingLogHandler: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level = .warning
    private let logger: Logger

    init(to logger: Logger) { self.logger = logger }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      logger.log(
        level: event.level, event.message,
        metadata: metadata.merging(event.metadata ?? [:], uniquingKeysWith: { $1 }))
    }
  }
#endif
