#if Server
  import FlowHosting
  import Foundation
  import HTTPTesting
  import Testing

  @testable import MoonlatchInspector

  @Suite struct InspectorRoutesTests {
    @Test("30 attacks on an inspector are all answered with 403 and change nothing")
    func attacks() async throws {
      try await InspectedShop.inspect { shop in
        let (port, own, token) = (shop.inspector.port, shop.host, shop.token)
        let dispatch = "/api/cases/a/actions/place"
        let body = "{\"cents\":1}"
        var tried = 0
        // A name of somebody else's that leads here: DNS rebinding, with all else as it should be.
        for host in [
          "evil.example", "evil.example:\(port)", "127.0.0.1", "localhost", "127.0.0.1:1",
          "127.0.0.2:\(port)", "localhost.evil.example:\(port)", "0.0.0.0:\(port)",
          "127.1:\(port)", "2130706433:\(port)", "", "evil@\(own)",
        ] {
          tried += 1
          let status = try await shop.status(
            "POST", dispatch, body, token: token, host: host, headers: ["Origin: http://\(host)"])
          #expect(status == 403, "Host: \(host)")
        }
        for host in ["evil.example:\(port)", "[::1]:1"] {
          tried += 1
          #expect(
            try await shop.status("GET", "/", token: nil, host: host) == 403, "page of \(host)")
        }
        for wrong in [
          "", "x", String(token.dropLast()), token + "0", token.uppercased() + "x", " " + token,
          String(repeating: "0", count: 32), "null",
        ] {
          tried += 1
          #expect(try await shop.status("POST", dispatch, body, token: wrong) == 403, "\(wrong)")
        }
        // Another page in the same browser, which even has the token.
        for origin in [
          "http://evil.example", "null", "https://evil.example:\(port)", "http://127.0.0.1:1",
          "file://", "http://\(own).evil.example", "http://evil@\(own)", "chrome-extension://abc",
        ] {
          tried += 1
          let status = try await shop.status(
            "POST", dispatch, body, token: token, headers: ["Origin: \(origin)"])
          #expect(status == 403, "Origin: \(origin)")
        }
        #expect(tried == 30)
        #expect(try await shop.cases["a"].summary()?.revision == 0)
        let own2 = try await shop.status(
          "POST", dispatch, body, token: token, headers: ["Origin: http://\(own)"])
        #expect(own2 == 200)
      }
    }

    @Test(
      "a request without a token, a JSON body or an allowed method is rejected and does nothing")
    func noToken()
      async throws
    {
      try await InspectedShop.inspect { shop in
        let dispatch = "/api/cases/a/actions/place"
        // No token at all is 401, so that a client knows that one is asked for.
        for path in ["/api/flow", "/api/cases", "/api/cases/a/moment", "/api/cases/a/events"] {
          #expect(try await shop.status("GET", path, token: nil) == 401, "\(path)")
        }
        #expect(try await shop.status("POST", dispatch, "{}", token: nil) == 401)
        // Content types that a form on another page can send.
        for type in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"] {
          let status = try await shop.status(
            "POST", dispatch, "{\"cents\":1}", token: shop.token, headers: ["Content-Type: \(type)"]
          )
          #expect(status == 415, "\(type)")
        }
        for method in ["PUT", "DELETE", "OPTIONS", "PATCH"] {
          #expect(
            try await shop.status(method, dispatch, "{}", token: shop.token) == 405, "\(method)")
        }
        #expect(try await shop.status("GET", dispatch, token: shop.token) == 405)
        // A token in the address is none: it would stand in logs.
        #expect(try await shop.status("GET", "/api/flow?token=\(shop.token)", token: nil) == 401)
        let cookie = try await shop.status(
          "GET", "/api/flow", token: nil, headers: ["Cookie: token=\(shop.token)"])
        #expect(cookie == 401)
        let long = "{\"cents\":\"" + String(repeating: "1", count: 1 << 20) + "\"}"
        #expect(try await shop.status("POST", dispatch, long, token: shop.token) == 413)
        #expect(try await shop.cases["a"].summary()?.revision == 0)
      }
    }

    @Test("the page may only send requests to its own origin, and contains no secret")
    func page()
      async throws
    {
      try await InspectedShop.inspect { shop in
        let answers = [
          try await shop.request("GET", "/", token: nil),
          try await shop.request("GET", "/", token: nil),
        ]
        let nonces = answers.compactMap { answer in
          answer.components(separatedBy: "script-src 'nonce-").last?.prefix(32)
        }
        #expect(nonces.count == 2 && nonces[0] != nonces[1])
        let answer = answers[0].lowercased()
        for part in [
          "default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'",
          "x-frame-options: deny", "referrer-policy: no-referrer",
          "x-content-type-options: nosniff",
          "cache-control: no-store",
        ] {
          #expect(answer.contains(part), "\(part)")
        }
        #expect(!answer.contains("unsafe"))
        #expect(!answer.contains("access-control-allow"))
        #expect(!answers[0].contains(shop.token))
        for part in ["src=", "@import", "url(", "innerHTML", "eval(", "document.write"] {
          #expect(!answers[0].contains(part), "\(part)")
        }
      }
    }

    @Test("a read-only page cannot change anything, but may ask whether an action is allowed")
    func readOnly()
      async throws
    {
      try await InspectedShop.inspect(isReadOnly: true) { shop in
        let paths = ["/api/cases/a/actions/place", "/api/cases/b", "/api/cases/a/fork"]
        for path in paths {
          #expect(try await shop.status("POST", path, "{\"cents\":1}", token: shop.token) == 403)
        }
        let may = try await shop.request(
          "POST", "/api/cases/a/may/place", "{\"cents\":1}", token: shop.token)
        #expect(may.contains("{\"may\":true}"))
      }
    }

    @Test("a stream resumes after the last number that was received")
    func stream() async throws {
      try await InspectedShop.inspect { shop in
        try await shop.cases["a"].dispatch("place", ["cents": 1])
        let all = try await shop.request(
          "GET", "/api/cases/a/events", token: shop.token, until: "id: 2")
        #expect(all.contains("\"a\":\"begins\""))
        let rest = try await shop.request(
          "GET", "/api/cases/a/events", token: shop.token, headers: ["Last-Event-ID: 1"],
          until: "id: 2")
        #expect(!rest.contains("\"a\":\"begins\""))
        #expect(rest.contains("\"a\":\"place\""))
      }
    }

    @Test("an inspector of a host runs until it is stopped, and its address has the token")
    func inspector()
      async throws
    {
      let host = try FlowHost(source: InspectedShop.source, name: "shop.lua")
      let inspector = try await Inspector(host) { _ in }
      let token = try #require(inspector.url.split(separator: "=").last)
      #expect(token.count == 32)
      #expect(inspector.url == "http://127.0.0.1:\(inspector.port)/#token=\(token)")
      inspector.stop()
    }

    @Test(
      "cases can be filtered, counted, exported, retried and ended, and --read-only forbids changes"
    )
    func manyCases() async throws {
      for isReadOnly in [false, true] {
        try await InspectedShop.inspect(isReadOnly: isReadOnly) { shop in
          for (path, status) in [
            ("cases?state=cents%20%3D%203", 200), ("cases?state=x", 400),
            ("cases?outcome=running", 200),
            ("cases?outcome=x", 400), ("cases?since=1&until=2&time=born", 200),
            ("cases?time=x", 400),
            ("counts", 200), ("cases/a/export", 200), ("cases/b/export", 404),
          ] {
            #expect(
              try await shop.status("GET", "/api/\(path)", token: shop.token) == status, "\(path)")
          }
          for (path, status) in [("retry", 200), ("end", 200), ("end", 409)] {
            let answer = try await shop.status(
              "POST", "/api/cases/a/\(path)", "{}", token: shop.token)
            #expect(answer == (isReadOnly ? 403 : status), "\(path)")
          }
        }
      }
    }
  }
#endif
