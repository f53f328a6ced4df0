#if Server
  import AsyncHTTPClient
  import HostFiles
  import NIOCore
  import NIOPosix
  import NIOSSL
  import Platform

  /// The clients of the servers that were asked lately: one for each server, address and set of files for TLS.
  ///
  /// A client connects to its address alone, whatever the name of the server stands for by then. When one is added,
  /// those that were not used for a minute are shut down: names get new addresses as time goes by.
  final class HTTPTaskClients: Sendable {
    struct Key: Sendable, Hashable {
      let origin: HTTPTaskOrigin
      let address: NetworkAddress
      let tls: HTTPTaskTLS?
    }

    private struct Entry {
      let client: HTTPClient
      /// The number of requests that use the client now.
      var users = 1
      /// The end of the last request.
      var lastUse = ContinuousClock.now
    }

    private struct State {
      var entries: [Key: Entry] = [:]
      var isClosed = false

      /// Returns the client of a key, with one more user.
      mutating func acquire(_ key: Key) -> HTTPClient? {
        entries[key]?.users += 1
        return entries[key]?.client
      }

      /// Removes the clients that were not used since a time.
      mutating func removeUnused(since time: ContinuousClock.Instant) -> [HTTPClient] {
        let unused = entries.filter { $0.value.users == 0 && $0.value.lastUse < time }
        for key in unused.keys { entries[key] = nil }
        return unused.values.map(\.client)
      }
    }

    private let state = Mutex(State())

    deinit {
      let clients = state.withLock { $0.entries.values.map(\.client) }
      HTTPTaskClients.shutDown(clients)
    }

    /// Returns the client of a key, which stays open until it is released; nil after `close`.
    ///
    /// - Throws: `TLSFileFault` if the texts for TLS cannot be read.
    func acquire(_ key: Key) throws(TLSFileFault) -> HTTPClient? {
      if let client = state.withLock({ $0.acquire(key) }) { return client }
      let configuration = try HTTPTaskClients.configuration(key)
      let (client, unused) = state.withLock { state -> (HTTPClient?, [HTTPClient]) in
        if state.isClosed { return (nil, []) }
        if let client = state.acquire(key) { return (client, []) }
        let unused = state.removeUnused(since: ContinuousClock.now - .seconds(60))
        let client = HTTPClient(
          eventLoopGroup: MultiThreadedEventLoopGroup.singleton, configuration: configuration)
        state.entries[key] = Entry(client: client)
        return (client, unused)
      }
      HTTPTaskClients.shutDown(unused)
      return client
    }

    /// Ends a use of the client.
    func release(_ key: Key) {
      state.withLock { state in
        state.entries[key]?.users -= 1
        state.entries[key]?.lastUse = .now
      }
    }

    /// Shuts all clients down; requests that they still perform are aborted.
    func close() async {
      let clients = state.withLock { state -> [HTTPClient] in
        let clients = state.entries.values.map(\.client)
        state.entries = [:]
        state.isClosed = true
        return clients
      }
      for client in clients { try? await client.shutdown() }
    }

    private static func shutDown(_ clients: [HTTPClient]) {
      for client in clients { client.shutdown { _ in } }
    }

    private static func configuration(
      _ key: Key
    ) throws(TLSFileFault) -> HTTPClient.Configuration {
      var configuration = HTTPClient.Configuration()
      if key.origin.isEncrypted {
        configuration.tlsConfiguration = try TLSConfiguration.client(key.tls)
      }
      configuration.redirectConfiguration = .disallow
      configuration.httpVersion = .http1Only
      configuration.timeout.connect = .seconds(HTTPTaskClients.connectSeconds)
      // The client would try again, and hide the reason; the flow decides that.
      configuration.connectionPool.retryConnectionEstablishment = false
      // Servers close idle connections too, and a request that crosses that is lost: most wait longer.
      configuration.connectionPool.idleTimeout = .seconds(1)
      configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 1_024
      // Spans would have the URL, which may have secrets.
      configuration.tracing.tracer = nil
      if NetworkAddress(key.origin.host) == nil {
        configuration.dnsOverride = [key.origin.host: key.address.description]
      }
      return configuration
    }

    /// The longest time until a connection is there, in seconds.
    static let connectSeconds: Int64 = 10
  }
#endif
