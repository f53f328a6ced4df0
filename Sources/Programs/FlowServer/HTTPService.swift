#if Server
  import Hummingbird
  import HummingbirdCore
  import Logging
  import NIOCore
  import ServiceLifecycle
  import Synchronization

  // How routes are mounted
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
  // Host, Origin, the type and size of a body and the time to send it are seen to before a route is reached. The
  // token is asked for wherever routes are not mounted `open`: a page that holds nothing yet may be. What a route
  // throws becomes problem+json: a `Problem` as it says, a `JournalError`, a `Refusal`, a `DispatchFailure` or a
  // `ViewError` as the routes of cases tell it, anything else 500. Streams end when the service does.

  /// An HTTP server that lets in whom it knows, and hands on what it can read.
  package final class HTTPService: Service {
    /// What is asked for.
    package let options: ServerOptions
    /// Where routes are mounted, before it runs.
    package let routes: Routes
    /// The streams of events that are open.
    package let streams = OpenStreams()
    /// What is counted.
    package let meters = ServerMeters()
    private let logger: Logger
    /// `nonisolated(unsafe)`: whoever makes the service mounts its routes before `run`, one after the other; from then
    /// on it is only read.
    nonisolated(unsafe) private let router: Router<ServerContext>
    private let gate: HostHeaderGuard

    /// A server without a route.
    package init(_ options: ServerOptions, logger: Logger) {
      (self.options, self.logger) = (options, logger)
      router = Router(context: ServerContext.self)
      gate = HostHeaderGuard(options)
      routes = Routes(
        group: router.group(), isOpen: false,
        parts: Routes.Parts(options: options, streams: streams, logger: logger))
    }

    /// The address at which it listens, once it does; `ready` tells.
    package var port: Int { gate.port }

    /// Serves until the service group that it is in shuts down, or the task is cancelled.
    ///
    /// - Parameter ready: told once connections are taken.
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

    /// The same, for a group of services.
    package func run() async throws { try await run(ready: { _ in }) }

    /// Hummingbird tells of itself where something is wrong alone.
    private var quiet: Logger {
      var quiet = Logger(label: "hummingbird") { [logger] _ in PassingLogHandler(to: logger) }
      quiet.logLevel = max(logger.logLevel, .warning)
      return quiet
    }
  }

  /// Passes on what is logged.
  ///
  /// What Hummingbird notes of each request is made a text of where something is logged, and not where it is noted, as
  /// other handlers do.
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
