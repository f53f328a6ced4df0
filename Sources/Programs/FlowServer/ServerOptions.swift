#if Server
  /// The options of a server: addresses, limits and tokens.
  package struct ServerOptions: Sendable {
    /// The address to bind.
    package var host: String
    /// The port; 0 for any free one.
    package var port: Int
    /// The further names of the server, as in `Host`: `flows.example.org` or `flows.example.org:8443`.
    package var names: [String]
    /// The maximum number of open connections; further ones wait.
    package var maximumConnections: Int
    /// The maximum number of requests to webhooks that are handled at once; further ones are rejected.
    package var maximumHooks = 256
    /// The maximum length of a request body, in bytes.
    package var longestBody: Int
    /// The maximum time to send a request.
    package var timeToSend: Duration
    /// The maximum time for which a connection that has shown no token may be silent.
    package var idleTime: Duration
    /// The time limit of the journal for a readiness probe.
    package var probeTime = Duration.milliseconds(500)
    /// The tokens and their rights.
    package var tokens: APITokens
    /// The header that names the author of a dispatch, if one is trusted.
    package var trustedHeader: String?
    /// True if nothing can be changed.
    package var isReadOnly: Bool

    package init(
      host: String = "127.0.0.1", port: Int = 8080, names: [String] = [],
      maximumConnections: Int = 20_000, longestBody: Int = 1 << 20,
      timeToSend: Duration = .seconds(10), idleTime: Duration = .seconds(10), tokens: APITokens,
      trustedHeader: String? = nil,
      isReadOnly: Bool = false
    ) {
      (self.host, self.port, self.names) = (host, port, names)
      self.maximumConnections = maximumConnections
      (self.longestBody, self.timeToSend, self.idleTime) = (longestBody, timeToSend, idleTime)
      (self.tokens, self.trustedHeader, self.isReadOnly) = (tokens, trustedHeader, isReadOnly)
    }
  }
#endif
