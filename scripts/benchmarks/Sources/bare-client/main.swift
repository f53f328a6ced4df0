import AsyncHTTPClient
import NIOCore

// The baseline for the `http` of a host file: the same client, which posts the same bodies to the same provider, 64 at
// once, and stores nothing. Arguments: the URL, and for how many seconds. Prints the number of responses a second.

/// Posts for that time, and returns the number of responses a second.
@concurrent
func rate(of url: String, for duration: Duration) async throws -> Double {
  let begin = ContinuousClock.now
  let count = try await withThrowingTaskGroup(of: Int.self) { group in
    for number in 0..<64 {
      group.addTask {
        var count = 0
        while ContinuousClock.now - begin < duration {
          var request = HTTPClientRequest(url: url)
          request.method = .POST
          request.headers.add(name: "Content-Type", value: "application/json")
          request.headers.add(name: "Idempotency-Key", value: "bare/c\(number)/e\(count)")
          request.body = .bytes(ByteBuffer(string: "{\"cents\":250,\"currency\":\"EUR\"}"))
          let response = try await HTTPClient.shared.execute(request, timeout: .seconds(10))
          _ = try await response.body.collect(upTo: 65_536)
          count += 1
        }
        return count
      }
    }
    return try await group.reduce(0, +)
  }
  return Double(count) / ((ContinuousClock.now - begin) / .seconds(1))
}

let seconds = Int(CommandLine.arguments[2]) ?? 1
print(try await rate(of: CommandLine.arguments[1], for: .seconds(seconds)))
