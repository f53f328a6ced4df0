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
  /// The texts of files for TLS; nil for the system's certificates.
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
