#if Server
  import FlowCases
  import FlowHosting
  import FlowInspector
  import FlowKernel
  import FlowServer
  import Logging
  import Platform
  import Synchronization

  /// A page in the browser on which one sees what a host does, from inside the program that has it.
  ///
  /// ```swift
  /// let inspector = try await Inspector(host)
  /// print(inspector.url)  // http://127.0.0.1:49152/#token=…
  /// ```
  ///
  /// It listens at 127.0.0.1, to those alone who have the address with its token, and lasts as long as it is kept, or
  /// until it is stopped. What the host does is noted from then on: the last 100,000 actions, refused ones too.
  public final class Inspector: Sendable {
    /// What to open in a browser; whoever has it may do what the page may.
    public let url: String
    /// The port at which it listens.
    public let port: Int
    private let running: Task<Void, any Error>

    /// Looks at a host.
    ///
    /// - Parameters:
    ///   - host: what is looked at.
    ///   - port: where it listens; 0 for any port that is free.
    ///   - isReadOnly: whether nothing may be dispatched from the page.
    ///   - tell: told the address; prints it unless another is given.
    /// - Throws: what the system says where it cannot listen there; `AgentError`.
    public convenience init(
      _ host: FlowHost, port: Int = 0, isReadOnly: Bool = false,
      tell: @Sendable (String) -> Void = Inspector.print
    ) async throws {
      try await self.init(
        Inspection(try InspectedHost(host), isReadOnly: isReadOnly), port, tell)
    }

    /// Looks at the cases of a journal.
    ///
    /// - Parameters: as for a host.
    /// - Throws: as for a host.
    public convenience init(
      _ cases: Cases, port: Int = 0, isReadOnly: Bool = false,
      tell: @Sendable (String) -> Void = Inspector.print
    ) async throws {
      try await self.init(Inspection(InspectedCases(cases), isReadOnly: isReadOnly), port, tell)
    }

    private init(
      _ inspection: Inspection, _ port: Int, _ tell: @Sendable (String) -> Void
    ) async throws {
      let token = APITokens.random()
      let service = HTTPService(
        InspectorServer.options(port: port, token: token, isReadOnly: inspection.isReadOnly),
        logger: Logger(label: "moonlatch.inspector") { _ in SwiftLogNoOpLogHandler() })
      InspectorRoutes.mount(inspection, on: service)
      let (ports, found) = AsyncThrowingStream.makeStream(of: Int.self)
      running = Task {
        do {
          try await service.run { found.yield($0) }
          found.finish()
        } catch {
          found.finish(throwing: error)
          throw error
        }
      }
      var listening: Int?
      for try await each in ports {
        listening = each
        break
      }
      guard let listening else { throw CancellationError() }
      self.port = listening
      url = InspectorServer.url(port: listening, token: token)
      tell(url)
    }

    deinit { running.cancel() }

    /// Ends it: the page says that the server is gone.
    public func stop() { running.cancel() }

    /// Prints the address, as `inspector: http://…`.
    public static let print: @Sendable (String) -> Void = {
      Terminal.writeOutput("inspector: \($0)\n")
    }
  }

  /// How an inspector's server listens.
  package enum InspectorServer {
    /// To few, at the loopback address alone.
    package static func options(port: Int, token: String, isReadOnly: Bool) -> ServerOptions {
      ServerOptions(
        host: "127.0.0.1", port: port, maximumConnections: 256, longestBody: 1 << 20,
        timeToSend: .seconds(10), tokens: APITokens(everything: token), isReadOnly: isReadOnly)
    }

    /// The address with its token, which the fragment keeps from servers and from other pages.
    package static func url(port: Int, token: String, path: String = "") -> String {
      "http://127.0.0.1:\(port)/\(path)#token=\(token)"
    }
  }
#endif
