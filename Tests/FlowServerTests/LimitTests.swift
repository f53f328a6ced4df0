#if Server
  import Foundation
  import HTTPTesting
  import Testing

  @testable import FlowServer

  @Suite struct LimitTests {
    @Test("a slow request times out")
    func whoSendsSlowly() async throws {
      try await ServedFlow.serve({ $0.timeToSend = .milliseconds(50) }) { served async throws in
        // Neither has the end of its request.
        #expect(try await served.exchange(Array("GET /cases HTTP/1.1\r\nHo".utf8)).isEmpty)
        let body =
          "POST /cases/a HTTP/1.1\r\nHost: \(served.host)\r\nAuthorization: Bearer \(ServedFlow.token)\r\n"
          + "Content-Type: application/json\r\nContent-Length: 10\r\n\r\n{"
        #expect(ServedFlow.status(try await served.exchange(Array(body.utf8))) == 408)
      }
    }

    @Test("a request that is too large is rejected")
    func whatIsToo() async throws {
      try await ServedFlow.serve({ $0.longestBody = 1_000 }) { served async throws in
        let long = "{\"given\":{\"cents\":" + String(repeating: " ", count: 2_000) + "1}}"
        #expect(try await served.status("POST", "/cases/a", long) == 413)
        let header = ["X-Long: " + String(repeating: "x", count: 100_000)]
        #expect(try await served.status("GET", "/cases", headers: header) == 431)
        #expect(try await served.status("GET", "/health/live", token: nil) == 200)
      }
    }

    @Test("a body that is invalid JSON, invalid UTF-8 or too deep is rejected")
    func whatIsNo() async throws {
      try await ServedFlow.serve { served async throws in
        for body in [
          "{", "nul", "[1,]", "\"\\ud800\"", String(repeating: "[", count: 100_000), "1 2",
        ] {
          #expect(try await served.status("POST", "/cases/a", body) == 400)
        }
        let head =
          "POST /cases/a HTTP/1.1\r\nHost: \(served.host)\r\nAuthorization: Bearer \(ServedFlow.token)\r\n"
          + "Connection: close\r\nContent-Type: application/json\r\nContent-Length: 3\r\n\r\n"
        let answer = try await served.exchange(Array(head.utf8) + [0x22, 0xff, 0x22])
        #expect(ServedFlow.status(answer) == 400)
        #expect(try await served.status("GET", "/cases/%ff%fe") == 400)
      }
    }

    @Test("a body that does not match its announced length is rejected")
    func aBodyThat() async throws {
      try await ServedFlow.serve { served async throws in
        let head =
          "POST /cases/a HTTP/1.1\r\nHost: \(served.host)\r\nAuthorization: Bearer \(ServedFlow.token)\r\n"
          + "Connection: close\r\nContent-Type: application/json\r\n"
        for rest in ["Content-Length: 9\r\n\r\n{", "Transfer-Encoding: chunked\r\n\r\nzz\r\n{}"] {
          let answer = try await served.exchange(Array((head + rest).utf8), halfClosing: true)
          #expect(ServedFlow.status(answer) == 400, "\(rest)")
        }
      }
    }

    @Test("pipelined requests are answered in order")
    func requestsInOne() async throws {
      try await ServedFlow.serve { served async throws in
        let one = "GET /health/live HTTP/1.1\r\nHost: \(served.host)\r\n\r\n"
        let last = "GET /health/ready HTTP/1.1\r\nHost: \(served.host)\r\nConnection: close\r\n\r\n"
        let answer = try await served.exchange(Array((one + one + last).utf8))
        #expect(answer.components(separatedBy: "HTTP/1.1 200").count == 4)
        #expect(answer.hasSuffix("\"ready\":true}"))
      }
    }

    @Test("a client that has closed its sending half still gets its answer")
    func whoHasClosed() async throws {
      try await ServedFlow.serve { served async throws in
        let one = "GET /health/live HTTP/1.1\r\nHost: \(served.host)\r\n\r\n"
        let answer = try await served.exchange(Array(one.utf8), halfClosing: true)
        #expect(ServedFlow.status(answer) == 200)
      }
    }
  }
#endif
