#if Server
  import HTTPTesting
  import Testing

  @testable import FlowServer

  @Suite struct ViewBroadcasterTests {
    private let path = "/cases/a/views/long/events"

    @Test("a slow listener blocks no one, and gets the newest value in the end")
    func whoDoesNot()
      async throws
    {
      try await ServedFlow.serve { served async throws in
        _ = try await served.cases.create("a")
        let slow = try RawConnection(port: served.port, window: 4_096)
        await slow.send(served.bytes("GET", path, token: served.token))
        let other = try RawConnection(port: served.port)
        await other.send(served.bytes("GET", path, token: served.token))
        _ = await other.receive(until: "xx\"\n\n")
        let count = 120
        for number in 1...count {
          _ = try await served.cases["a"].dispatch("say", ["word": .string("word \(number)x")])
          // A client that reads receives each value, whatever is pending for one that does not.
          #expect(await other.receive(until: "xx\"\n\n").contains("word \(number)x"))
        }
        // Each value has 100,000 bytes: of most nothing is kept for it, of the newest all.
        let told = await slow.receive(until: "word \(count)x")
        #expect(told.contains("word \(count)x"))
        let values = told.split(separator: "event: view").count - 1
        #expect(values < count / 2, "\(values) of \(count) values were kept")
        #expect(served.service.streams.count == 2)
      }
    }

    /// Waits until there are so many streams.
    private func streams(_ count: Int, of served: ServedFlow) async {
      while served.service.streams.count != count { await Task.yield() }
    }

    @Test(
      "a listener that closes its connection is no longer counted, even without an event",
      arguments: ["/cases/a/views/status/events", "/cases/a/events"], [true, false])
    func closedListener(path: String, closesBehind: Bool) async throws {
      try await ServedFlow.serve { served async throws in
        _ = try await served.cases.create("a")
        for _ in 0..<3 {
          let request = served.bytes("GET", path, token: served.token)
          let keptAlive = String(decoding: request, as: UTF8.self).replacing(
            "Connection: close\r\n", with: "")
          let connection = try RawConnection(port: served.port)
          await connection.send(closesBehind ? request : Array(keptAlive.utf8))
          #expect(await connection.receive(until: "data: ").contains("event: "))
          // The streams before it went out of scope, and were closed with that.
          await streams(1, of: served)
        }
        await streams(0, of: served)
        let metrics = try await served.request("GET", "/metrics")
        #expect(metrics.contains("moonlatch_listeners 0.0\n"))
        #expect(metrics.contains("moonlatch_streams 0.0\n"))
      }
    }

    @Test("a listener that has closed its sending half still gets events")
    func halfClosedListener() async throws {
      try await ServedFlow.serve { served async throws in
        _ = try await served.cases.create("a")
        let connection = try RawConnection(port: served.port)
        let request = served.bytes("GET", "/cases/a/views/picky/events", token: served.token)
        await connection.send(request, halfClosing: true)
        #expect(await connection.receive(until: "data: \"\"").contains("event: view"))
        for word in ["one", "two"] {
          _ = try await served.cases["a"].dispatch("say", ["word": .string(word)])
          #expect(await connection.receive(until: word).contains("event: view"))
        }
        #expect(served.service.streams.count == 1)
      }
    }

    @Test("a view that raises is an event of the stream, which continues with later values")
    func raisingView() async throws {
      try await ServedFlow.serve { served async throws in
        _ = try await served.cases.create("a")
        func listener(_ lastID: String? = nil) async throws -> RawConnection {
          let connection = try RawConnection(port: served.port)
          await connection.send(
            served.bytes(
              "GET", "/cases/a/views/picky/events", token: served.token,
              headers: lastID.map { ["Last-Event-ID: \($0)"] } ?? []))
          return connection
        }
        func say(_ word: String) async throws {
          _ = try await served.cases["a"].dispatch("say", ["word": .string(word)])
        }
        let first = try await listener()
        #expect(await first.receive(until: "data: \"\"\n\n").contains("event: view"))
        try await say("bad")
        let raised = await first.receive(until: "}\n\n")
        #expect(raised.contains("event: error\ndata: {\"why\":") && raised.contains("no such word"))
        // Whoever comes late is told the present error, whatever was heard before.
        for lastID in [nil, "0123"] {
          let late = await (try listener(lastID)).receive(until: "}\n\n")
          #expect(late.contains("event: error") && late.contains("no such word"))
          #expect(!late.contains("event: view"))
        }
        try await say("good")
        let mended = await first.receive(until: "\"good\"\n\n")
        #expect(mended.contains("event: view") && !mended.contains("event: error"))
        let late = await (try listener()).receive(until: "\"good\"\n\n")
        #expect(late.contains("event: view") && !late.contains("event: error"))
        // The same error once more is an event once more, since there was a value in between.
        try await say("bad")
        #expect(await first.receive(until: "}\n\n").contains("event: error"))
        await streams(1, of: served)
      }
    }

    @Test("a stream is one chunked body with an end")
    func aStreamIs() async throws {
      try await ServedFlow.serve { served async throws in
        _ = try await served.cases.create("a")
        let connection = try RawConnection(port: served.port)
        await connection.send(
          served.bytes("GET", "/cases/a/views/status/events", token: served.token))
        var answer = await connection.receive(until: "\n\n\r\n")
        while !answer.contains("data: ") { answer += await connection.receive(until: "\n\n") }
        served.service.streams.endAll()
        answer += await connection.receive()
        let body = answer.split(separator: "\r\n\r\n", maxSplits: 1).last ?? ""
        #expect(Self.unchunked(String(body))?.contains("data: \"empty\"\n\n") == true, "\(body)")
      }
    }

    /// Returns the contents of a chunked body; nil if the body is incomplete.
    private static func unchunked(_ body: String) -> String? {
      var (rest, text) = (Array(body.utf8)[...], [UInt8]())
      while let end = rest.firstIndex(of: 13) {
        guard let size = Int(String(decoding: rest[..<end], as: UTF8.self), radix: 16) else {
          return nil
        }
        rest = rest[(end + 2)...]
        if size == 0 { return String(decoding: text, as: UTF8.self) }
        guard rest.count >= size + 2 else { return nil }
        text += rest.prefix(size)
        rest = rest.dropFirst(size)
        guard rest.starts(with: [13, 10]) else { return nil }
        rest = rest.dropFirst(2)
      }
      return nil
    }
  }
#endif
