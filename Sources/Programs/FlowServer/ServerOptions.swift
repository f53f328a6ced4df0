#if Server
  /// How a server listens, and to whom.
  package struct ServerOptions: Sendable {
    /// The address that it binds.
    package var host: String
    /// The port; 0 for any that is free.
    package var port: Int
    /// By which other names it is called, as `Host` has them: `flows.example.org` or `flows.example.org:8443`.
    package var names: [String]
    /// How many connections are open at most; who comes then waits.
    package var maximumConnections: Int
    /// How long a request may be, in bytes.
    package var longestBody: Int
    /// How long it may take to send one.
    package var timeToSend: Duration
    /// How long a connection may be silent that has shown no token.
    package var idleTime: Duration
    /// How long the journal may take to answer a probe of readiness.
    package var probeTime = Duration.milliseconds(500)
    /// Who may do what.
    package var tokens: APITokens
    /// The header that says who offers an action, where one is trusted.
    package var trustedHeader: String?
    /// Whether nothing may be changed.
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
