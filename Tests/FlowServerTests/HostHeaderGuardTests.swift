#if Server
  import FlowKernel
  import HTTPTesting
  import Testing

  @testable import FlowServer

  @Suite struct HostHeaderGuardTests {
    @Test("30 wrong hosts, tokens and origins are all rejected")
    func waysInThat() async throws {
      try await ServedFlow.serve { served async throws in
        _ = try await served.cases.create("a")
        let (port, own) = (served.port, served.host)
        let hosts = [
          "evil.example", "evil.example:\(port)", "127.0.0.1", "localhost", "127.0.0.1:1",
          "127.0.0.2:\(port)",
          "localhost.evil.example:\(port)", "LOCALHOST:\(port)", "[::1]", "0.0.0.0:\(port)",
          "127.1:\(port)", "",
          "\(own).evil.example", "evil@\(own)",
        ]
        for host in hosts {
          #expect(try await served.status("GET", "/cases", host: host) == 403, "Host: \(host)")
        }
        let tokens: [String?] = [
          "", "x", "y, Bearer x", String(ServedFlow.token.dropLast()), ServedFlow.token + "0",
          ServedFlow.token.uppercased(),
          String(repeating: "0", count: 32), " " + ServedFlow.token,
        ]
        for token in tokens {
          #expect(
            try await served.status("GET", "/cases", token: token) == 403,
            "token \(token ?? "none")")
        }
        let origins = [
          "http://evil.example", "null", "https://evil.example:\(port)", "http://127.0.0.1:1",
          "file://",
          "http://\(own).evil.example", "http://evil@\(own)", "\(own)",
        ]
        for origin in origins {
          #expect(
            try await served.status(
              "POST", "/cases/a/actions/pay", "{}", headers: ["Origin: \(origin)"]) == 403,
            "Origin: \(origin)")
        }
        #expect(try await served.status("GET", "/cases", token: nil) == 401)
        #expect(hosts.count + tokens.count + origins.count == 30)
        #expect(try await served.status("GET", "/cases", headers: ["Origin: http://\(own)"]) == 200)
      }
    }

    @Test("a request with no Host, or with two, is rejected")
    func twoHostsAre() async throws {
      try await ServedFlow.serve { served async throws in
        #expect(try await served.status("GET", "/cases", headers: ["Host: evil.example"]) == 400)
        let none = try await served.exchange(
          Array("GET /health/live HTTP/1.1\r\nConnection: close\r\n\r\n".utf8))
        #expect(ServedFlow.status(none) == 400 && none.contains("the Host header is missing"))
      }
    }

    @Test("the host in an absolute request target takes precedence over the header")
    func absoluteTargets() async throws {
      try await ServedFlow.serve { served async throws in
        func status(_ target: String, host: String) async throws -> Int? {
          let head = "GET \(target) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n"
          return ServedFlow.status(try await served.exchange(Array(head.utf8)))
        }
        let path = "/health/live"
        #expect(try await status("http://\(served.host)\(path)", host: served.host) == 200)
        #expect(try await status("http://\(served.host)\(path)", host: "evil.example") == 200)
        #expect(try await status("HTTP://evil.example\(path)", host: served.host) == 403)
        #expect(try await status("http://evil@\(served.host)\(path)", host: served.host) == 403)
        #expect(try await status("http://\(served.host)", host: served.host) == 404)
      }
    }

    @Test("a body whose content type is not JSON is rejected")
    func aBodyThat() async throws {
      try await ServedFlow.serve { served async throws in
        for type in [
          "text/plain", "application/x-www-form-urlencoded", "multipart/form-data",
          "application/json2",
        ] {
          #expect(
            try await served.status("POST", "/cases/a", "{}", headers: ["Content-Type: \(type)"])
              == 415)
        }
      }
    }

    @Test("a token grants the rights on its line")
    func aTokenDoes() async throws {
      let file = """
        # token                          by   may
        aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa  ann  read create dispatch:place
        bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb  bob  read
        """
      let tokens = try APITokens(file: file, named: "tokens")
      try await ServedFlow.serve({ $0.tokens = tokens }) { served async throws in
        let (ann, bob) = (String(repeating: "a", count: 32), String(repeating: "b", count: 32))
        #expect(try await served.status("POST", "/cases/a", token: bob) == 403)
        #expect(try await served.status("POST", "/cases/a", token: ann) == 201)
        #expect(
          try await served.status("POST", "/cases/a/actions/place", "{\"cents\":1}", token: bob)
            == 403)
        #expect(
          try await served.status("POST", "/cases/a/actions/place", "{\"cents\":1}", token: ann)
            == 200)
        #expect(try await served.status("POST", "/cases/a/actions/pay", "{}", token: ann) == 403)
        #expect(try await served.status("POST", "/cases/a/end", token: ann) == 403)
        #expect(
          try await served.request("GET", "/cases/a/entries", token: bob).contains("\"by\":\"ann\"")
        )
      }
    }

    @Test("a read-only server changes nothing")
    func aServerThat() async throws {
      try await ServedFlow.serve({ $0.isReadOnly = true }) { served async throws in
        _ = try await served.cases.create("a")
        #expect(try await served.status("POST", "/cases/b") == 403)
        #expect(try await served.status("POST", "/cases/a/actions/place", "{\"cents\":1}") == 403)
        #expect(try await served.status("POST", "/cases/a/may/place", "{\"cents\":1}") == 200)
      }
    }

    @Test("a right for an unknown action is an error with the nearest name")
    func rightsThatName() throws {
      let flow = try LoadedFlow(source: ServedFlow.source, name: "shop.lua").flow
      let token = String(repeating: "a", count: 32)
      #expect(throws: Never.self) {
        try APITokens(file: "\(token) ann dispatch:place", named: "t", of: flow)
      }
      let error = #expect(throws: APITokens.Malformed.self) {
        try APITokens(file: "\n\(token) ann read dispatch:plaze", named: "t", of: flow)
      }
      #expect(error?.description.contains("t:2: ") == true)
      #expect(error?.description.contains("did you mean place?") == true)
    }

    @Test("an error in a file of tokens names its line")
    func aFileOf() {
      #expect(throws: APITokens.Malformed.self) {
        try APITokens(file: "short ann read", named: "t")
      }
      #expect(throws: APITokens.Malformed.self) { try APITokens(file: "", named: "t") }
      #expect(throws: APITokens.Malformed.self) {
        try APITokens(file: "aaaaaaaaaaaaaaaaaaaaaaaa ann raed", named: "t")
      }
    }
  }
#endif
