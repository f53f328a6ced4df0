#if Server
  import HTTPTesting
  import Testing

  @testable import FlowServer

  @Suite struct HTTPProtocolHandlerTests {
    /// A request with a head of its own, and the token.
    private func bytes(_ head: String, of served: ServedFlow, body: String = "") -> [UInt8] {
      let text = head.replacing("\n", with: "\r\n").replacing("HOST", with: served.host)
      return Array("\(text)\r\nAuthorization: Bearer \(served.token)\r\n\r\n\(body)".utf8)
    }

    @Test("HEAD is answered like GET without the body, and the connection stays open")
    func headLikeGet() async throws {
      try await ServedFlow.serve { served async throws in
        _ = try await served.cases.create("a")
        for path in [
          "/cases", "/cases/a", "/cases/a/state", "/cases/a/views/status", "/cases/a/entries",
          "/cases/a/events", "/cases/a/views/status/events", "/health/ready", "/metrics",
          "/openapi.json", "/nothing", "/cases/b",
        ] {
          let head = bytes("HEAD \(path) HTTP/1.1\nHost: HOST", of: served)
          let last = bytes(
            "GET /health/live HTTP/1.1\nHost: HOST\nConnection: close", of: served)
          let answer = try await served.exchange(head + last)
          let parts = answer.components(separatedBy: "\r\n\r\n")
          #expect(parts.count == 3 && parts[1].hasPrefix("HTTP/1.1 200 "), "\(path): \(answer)")
          let isFound = path != "/nothing" && path != "/cases/b"
          #expect(ServedFlow.status(answer) == (isFound ? 200 : 404), "\(path)")
          // Of the same length, where there is one.
          if !path.hasSuffix("/events"), path != "/metrics", isFound {
            let get = try await served.request("GET", path)
            let length = get.components(separatedBy: "\r\n").first {
              $0.hasPrefix("Content-Length: ")
            }
            #expect(parts[0].contains(try #require(length)), "\(path)")
          }
        }
        #expect(served.service.streams.count == 0)
        #expect(try await served.request("POST", "/metrics").contains("Allow: GET, HEAD"))
      }
    }

    @Test("HTTP/1.0 closes the connection unless it asks to keep it")
    func oldVersion() async throws {
      try await ServedFlow.serve { served async throws in
        let once = try await served.exchange(
          bytes("GET /health/live HTTP/1.0\nHost: HOST", of: served))
        #expect(ServedFlow.status(once) == 200 && once.lowercased().contains("connection: close"))
        let again = bytes(
          "GET /health/live HTTP/1.0\nHost: HOST\nConnection: Keep-Alive", of: served)
        let connection = try RawConnection(port: served.port)
        for _ in 0..<2 {
          await connection.send(again)
          let answer = await connection.receive(until: "{\"live\":true}")
          #expect(answer.lowercased().contains("connection: keep-alive"))
        }
        let closing = try await served.exchange(
          bytes("GET /health/live HTTP/1.1\nHost: HOST\nConnection: Close", of: served))
        #expect(closing.lowercased().contains("connection: close"))
      }
    }

    @Test("a stream over HTTP/1.0 is not chunked, and ends with the connection")
    func streamToOldVersion() async throws {
      try await ServedFlow.serve { served async throws in
        _ = try await served.cases.create("a")
        for path in ["/cases/a/views/status/events", "/cases/a/events"] {
          let connection = try RawConnection(port: served.port)
          await connection.send(
            bytes("GET \(path) HTTP/1.0\nHost: HOST\nConnection: keep-alive", of: served))
          let answer = await connection.receive(until: "data: ")
          let parts = answer.components(separatedBy: "\r\n\r\n")
          #expect(parts.count == 2 && !parts[0].lowercased().contains("chunked"), "\(path)")
          #expect(parts[0].lowercased().contains("connection: close"))
          #expect(
            parts.last?.hasPrefix(":\n\n") == true && !answer.contains("\r\n3\r\n"), "\(answer)")
        }
      }
    }

    @Test("a request that expects 100 Continue gets it before its body is read, or gets an error")
    func expectation() async throws {
      try await ServedFlow.serve({ $0.longestBody = 100 }) { served async throws in
        func head(_ length: Int, _ expectation: String = "100-continue") -> [UInt8] {
          bytes(
            "POST /cases/a HTTP/1.1\nHost: HOST\nContent-Type: application/json\nExpect: \(expectation)\n"
              + "Content-Length: \(length)", of: served)
        }
        let connection = try RawConnection(port: served.port)
        await connection.send(head(2))
        #expect(await connection.receive(until: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
        await connection.send(Array("{}".utf8))
        #expect(ServedFlow.status(await connection.receive(until: "\"a\"}")) == 201)
        // The connection goes on.
        await connection.send(head(2, "100-Continue"))
        #expect(await connection.receive(until: "\r\n\r\n").contains(" 100 "))
        await connection.send(Array("{}".utf8))
        #expect(ServedFlow.status(await connection.receive(until: "}")) == 409)
        // Nobody sends a body that is refused: what comes next would be taken for it.
        let refused = try await served.exchange(head(1_000))
        #expect(ServedFlow.status(refused) == 413 && !refused.contains("100 Continue"))
        #expect(refused.lowercased().contains("connection: close"))
      }
    }

    @Test("invalid HTTP is answered with a problem document")
    func noHTTP() async throws {
      try await ServedFlow.serve { served async throws in
        let long = String(repeating: "x", count: 20_000)
        let many = (0..<200).map { "X-\($0): y" }.joined(separator: "\n")
        let requests = [
          ("GET /\(long) HTTP/1.1\nHost: HOST", 414),
          ("GET /cases?in=\(long) HTTP/1.1\nHost: HOST", 414),
          ("GET /cases HTTP/1.1\nHost: HOST\nX-Long: \(long)", 431),
          ("GET /cases HTTP/1.1\nHost: HOST\n\(many)", 431), ("HELLO", 400),
          ("GET /cases HTTP/9.9\nHost: HOST", 400), ("GET /cases\nHost: HOST", 400),
          ("GET /cases HTTP/1.1\nHost: HOST\nContent-Length: x", 400),
        ]
        for (head, status) in requests {
          let answer = try await served.exchange(bytes(head, of: served))
          #expect(ServedFlow.status(answer) == status, "\(head.prefix(40)): \(answer)")
          #expect(answer.contains("application/problem+json") && answer.contains("\"why\":\""))
          #expect(answer.components(separatedBy: "HTTP/1.1 4").count == 2, "answered once")
        }
        // Earlier requests are answered first.
        let first = bytes("GET /health/live HTTP/1.1\nHost: HOST", of: served)
        let both = try await served.exchange(first + Array("NOTHING\r\n\r\n".utf8))
        #expect(ServedFlow.status(both) == 200 && both.contains("\"live\":true"))
        #expect(both.contains("HTTP/1.1 400 Bad Request"))
      }
    }

    @Test("bytes after the last request of a connection are ignored")
    func behindTheLast() async throws {
      try await ServedFlow.serve { served async throws in
        let last = bytes(
          "POST /cases/a HTTP/1.1\nHost: HOST\nConnection: close, x", of: served)
        let behind = bytes("POST /cases/b HTTP/1.1\nHost: HOST", of: served)
        let answer = try await served.exchange(last + behind)
        #expect(answer.components(separatedBy: "HTTP/1.1 ").count == 2)
        #expect(try await served.status("GET", "/cases/b") == 404)
      }
    }
  }
#endif
