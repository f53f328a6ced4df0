import FlowKernel
import LuaRuntime
import Testing

@testable import HostFiles

/// Outcomes of the responses to http capabilities.
@Suite struct HTTPResponseTests {
  private let trial: HTTPTrial

  init() throws {
    trial = try HTTPTrial(
      "\"POST\", env.BANK", variables: ["BANK": "https://bank.example/charges"])
  }

  private func with(_ options: String) throws -> HTTPTrial {
    try HTTPTrial("\"POST\", \"https://x.example/\", \(options)")
  }

  @Test("a body is the result: JSON as a value, another text as a string, nothing as none")
  func results() async throws {
    let json = "{\"id\": \"r-1\", \"n\": 1}"
    for type in ["application/json", "Application/JSON; charset=utf-8", "application/vnd.x+json"] {
      #expect(try await trial.outcome(of: 200, json, type: type).result == ["id": "r-1", "n": 1])
    }
    #expect(try await trial.outcome(of: 201, json, type: "text/plain").result == .string(json))
    #expect(try await trial.outcome(of: 200, "ok").result == "ok")
    #expect(try await trial.outcome(of: 204, type: "application/json").result == .nil)
  }

  @Test(
    "these statuses are failures that may be tried again",
    arguments: [408, 425, 429, 500, 503, 599])
  func retryable(status: Int) async throws {
    let failure = try await trial.outcome(of: status, "busy").failure
    #expect(failure?.message == "charge: \(status) busy")
    #expect(failure?.isFinal == false && failure?.status == status && failure?.after == nil)
  }

  @Test(
    "redirects and other statuses are final failures",
    arguments: [300, 301, 307, 400, 402, 403, 404, 409, 422])
  func finalStatuses(status: Int) async throws {
    let failure = try await trial.outcome(of: status, " {\"error\":\r\n  \"card\"} \0").failure
    #expect(failure?.message == "charge: \(status) {\"error\": \"card\"}")
    #expect(failure?.isFinal == true && failure?.status == status)
    #expect(try await trial.outcome(of: status).failure?.message == "charge: \(status)")
  }

  @Test("409 may be tried again if an earlier request of the call may still be in progress")
  func conflict() async throws {
    #expect(try await trial.outcome(of: 409).failure?.isFinal == true)
    #expect(try await trial.outcome(of: 409, tryNumber: 2).failure?.isFinal == false)
    #expect(try await trial.outcome(of: 409, attempt: 2).failure?.isFinal == false)
    #expect(try await trial.outcome(of: 402, attempt: 2).failure?.isFinal == true)
  }

  @Test("Retry-After of a failure that may be tried again says when, in an hour at most")
  func retryAfter() async throws {
    func after(_ status: Int, _ text: String) async throws -> Double? {
      let headers = [
        HTTPTaskHeader("retry-after", text),
        HTTPTaskHeader("Date", "Sun, 06 Nov 1994 08:49:37 GMT"),
      ]
      return try await trial.outcome(of: status, headers: headers).failure?.after
    }
    #expect(try await after(503, "17") == 17)
    #expect(try await after(429, "99999") == 3_600)
    #expect(try await after(503, "Sun, 06 Nov 1994 08:50:37 GMT") == 60)
    #expect(try await after(503, "soon") == nil)
    #expect(try await after(402, "17") == nil)
  }

  @Test("without a whole response the call may be tried again")
  func failed() async throws {
    var trial = trial
    trial.response = .failed("no connection to https://bank.example/charges")
    let failure = try await trial.perform().outcome.failure
    #expect(failure?.message == "charge: no connection to $BANK")
    #expect(failure?.isFinal == false && failure?.status == nil)
    trial.response = .interrupted
    #expect(try await trial.perform().outcome == .interrupted)
  }

  @Test("what no other try mends makes the task dead")
  func dead() async throws {
    var refused = trial
    refused.response = .refused("10.0.0.1 is a private address")
    #expect(try await refused.perform().outcome == .dead("10.0.0.1 is a private address"))
    for status in [401, 407] {
      #expect(
        try await trial.outcome(of: status, "who?").deadReason
          == "the server does not accept the credentials: \(status) who?")
    }
    let json = "application/json"
    #expect(
      try await trial.outcome(of: 200, "{\"a\": ", type: json).deadReason?
        .hasPrefix("the body of the response is not JSON: column ") == true)
    #expect(
      try await trial.outcome(of: 200, "{\"a\": [1, null]}", type: json).deadReason?
        .hasPrefix("result.a[2] is null") == true)
    var bytes = trial
    bytes.response = .received(status: 200, headers: [], body: [0xff])
    #expect(
      try await bytes.perform().outcome == .dead("the body of the response is not UTF-8 text"))
    let large = try with("max = 4000000")
    #expect(
      try await large.outcome(of: 200, String(repeating: "a", count: 2 << 20)).deadReason
        == "a result has 1 MiB at most")
    let typed = try with("result = { id = string }")
    #expect(try await typed.outcome(of: 200, "{\"id\":\"a\"}", type: json).result == ["id": "a"])
    #expect(
      try await typed.outcome(of: 200, "{\"id\":7}", type: json).deadReason
        == "result.id must be a string, got 7")
  }

  @Test("with answers the result has the status, also of 2xx")
  func answers() async throws {
    let trial = try with("answers = { 402, 404, 503 }")
    #expect(try await trial.outcome(of: 200, "a").result == ["status": 200, "body": "a"])
    #expect(try await trial.outcome(of: 404, "no").result == ["status": 404, "body": "no"])
    #expect(
      try await trial.outcome(of: 402, "{\"a\":1}", type: "application/json").result
        == ["status": 402, "body": ["a": 1]])
    #expect(try await trial.outcome(of: 503).result == ["status": 503])
    #expect(try await trial.outcome(of: 500).failure?.isFinal == false)
    #expect(try await trial.outcome(of: 403).failure?.isFinal == true)
  }

  @Test("a result gets the defaults of its type")
  func defaults() async throws {
    let trial = try with("result = { id = string, n = integer { default = 3 } }")
    let result = try await trial.outcome(of: 200, "{\"id\":\"r\"}", type: "application/json").result
    #expect(result == ["id": "r", "n": 3])
  }

  @Test("with callback a response of 2xx means that the request was accepted")
  func callback() async throws {
    let trial = try with("callback = \"1h\", answers = { 404 }")
    for status in [200, 202, 204] {
      #expect(try await trial.outcome(of: status, "x") == .accepted)
    }
    #expect(try await trial.outcome(of: 404).result == ["status": 404])
    #expect(try await trial.outcome(of: 402).failure?.isFinal == true)
  }

  @Test("messages show the first KiB of a body on one line, without texts of the host file")
  func excerpts() async throws {
    let long = try await trial.outcome(of: 500, String(repeating: "é", count: 2_000)).failure
    #expect(long?.message == "charge: 500 " + String(repeating: "é", count: 512))
    let echo = try await trial.outcome(of: 402, "no https://bank.example/charges/1").failure
    #expect(echo?.message == "charge: 402 no $BANK/1")
    // A text at the end of the excerpt is not cut before it is replaced.
    let body = String(repeating: "x", count: 1_015) + " https://bank.example/charges"
    #expect(try await trial.outcome(of: 402, body).failure?.message.hasSuffix("x $BANK") == true)
    // Nor is one that reaches beyond the part of the body that is read, if that is mostly blanks.
    let blanks = "no " + String(repeating: " ", count: 4_100)
    let cut = try await trial.outcome(of: 402, blanks + "https://bank.example/charges").failure
    #expect(cut?.message == "charge: 402 no")
  }
}
