#if Server
  import HTTPTesting
  import Testing

  @testable import FlowServer

  @Suite struct EntityTagTests {
    private func tag(_ answer: String) -> String? {
      answer.components(separatedBy: "\r\n").first { $0.hasPrefix("ETag: ") }
        .map { String($0.dropFirst(6)) }
    }

    @Test("resources of a case have an entity tag, and a client that has it gets 304")
    func versions() async throws {
      try await ServedFlow.serve { served async throws in
        _ = try await served.cases.create("a")
        for path in ["/cases/a", "/cases/a/state", "/cases/a/views/status"] {
          let before = try #require(tag(try await served.request("GET", path)))
          for header in [before, "W/\(before)", "\"x\", \(before)", "*"] {
            let known = try await served.request("GET", path, headers: ["If-None-Match: \(header)"])
            #expect(ServedFlow.status(known) == 304 && known.hasSuffix("\r\n\r\n"))
            #expect(tag(known) == before)
          }
          let other = try await served.request("GET", path, headers: ["If-None-Match: \"x\""])
          #expect(ServedFlow.status(other) == 200)
          _ = try await served.cases["a"].dispatch("say", ["word": .string(path)])
          #expect(tag(try await served.request("GET", path)) != before)
        }
      }
    }

    @Test("a change that expects another version of the case is rejected and changes nothing")
    func preconditions() async throws {
      try await ServedFlow.serve { served async throws in
        _ = try await served.cases.create("a")
        func status(_ path: String, _ body: String?, _ header: String) async throws -> Int? {
          try await served.status("POST", path, body, headers: ["If-Match: \(header)"])
        }
        let tags = [
          try await served.request("GET", "/cases/a"),
          try await served.request("GET", "/cases/a/state"),
          try await served.request("GET", "/cases/a/views/status"),
        ].compactMap(tag)
        #expect(tags.count == 3)
        let say = "/cases/a/actions/say"
        #expect(try await status(say, "{\"word\":\"one\"}", tags[0]) == 200)
        for old in tags + ["\"7\"", "\"xyz\""] {
          #expect(try await status(say, "{\"word\":\"two\"}", old) == 412, "\(old)")
          #expect(try await status("/cases/a/end", nil, old) == 412, "\(old)")
        }
        for wrong in ["1", "\"1\", \"2\"", "\""] {
          #expect(try await status(say, "{\"word\":\"two\"}", wrong) == 400, "\(wrong)")
        }
        #expect(try await served.cases["a"].state()["word"] == "one")
        #expect(try await status(say, "{\"word\":\"three\"}", "*") == 200)
        let now = try #require(tag(try await served.request("GET", "/cases/a/state")))
        #expect(try await status("/cases/a/end", nil, "W/\(now)") == 200)
      }
    }

    @Test("a repeated dispatch gets its first response, whatever version it expects")
    func preconditionAndKey() async throws {
      try await ServedFlow.serve { served async throws in
        _ = try await served.cases.create("a")
        for _ in 0..<2 {
          let answer = try await served.request(
            "POST", "/cases/a/actions/place", "{\"cents\":1}",
            headers: ["Idempotency-Key: k", "If-Match: \"0\""])
          #expect(ServedFlow.status(answer) == 200 && answer.contains("\"revision\":1"))
        }
      }
    }
  }
#endif
