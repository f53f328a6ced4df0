/// A client that sends the requests of `http` capabilities.
package protocol HTTPSender: Sendable {
  /// Sends a request, and returns early if the task that runs it is cancelled.
  func send(_ request: HTTPTaskRequest) async -> HTTPTaskResponse
}

/// A field of the head of a request or response.
package struct HTTPTaskHeader: Sendable, Hashable {
  package let name: String
  package let value: String

  package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
}

/// A request of an `http` capability.
package struct HTTPTaskRequest: Sendable, Hashable {
  package let method: String
  /// The absolute URL, percent-encoded, without fragment and without a user's name.
  package let url: String
  /// Fields without line breaks.
  package let headers: [HTTPTaskHeader]
  /// The body; nil if there is none.
  package let body: [UInt8]?
  /// The longest time from the first byte of the request to the last one of the response, in seconds.
  package let timeout: Double
  /// The greatest size of the response's body, in bytes.
  package let mostBytes: Int
  /// The addresses that the host's name may stand for.
  package let network: HTTPTaskNetwork
  /// True if `http://` is allowed to public addresses.
  package let allowsPlain: Bool
  /// Files for TLS; nil for the system's certificates.
  package let tls: HTTPTaskTLS?

  package init(
    method: String, url: String, headers: [HTTPTaskHeader] = [], body: [UInt8]? = nil,
    timeout: Double = 30, mostBytes: Int = 1 << 20, network: HTTPTaskNetwork = .publicOnly,
    allowsPlain: Bool = false, tls: HTTPTaskTLS? = nil
  ) {
    (self.method, self.url, self.headers, self.body) = (method, url, headers, body)
    (self.timeout, self.mostBytes, self.network) = (timeout, mostBytes, network)
    (self.allowsPlain, self.tls) = (allowsPlain, tls)
  }
}

/// The addresses to which a request may be sent.
package enum HTTPTaskNetwork: Sendable, Hashable {
  /// Public addresses alone.
  case publicOnly
  /// Private ones too, but not those of a cloud's metadata.
  case privateToo
  /// All of them: the host file names the address itself, or `localhost`.
  case named
}

/// Files for TLS, in PEM.
package struct HTTPTaskTLS: Sendable, Hashable {
  /// The certificates of authorities that are trusted instead of the system's; nil for the system's.
  package let authorities: String?
  /// The client's certificate, and its key.
  package let certificate: String?
  package let key: String?

  package init(authorities: String?, certificate: String?, key: String?) {
    (self.authorities, self.certificate, self.key) = (authorities, certificate, key)
  }
}

/// The result of sending a request.
package enum HTTPTaskResponse: Sendable, Hashable {
  /// A whole response.
  case received(status: Int, headers: [HTTPTaskHeader], body: [UInt8])
  /// No whole response came, for this reason: another try may succeed.
  case failed(String)
  /// The address or the certificate is refused, or the response is too large: no try succeeds.
  case refused(String)
  /// The task was cancelled.
  case interrupted
}
