#if Server
  import HTTPTesting
  import Testing

  @testable import FlowServer

  @Suite(.timeLimit(.minutes(2))) struct RequestDeadlineTests {
    private func live(_ served: ServedFlow, _ header: String = "") -> [UInt8] {
      Array("GET /health/live HTTP/1.1\r\nHost: \(served.host)\r\n\(header)\r\n".utf8)
    }

    /// A connection whose first request was answered: on a busy machine some are closed before they have sent it.
    private func answered(
      _ served: ServedFlow, _ request: [UInt8], until end: String
    ) async throws -> RawConnection {
      while true {
        try Task.checkCancellation()
        let connection = try RawConnection(port: served.port)
        await connection.send(request)
        if await connection.receive(until: end).contains(end) { return connection }
      }
    }

    @Test("a silent connection is closed, also after a request without a token")
    func silentConnections() async throws {
      try await ServedFlow.serve({ $0.idleTime = .milliseconds(30) }) { served async throws in
        let silent = try RawConnection(port: served.port)
        #expect(await silent.receive().isEmpty)
        for header in ["", "Authorization: Bearer nobody\r\n"] {
          let idle = try await answered(served, live(served, header), until: "{\"live\":true}")
          #expect(await idle.receive().isEmpty)
        }
      }
    }

    @Test("a connection that has shown a token stays open, and so does a stream")
    func knownConnections() async throws {
      try await ServedFlow.serve({ $0.idleTime = .milliseconds(30) }) { served async throws in
        _ = try await served.cases.create("a")
        let known = try await answered(
          served, live(served, "Authorization: Bearer \(served.token)\r\n"), until: "true}")
        let stream = try await answered(
          served, served.bytes("GET", "/cases/a/views/status/events", token: served.token),
          until: "\"empty\"")
        // Another that was opened later has been closed by then.
        for _ in 0..<3 { #expect(await (try RawConnection(port: served.port)).receive().isEmpty) }
        await known.send(live(served))
        #expect(await known.receive(until: "true}").contains("200 OK"))
        _ = try await served.cases["a"].dispatch("place", ["cents": 1])
        #expect(await stream.receive(until: "\"open\"").contains("\"open\""))
      }
    }
  }
#endif
