#if Server
  import HTTPTesting
  import Testing

  @testable import FlowServer

  @Suite struct HTTPFuzzTests {
    /// Each is a request that was whole once: cut, with bytes changed, doubled or taken out.
    @Test("the server still answers after 300 malformed requests")
    func brokenRequestsLeave() async throws {
      try await ServedFlow.serve({ $0.timeToSend = .milliseconds(20) }) { served async throws in
        _ = try await served.cases.create("a")
        var random = SplitMix(state: 7)
        let paths = [
          "/cases", "/cases/a", "/cases/a/actions/place", "/cases/a/views/status", "/metrics",
          "/%zz", "*",
        ]
        let bodies = ["", "{}", "{\"cents\":1}", "[[[[", "\u{0}", "{\"a\":1e999}"]
        for _ in 0..<300 {
          let path = paths[random.next(below: paths.count)]
          let body = bodies[random.next(below: bodies.count)]
          let method = ["GET", "POST", "HEAD", "PUT", "G\u{0}T"][random.next(below: 5)]
          var bytes = Array(
            ("\(method) \(path) HTTP/1.1\r\nHost: \(served.host)\r\nAuthorization: Bearer \(ServedFlow.token)\r\n"
              + "Content-Type: application/json\r\nConnection: close\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
              + body).utf8)
          for _ in 0..<random.next(below: 6) where !bytes.isEmpty {
            let place = random.next(below: bytes.count)
            switch random.next(below: 4) {
            case 0: bytes[place] = UInt8(random.next(below: 256))
            case 1: bytes.remove(at: place)
            case 2: bytes.insert(contentsOf: bytes[place...].prefix(20), at: place)
            default: bytes.removeLast(min(bytes.count, random.next(below: 30)))
            }
          }
          _ = try await served.exchange(bytes, halfClosing: true)
        }
        #expect(try await served.status("GET", "/health/live", token: nil) == 200)
      }
    }

    private struct SplitMix {
      var state: UInt64
      mutating func next(below bound: Int) -> Int {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = (state ^ (state >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return Int((mixed ^ (mixed >> 31)) % UInt64(bound))
      }
    }
  }
#endif
