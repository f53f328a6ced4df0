/// A server that a test asks, as bytes on a connection: no library mends what is sent.
package protocol RawAsked: Sendable {
  var port: Int { get }
  /// What it lets its own people in by.
  var token: String { get }
}

extension RawAsked {
  /// Its name, as `Host` has it.
  package var host: String { "127.0.0.1:\(port)" }

  /// Sends bytes as they are, and gives all that comes until the server hangs up, or enough has come.
  package func exchange(
    _ bytes: [UInt8], halfClosing: Bool = false, until enough: String? = nil
  ) async throws -> String {
    let connection = try RawConnection(port: port)
    await connection.send(bytes, halfClosing: halfClosing)
    return await connection.receive(until: enough)
  }

  /// The bytes of a request with all that it has to have, and what is added.
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

  /// What is answered to such a request, by somebody with this token, or with none.
  package func request(
    _ method: String, _ path: String, _ body: String? = nil, token: String?, host: String? = nil,
    headers: [String] = [], until enough: String? = nil
  ) async throws -> String {
    try await exchange(
      bytes(method, path, body, token: token, host: host, headers: headers), until: enough)
  }

  /// The same for its own people.
  package func request(
    _ method: String, _ path: String, _ body: String? = nil, host: String? = nil,
    headers: [String] = [], until enough: String? = nil
  ) async throws -> String {
    try await request(
      method, path, body, token: token, host: host, headers: headers, until: enough)
  }

  /// The number of the status of what is answered.
  package func status(
    _ method: String, _ path: String, _ body: String? = nil, token: String?, host: String? = nil,
    headers: [String] = []
  ) async throws -> Int? {
    Self.status(try await request(method, path, body, token: token, host: host, headers: headers))
  }

  /// The same for its own people.
  package func status(
    _ method: String, _ path: String, _ body: String? = nil, host: String? = nil,
    headers: [String] = []
  ) async throws -> Int? {
    try await status(method, path, body, token: token, host: host, headers: headers)
  }

  /// The number of the status of an answer.
  package static func status(_ answer: String) -> Int? {
    answer.split(separator: " ").dropFirst().first.flatMap { Int($0) }
  }
}
