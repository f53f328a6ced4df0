#if Server
  import Foundation
  import Logging
  import Moonlatch

  @testable import FlowServer

  /// A flow that is served to a test, on a port of its own.
  struct ServedFlow: Sendable {
    static let token = "0123456789abcdef0123456789abcdef"
    static let source = """
      local cents = integer { min = 1 }
      state { cents = optional(cents), pin = optional(string { secret = true }) }
      action.place { cents = cents, word = optional(string { pattern = "^%l+$", max_length = 5 }) }
      action.pay {}
      action.tell { pin = string { secret = true } }
      action.break_ {}
      action.loop {}
      action.sink {}
      machine.order { initial = "empty", empty = { place = "open" }, open = { pay = "done" }, done = { final = true } }
      function reduce.place(s, a) s.cents = a.cents end
      function reduce.tell(s, a) s.pin = a.pin end
      function reduce.break_(s) error("it broke") end
      function reduce.loop(s) while true do end end
      function reduce.sink(s) s.cents = 1 error({}) end
      function view.status(s) return s.order end
      """

    let port: Int
    let service: HTTPService
    let cases: Cases

    var host: String { "127.0.0.1:\(port)" }

    /// Serves while the body runs.
    static func serve(
      _ change: (inout ServerOptions) -> Void = { _ in },
      journal: any Journal = MemoryJournal(),
      _ body: @escaping @Sendable (ServedFlow) async throws -> Void
    ) async throws {
      let flow = try LoadedFlow(source: source, name: "shop.lua")
      let cases = try Cases(of: flow, in: journal)
      var options = ServerOptions(port: 0, tokens: APITokens(everything: token))
      change(&options)
      let service = HTTPService(
        options, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
      CaseRoutes.mount(cases, on: service)
      let (ports, found) = AsyncStream.makeStream(of: Int.self)
      let running = Task { try await service.run { found.yield($0) } }
      for await port in ports {
        do {
          try await body(ServedFlow(port: port, service: service, cases: cases))
        } catch {
          running.cancel()
          throw error
        }
        break
      }
      service.streams.endAll()
      running.cancel()
      try await cases.close()
    }

    /// Sends bytes as they are, and gives all that comes until the server hangs up, or enough has come.
    func exchange(
      _ bytes: [UInt8], halfClosing: Bool = false, until enough: String? = nil
    ) async throws -> String {
      let port = port
      return try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread {
          continuation.resume(
            with: Result {
              try RawSocket.exchange(port, bytes, halfClosing: halfClosing, until: enough)
            })
        }
      }
    }

    /// A request with all that it has to have, and what is added.
    func request(
      _ method: String, _ path: String, _ body: String? = nil, token: String? = token,
      host: String? = nil, headers: [String] = [], until enough: String? = nil
    ) async throws -> String {
      var text = "\(method) \(path) HTTP/1.1\r\nHost: \(host ?? self.host)\r\nConnection: close\r\n"
      if let token { text += "Authorization: Bearer \(token)\r\n" }
      if let body { text += "Content-Length: \(body.utf8.count)\r\n" }
      if body != nil, !headers.contains(where: { $0.lowercased().hasPrefix("content-type") }) {
        text += "Content-Type: application/json\r\n"
      }
      for header in headers { text += header + "\r\n" }
      return try await exchange(Array((text + "\r\n" + (body ?? "")).utf8), until: enough)
    }

    /// The number of its status.
    func status(
      _ method: String, _ path: String, _ body: String? = nil, token: String? = token,
      host: String? = nil, headers: [String] = []
    ) async throws -> Int? {
      Self.status(try await request(method, path, body, token: token, host: host, headers: headers))
    }

    static func status(_ answer: String) -> Int? {
      answer.split(separator: " ").dropFirst().first.flatMap { Int($0) }
    }
  }

  /// A connection without a library that would mend what is sent.
  enum RawSocket {
    struct Failure: Error {}

    static func exchange(
      _ port: Int, _ bytes: [UInt8], halfClosing: Bool, until enough: String?
    ) throws -> String {
      let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      guard socket >= 0 else { throw Failure() }
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
      var sent = 0
      while sent < bytes.count {
        let count = bytes[sent...].withUnsafeBytes {
          send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        if count <= 0 { break }
        sent += count
      }
      if halfClosing { shutdown(socket, Int32(SHUT_WR)) }
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
