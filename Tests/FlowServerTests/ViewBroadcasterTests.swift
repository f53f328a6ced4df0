#if Server
  import HTTPTesting
  import Moonlatch
  import Testing

  @testable import FlowServer

  @Suite struct ViewBroadcasterTests {
    private let path = "/cases/a/views/long/events"

    @Test("who does not read keeps nobody waiting, and is told the newest value in the end")
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
          // Who reads is told each, whatever is on its way to who does not.
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

    @Test("who goes is no longer counted among those who listen")
    func whoGoesIs() async throws {
      try await ServedFlow.serve { served async throws in
        _ = try await served.cases.create("a")
        let answer = try await served.request("GET", path, until: "xx\"\n\n")
        #expect(answer.contains("event: view"))
        // It is noticed where there is something to tell it.
        var number = 0
        while served.service.streams.count > 0 {
          number += 1
          _ = try await served.cases["a"].dispatch("say", ["word": .string("\(number)")])
          try await Task.sleep(for: .milliseconds(2))
        }
        let metrics = try await served.request("GET", "/metrics")
        #expect(metrics.contains("moonlatch_listeners 0.0\n"))
      }
    }

    @Test("a stream is one body in chunks, with an end")
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

    /// What a body in chunks holds; nil where it is none that has an end.
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
