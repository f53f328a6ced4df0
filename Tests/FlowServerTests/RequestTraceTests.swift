import LuaRuntime

#if Server
  import HTTPTesting
  import Logging
  import Platform
  import Testing

  @testable import FlowServer

  @Suite struct RequestTraceTests {
    private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"

    private final class Lines: Sendable {
      let all = Mutex<[Logger.Metadata]>([])
    }

    private struct LineHandler: LogHandler {
      let lines: Lines
      var metadata: Logger.Metadata = [:]
      var logLevel = Logger.Level.error
      subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
      }
      func log(event: LogEvent) { lines.all.withLock { $0.append(event.metadata ?? [:]) } }
    }

    @Test("each response of 500 or more has one log line with the reason, the case and the trace")
    func failuresAreLogged() async throws {
      let lines = Lines()
      let logger = Logger(label: "test") { _ in LineHandler(lines: lines) }
      try await ServedFlow.serve(logger: logger) { served async throws in
        _ = try await served.cases.create("a b")
        let answer = try await served.request(
          "POST", "/cases/a%20b/actions/break_", "{}",
          headers: ["traceparent: 00-\(Self.trace)-00f067aa0ba902b7-01"])
        #expect(ServedFlow.status(answer) == 500)
        #expect(answer.contains("X-Request-Id: \(Self.trace)"))
        _ = try await served.request("POST", "/cases/a%20b/actions/place", "{}")
        let all = lines.all.withLock { $0 }
        let line = try #require(all.first)
        #expect(all.count == 1 && line["case"] == "a b" && line["request"] == "\(Self.trace)")
        #expect("\(line["why"] ?? "")".contains("it broke") && line["status"] == "500")
      }
    }

    @Test("a traceparent that is not of the standard form is ignored")
    func traceParents() {
      #expect(RequestTrace.traceID(in: "00-\(Self.trace)-00f067aa0ba902b7-01") == Self.trace)
      for wrong in [
        "", "00", "ff-\(Self.trace)-00f067aa0ba902b7-01", "00-\(Self.trace)-00f067aa0ba902b7",
        "00-\(Self.trace)-00f067aa0ba902b7-01-x",
        "00-\(Self.trace.uppercased())-00f067aa0ba902b7-01",
        "00-\(String(repeating: "0", count: 32))-00f067aa0ba902b7-01",
      ] { #expect(RequestTrace.traceID(in: wrong) == nil, "\(wrong)") }
    }

    @Test("new tokens are valid at once, and replaced ones no more")
    func replacedTokens() async throws {
      let tokens = APITokens(everything: ServedFlow.token)
      try await ServedFlow.serve({ $0.tokens = tokens }) { served async throws in
        #expect(try await served.status("GET", "/cases") == 200)
        let new = String(repeating: "a", count: 32)
        tokens.replace(with: try APITokens(file: "\(new) ann read", named: "t"))
        #expect(try await served.status("GET", "/cases") == 403)
        #expect(try await served.status("GET", "/cases", token: new) == 200)
      }
    }
  }
#endif
