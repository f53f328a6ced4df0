/// A server under test that receives raw bytes, so that no library corrects what is sent.
package protocol RawAsked: Sendable {
  var port: Int { get }
  /// The token that has all rights on the server.
  var token: String { get }
}

extension RawAsked {
  /// The host of the server, as in the header `Host`.
  package var host: String { "127.0.0.1:\(port)" }

  /// Sends bytes unchanged, and returns all that is received until the server closes the connection or `enough` has
  /// been received.
  package func exchange(
    _ bytes: [UInt8], halfClosing: Bool = false, until enough: String? = nil
  ) async throws -> String {
    let connection = try RawConnection(port: port)
    await connection.send(bytes, halfClosing: halfClosing)
    return await connection.receive(until: enough)
  }

  /// Returns the bytes of a valid request, with additional headers.
  package func bytes(
    _ method: String, _ path: String, _ body: String? = nil, token: String?, host: String? = nil,
    headers: [String] = []
  ) -> [UInt8] {
    var text = "\(method) \(path) HTTP/1.1\r\nHost: \(host ?? self.host)\r\nConnection: close\r\n"
    if let token { text += "Authorization: Bearer \(token)\r\n" }
    if let body { text += "Content-Length: \(body.utf8.count)\r\n" }
    if body != nil, !headers.contains(where: { $0.lowercased().hasPrefix("content-type") }) {
      text += "Content-Type: application/json\r\n"
    }
    for header in headers { text += header + "\r\n" }
    return Array((text + "\r\n" + (body ?? "")).utf8)
  }

  /// Returns the answer to a request with this token, or with none.
  package func request(
    _ method: String, _ path: String, _ body: String? = nil, token: String?, host: String? = nil,
    headers: [String] = [], until enough: String? = nil
  ) async throws -> String {
    try await exchange(
      bytes(method, path, body, token: token, host: host, headers: headers), until: enough)
  }

  /// Returns the answer to a request with the server's own token.
  package func request(
    _ method: String, _ path: String, _ body: String? = nil, host: String? = nil,
    headers: [String] = [], until enough: String? = nil
  ) async throws -> String {
    try await request(
      method, path, body, token: token, host: host, headers: headers, until: enough)
  }

  /// Returns the status code of the answer to a request with this token, or with none.
  package func status(
    _ method: String, _ path: String, _ body: String? = nil, token: String?, host: String? = nil,
    headers: [String] = []
  ) async throws -> Int? {
    Self.status(try await request(method, path, body, token: token, host: host, headers: headers))
  }

  /// Returns the status code of the answer to a request with the server's own token.
  package func status(
    _ method: String, _ path: String, _ body: String? = nil, host: String? = nil,
    headers: [String] = []
  ) async throws -> Int? {
    try await status(method, path, body, token: token, host: host, headers: headers)
  }

  /// Returns the status code of an answer.
  package static func status(_ answer: String) -> Int? {
    answer.split(separator: " ").dropFirst().first.flatMap { Int($0) }
  }
}
