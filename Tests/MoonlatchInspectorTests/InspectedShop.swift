#if Server
  import Foundation
  import Moonlatch

  @testable import MoonlatchInspector

  /// An inspector that a test asks, as bytes on a connection: no library mends what is sent.
  struct InspectedShop: Sendable {
    static let source = """
      state { cents = optional(integer { min = 1 }) }
      action.place { cents = integer { min = 1 } }
      machine.order { initial = "empty", empty = { place = "open" }, open = { final = true } }
      function reduce.place(s, a) s.cents = a.cents end
      """

    let inspector: Inspector
    let cases: Cases
    var token: String { String(inspector.url.split(separator: "=").last ?? "") }
    var own: String { "127.0.0.1:\(inspector.port)" }

    static func inspect(
      isReadOnly: Bool = false, _ body: (InspectedShop) async throws -> Void
    ) async throws {
      let flow = try LoadedFlow(source: source, name: "shop.lua")
      let cases = try Cases(of: flow, in: MemoryJournal())
      try await cases.create("a")
      let inspector = try await Inspector(cases, isReadOnly: isReadOnly) { _ in }
      try await body(InspectedShop(inspector: inspector, cases: cases))
      inspector.stop()
      try await cases.close()
    }

    /// A request with what it has to have, and what is added.
    func request(
      _ method: String, _ path: String, _ body: String? = nil, token: String?, host: String? = nil,
      headers: [String] = [], until enough: String? = nil
    ) async throws -> String {
      var text = "\(method) \(path) HTTP/1.1\r\nHost: \(host ?? own)\r\nConnection: close\r\n"
      if let token { text += "Authorization: Bearer \(token)\r\n" }
      if let body { text += "Content-Length: \(body.utf8.count)\r\n" }
      if body != nil, !headers.contains(where: { $0.lowercased().hasPrefix("content-type") }) {
        text += "Content-Type: application/json\r\n"
      }
      for header in headers { text += header + "\r\n" }
      return try await exchange(text + "\r\n" + (body ?? ""), until: enough)
    }

    func status(
      _ method: String, _ path: String, _ body: String? = nil, token: String?, host: String? = nil,
      headers: [String] = []
    ) async throws -> Int? {
      let answer = try await request(
        method, path, body, token: token, host: host, headers: headers)
      return answer.split(separator: " ").dropFirst().first.flatMap { Int($0) }
    }

    func exchange(_ text: String, until enough: String? = nil) async throws -> String {
      let port = inspector.port
      return try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread {
          continuation.resume(with: Result { try Self.exchange(port, Array(text.utf8), enough) })
        }
      }
    }

    private struct Failure: Error {}

    private static func exchange(_ port: Int, _ bytes: [UInt8], _ enough: String?) throws -> String
    {
      let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      defer { close(socket) }
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = in_port_t(port).bigEndian
      address.sin_addr.s_addr = inet_addr("127.0.0.1")
      let isOpen = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
      }
      guard isOpen else { throw Failure() }
      // A test that would hang fails.
      var patience = timeval(tv_sec: 20, tv_usec: 0)
      setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
      _ = bytes.withUnsafeBytes { send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      var answer: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 65_536)
      while true {
        let count = recv(socket, &buffer, buffer.count, 0)
        if count <= 0 { break }
        answer += buffer[..<count]
        if let enough, String(decoding: answer, as: UTF8.self).contains(enough) { break }
      }
      return String(decoding: answer, as: UTF8.self)
    }
  }
#endif
