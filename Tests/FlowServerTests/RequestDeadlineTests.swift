#if Server
  import HTTPTesting
  import Moonlatch
  import Testing

  @testable import FlowServer

  @Suite struct RequestDeadlineTests {
    private func live(_ served: ServedFlow, _ header: String = "") -> [UInt8] {
      Array("GET /health/live HTTP/1.1\r\nHost: \(served.host)\r\n\(header)\r\n".utf8)
    }

    @Test("a connection that says nothing is closed, also behind a request without a token")
    func silentConnections() async throws {
      try await ServedFlow.serve({ $0.idleTime = .milliseconds(30) }) { served async throws in
        let silent = try RawConnection(port: served.port)
        #expect(await silent.receive().isEmpty)
        let idle = try RawConnection(port: served.port)
        await idle.send(live(served))
        #expect(await idle.receive().hasSuffix("{\"live\":true}"))
        let wrong = try RawConnection(port: served.port)
        await wrong.send(live(served, "Authorization: Bearer nobody\r\n"))
        #expect(await wrong.receive().hasSuffix("{\"live\":true}"))
      }
    }

    @Test("a connection that has shown a token stays, and so does a stream")
    func knownConnections() async throws {
      try await ServedFlow.serve({ $0.idleTime = .milliseconds(30) }) { served async throws in
        _ = try await served.cases.create("a")
        let known = try RawConnection(port: served.port)
        await known.send(live(served, "Authorization: Bearer \(served.token)\r\n"))
        _ = await known.receive(until: "true}")
        let stream = try RawConnection(port: served.port)
        await stream.send(served.bytes("GET", "/cases/a/views/status/events", token: served.token))
        _ = await stream.receive(until: "\"empty\"")
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
