#if Server
  import HTTPTesting
  import Testing

  @testable import FlowServer

  @Suite struct ConnectionLimitTests {
    @Test("silent connections block no new ones, and one with a token stays open")
    func silentOnes() async throws {
      try await ServedFlow.serve({ $0.maximumConnections = 4 }) { served async throws in
        let known = try RawConnection(port: served.port)
        let live = "GET /health/live HTTP/1.1\r\nHost: \(served.host)\r\n"
        await known.send(Array("\(live)Authorization: Bearer \(served.token)\r\n\r\n".utf8))
        #expect(await known.receive(until: "true}").contains("200 OK"))
        let silent = try (0..<8).map { _ in try RawConnection(port: served.port) }
        let answer = try await served.request("GET", "/health/live", token: nil)
        #expect(ServedFlow.status(answer) == 200)
        await known.send(Array("\(live)\r\n".utf8))
        #expect(await known.receive(until: "true}").contains("200 OK"))
        _ = silent
      }
    }
  }
#endif
