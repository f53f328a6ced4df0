#if Server
  import FlowCases
  import FlowHosting
  import FlowInspector
  import FlowKernel
  import FlowServer
  import Logging
  import Platform
  import Synchronization

  /// A browser page that shows what a host does, served from inside the program that has the host.
  ///
  /// ```swift
  /// let inspector = try await Inspector(host)
  /// print(inspector.url)  // http://127.0.0.1:49152/#token=…
  /// ```
  ///
  /// The inspector listens at 127.0.0.1 and admits only requests with the token of its address. It runs until it is
  /// stopped or deallocated. From its creation on it records the last 100,000 dispatches of the host, including
  /// rejected ones.
  public final class Inspector: Sendable {
    /// The address to open in a browser; it has the token, so whoever knows it can do all that the page can.
    public let url: String
    /// The port on which the inspector listens.
    public let port: Int
    private let running: Task<Void, any Error>

    /// Inspects a host.
    ///
    /// - Parameters:
    ///   - host: the host to inspect.
    ///   - port: the port to listen on; 0 for any free one.
    ///   - isReadOnly: true if the page must not change anything.
    ///   - tell: called with the address; prints it by default.
    /// - Throws: the system's error if the port cannot be used; `AgentError`.
    public convenience init(
      _ host: FlowHost, port: Int = 0, isReadOnly: Bool = false,
      tell: @Sendable (String) -> Void = Inspector.print
    ) async throws {
      try await self.init(
        Inspection(try InspectedHost(host), isReadOnly: isReadOnly), port, tell)
    }

    /// Inspects the cases of a journal.
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

    /// Stops the server; open pages then report that it is gone.
    public func stop() { running.cancel() }

    /// Prints the address, as `inspector: http://…`.
    public static let print: @Sendable (String) -> Void = {
      Terminal.writeOutput("inspector: \($0)\n")
    }
  }

  /// The address and the server options of an inspector.
  package enum InspectorServer {
    /// Returns options for a server with few clients, at the loopback address only.
    package static func options(port: Int, token: String, isReadOnly: Bool) -> ServerOptions {
      ServerOptions(
        host: "127.0.0.1", port: port, maximumConnections: 256, longestBody: 1 << 20,
        timeToSend: .seconds(10), tokens: APITokens(everything: token), isReadOnly: isReadOnly)
    }

    /// Returns the address with its token in the fragment, which browsers send to no server and show to no other page.
    package static func url(port: Int, token: String, path: String = "") -> String {
      "http://127.0.0.1:\(port)/\(path)#token=\(token)"
    }
  }
#endif
