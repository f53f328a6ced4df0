#if Server
  import HostFiles
  import Testing

  @testable import HTTPTasks

  /// Requests to a server on this machine.
  @Suite(.timeLimit(.minutes(5))) struct HTTPTaskSenderTests {
    private let sender = HTTPTaskSender()

    /// A sender that knows one name, or none.
    private func knowing(
      _ addresses: String..., allowsPrivate: Bool = false
    ) throws -> HTTPTaskSender {
      let known = try addresses.map { try #require(NetworkAddress($0)) }
      return HTTPTaskSender(allowsPrivate: allowsPrivate) { _ in known }
    }

    private func request(
      _ server: ScriptedServer, _ method: String = "GET", host: String = "127.0.0.1",
      path: String = "/", headers: [HTTPTaskHeader] = [], body: String? = nil,
      timeout: Double = 20, mostBytes: Int = 1 << 20, network: HTTPTaskNetwork = .named
    ) -> HTTPTaskRequest {
      HTTPTaskRequest(
        method: method, url: "http://\(host):\(server.port)\(path)", headers: headers,
        body: body.map { Array($0.utf8) }, timeout: timeout, mostBytes: mostBytes, network: network)
    }

    @Test(
      "a response comes with status, headers and body, and the request goes out as it was given")
    func answer() async throws {
      let server = try await ScriptedServer(.response("200 OK", "{\"id\":1}", "X-Trace: t-1"))
      let response = await sender.send(
        request(
          server, "POST", path: "/charges/a%20b?x=%2F",
          headers: [HTTPTaskHeader("Idempotency-Key", "k-1")], body: "{\"cents\":5}"))
      guard case .received(let status, let headers, let body) = response else {
        Issue.record("\(response)")
        return
      }
      #expect(status == 200 && String(decoding: body, as: UTF8.self) == "{\"id\":1}")
      #expect(headers.contains(HTTPTaskHeader("X-Trace", "t-1")))
      let sent = try #require(server.record.requests.first)
      #expect(sent.hasPrefix("POST /charges/a%20b?x=%2F HTTP/1.1\r\n"), "\(sent)")
      #expect(sent.contains("Idempotency-Key: k-1\r\n"))
      #expect(sent.lowercased().contains("host: 127.0.0.1:\(server.port)\r\n"))
      #expect(sent.hasSuffix("\r\n\r\n{\"cents\":5}"))
      await sender.close()
    }

    @Test("any status is a response, and redirects are not followed", arguments: ["302", "503"])
    func statuses(status: String) async throws {
      let server = try await ScriptedServer(
        .response("\(status) Text", "", "Location: http://127.0.0.1:1/elsewhere"))
      let response = await sender.send(request(server))
      guard case .received(let received, _, _) = response else {
        Issue.record("\(response)")
        return
      }
      #expect(String(received) == status)
      #expect(server.record.requests.count == 1)
    }

    @Test("requests to a server share its connections")
    func reuse() async throws {
      let server = try await ScriptedServer(.response("200 OK", "a"))
      for _ in 0..<100 { _ = await sender.send(request(server)) }
      #expect(server.record.requests.count == 100)
      // A connection that nobody has used for a second is closed, as on a busy machine.
      #expect(server.record.connections < 100)
    }

    @Test("a body of the greatest size is received, and a larger one refused")
    func sizes() async throws {
      let server = try await ScriptedServer(
        .response("200 OK", String(repeating: "a", count: 2_048)))
      let whole = await sender.send(request(server, mostBytes: 2_048))
      guard case .received(_, _, let body) = whole else {
        Issue.record("\(whole)")
        return
      }
      #expect(body.count == 2_048)
      #expect(
        await sender.send(request(server, mostBytes: 1_024))
          == .refused("the answer is larger than 1 KiB"))
      // Its length is not in the head.
      let chunked = try await ScriptedServer(
        .answer(
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n3\r\ndef\r\n0\r\n\r\n"))
      #expect(
        await sender.send(request(chunked, mostBytes: 5))
          == .refused("the answer is larger than 5 bytes"))
    }

    @Test("a response to HEAD may have the length of a body that does not come")
    func head() async throws {
      let server = try await ScriptedServer(
        .answer("HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n"))
      let response = await sender.send(request(server, "HEAD", mostBytes: 10))
      guard case .received(200, _, let body) = response else {
        Issue.record("\(response)")
        return
      }
      #expect(body.isEmpty)
    }

    @Test("a body that is cut off, and a connection that is closed before an answer, are failures")
    func closed() async throws {
      let half = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"
      let server = try await ScriptedServer(.last(half))
      #expect(
        await sender.send(request(server))
          == .failed("the connection was closed before the end of the answer"))
      let silent = try await ScriptedServer(.last(""))
      #expect(
        await sender.send(request(silent))
          == .failed("the connection was closed before an answer"))
    }

    @Test("an answer that is not HTTP is a failure")
    func malformed() async throws {
      let server = try await ScriptedServer(.last("SSH-2.0-OpenSSH_9.2\r\n"))
      #expect(await sender.send(request(server)) == .failed("the answer is not valid HTTP"))
    }

    @Test("a server that does not answer, or not to the end, fails after the timeout")
    func timeout() async throws {
      let half = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"
      for reaction in [ScriptedServer.Reaction.silence, .answer(half)] {
        let server = try await ScriptedServer(reaction)
        #expect(
          await sender.send(request(server, timeout: 0.2)) == .failed("no answer within 0.2 s"))
        #expect(await server.waits { $0.ends == 1 })
      }
    }

    @Test("a cancelled task gets no answer, and its connection is closed")
    func cancellation() async throws {
      let server = try await ScriptedServer(.silence)
      let request = request(server)
      let task = Task { [sender] in await sender.send(request) }
      #expect(await server.waits { $0.requests.count == 1 })
      task.cancel()
      #expect(await task.value == .interrupted)
      #expect(await server.waits { $0.ends == 1 })
    }

    @Test("a sender that is closed interrupts its requests, and later ones")
    func closing() async throws {
      let server = try await ScriptedServer(.silence)
      let request = request(server)
      let task = Task { [sender] in await sender.send(request) }
      #expect(await server.waits { $0.requests.count == 1 })
      await sender.close()
      #expect(await task.value == .interrupted)
      #expect(await sender.send(request) == .interrupted)
    }

    @Test("a refused connection is a failure")
    func refusedConnection() async throws {
      let server = try await ScriptedServer(.silence)
      try await server.close()
      #expect(await sender.send(request(server)) == .failed("connection refused"))
    }

    @Test("a request goes to the address that was looked up, with the name as its host")
    func name() async throws {
      let server = try await ScriptedServer(.response("200 OK"))
      let request = request(server, host: "bank.example", network: .privateToo)
      let response = try await knowing("127.0.0.1").send(request)
      guard case .received(200, _, _) = response else {
        Issue.record("\(response)")
        return
      }
      let sent = try #require(server.record.requests.first)
      #expect(sent.lowercased().contains("host: bank.example:\(server.port)\r\n"), "\(sent)")
    }

    @Test("where the first address refuses the connection, the next one is tried")
    func nextAddress() async throws {
      let server = try await ScriptedServer(.response("200 OK"))
      let request = request(server, host: "bank.example", network: .privateToo)
      // Nothing listens at the others.
      let response = try await knowing("127.0.0.2", "127.0.0.1").send(request)
      guard case .received(200, _, _) = response else {
        Issue.record("\(response)")
        return
      }
    }

    @Test("a name with an address that is not allowed is refused, and no connection is opened")
    func refusedAddress() async throws {
      let server = try await ScriptedServer(.response("200 OK"))
      for sender in [try knowing("127.0.0.1"), try knowing("8.8.8.8", "127.0.0.1")] {
        #expect(
          await sender.send(request(server, host: "bank.example", network: .publicOnly))
            == .refused(
              "bank.example is at 127.0.0.1, a loopback address: set private = true, "
                + "or start with --allow-private"))
      }
      #expect(server.record.connections == 0)
    }

    @Test("--allow-private allows private addresses, but not a cloud's metadata")
    func allowPrivate() async throws {
      let server = try await ScriptedServer(.response("200 OK"))
      let request = request(server, host: "bank.example", network: .publicOnly)
      let near = try knowing("127.0.0.1", allowsPrivate: true)
      guard case .received(200, _, _) = await near.send(request) else {
        Issue.record("no response")
        return
      }
      let metadata = try knowing("169.254.169.254", allowsPrivate: true)
      guard case .refused = await metadata.send(request) else {
        Issue.record("not refused")
        return
      }
    }

    @Test("http:// to a public address is refused, unless plain is set")
    func plain() async throws {
      let response = try await knowing("8.8.8.8").send(
        HTTPTaskRequest(method: "GET", url: "http://bank.example/"))
      #expect(
        response
          == .refused(
            "http:// to bank.example can be read on its way: use https://, or set plain = true"))
    }

    @Test("a name that nobody has is a failure")
    func unknownName() async throws {
      let request = HTTPTaskRequest(method: "GET", url: "https://bank.example/")
      let unknown = HTTPTaskSender(allowsPrivate: false) { _ in throw NameLookup.Failure.unknown }
      #expect(await unknown.send(request) == .failed("the name bank.example is not known"))
      let broken = HTTPTaskSender(allowsPrivate: false) { _ in
        throw NameLookup.Failure.failed("temporary failure in name resolution")
      }
      #expect(
        await broken.send(request)
          == .failed(
            "the name bank.example cannot be looked up: temporary failure in name resolution"))
    }

    @Test("a URL of another scheme is refused")
    func scheme() async {
      let request = HTTPTaskRequest(method: "GET", url: "http+unix://%2Frun%2Fa.sock/")
      #expect(await sender.send(request) == .refused("the URL is not one of http or https"))
    }

    @Test("a header with characters that are not allowed is refused")
    func header() async throws {
      let server = try await ScriptedServer(.response("200 OK"))
      let request = request(server, headers: [HTTPTaskHeader("X-A", "a\r\nX-B: b")])
      #expect(
        await sender.send(request)
          == .refused("a header of the request has characters that are not allowed"))
      #expect(server.record.requests.isEmpty)
    }
  }
#endif
