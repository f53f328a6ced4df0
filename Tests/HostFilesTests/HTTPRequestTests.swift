import FlowKernel
import LuaRuntime
import Testing

@testable import HostFiles

/// Requests of http capabilities.
@Suite struct HTTPRequestTests {
  private func text(_ request: HTTPTaskRequest) -> String? {
    request.body.map { String(decoding: $0, as: UTF8.self) }
  }

  private func value(_ name: String, _ request: HTTPTaskRequest) -> String? {
    request.headers.value(of: name)
  }

  @Test("arguments that are not in the URL are the JSON body, with the call's id as the key")
  func json() async throws {
    let trial = try HTTPTrial(
      """
      "POST", env.BANK .. "/accounts/{account}/charges?v=2", args = { "account", "cents", "to", "note" },
        headers = { Authorization = "Bearer x" }, timeout = "5s", max = 1000
      """, variables: ["BANK": "https://bank.example"])
    let request = try await trial.request([
      "account": "a/b", "cents": 250, "to": .map([3: "x"]),
    ])
    #expect(request.method == "POST")
    #expect(request.url == "https://bank.example/accounts/a%2Fb/charges?v=2")
    #expect(text(request) == "{\"cents\":250,\"to\":{\"3\":\"x\"}}")
    #expect(
      Set(request.headers) == [
        HTTPTaskHeader("Authorization", "Bearer x"),
        HTTPTaskHeader("Idempotency-Key", "9f3c/o-17/e4/2"),
        HTTPTaskHeader("Content-Type", "application/json"),
      ])
    #expect(request.timeout == 5 && request.mostBytes == 1_000)
    #expect(request.network == .publicOnly && !request.allowsPlain && request.tls == nil)
  }

  @Test(
    "arguments of GET, HEAD and DELETE are the query, in their order, where lists repeat the name",
    arguments: ["GET", "HEAD", "DELETE"])
  func query(method: String) async throws {
    let trial = try HTTPTrial(
      "\"\(method)\", \"https://x.example/rates/{of}?v=1\", args = { \"of\", \"to\", \"day\" }")
    let request = try await trial.request(["of": "EUR", "to": ["A&B", 2, true], "day": 1.5])
    #expect(request.url == "https://x.example/rates/EUR?v=1&to=A%26B&to=2&to=true&day=1.5")
    #expect(request.body == nil && value("Content-Type", request) == nil)
    #expect((value("Idempotency-Key", request) != nil) == (method == "DELETE"))
  }

  @Test("without args the fields of the record are sent by name")
  func anyRecord() async throws {
    let trial = try HTTPTrial("\"GET\", \"https://x.example\"")
    #expect(try await trial.request().url == "https://x.example/")
    #expect(
      try await trial.request(["b": 1, "a": "x y", "c d": false]).url
        == "https://x.example/?a=x%20y&b=1&c%20d=false")
  }

  @Test("a body may be a form, or none, and a DELETE may have one")
  func bodies() async throws {
    let form = try HTTPTrial("\"POST\", \"https://x.example/\", body = \"form\"")
    let request = try await form.request(["a": "x y&~*", "b": [1, "ü"]])
    #expect(text(request) == "a=x+y%26%7E*&b=1&b=%C3%BC")
    #expect(value("Content-Type", request) == "application/x-www-form-urlencoded")
    let none = try HTTPTrial("\"PUT\", \"https://x.example/\", body = \"none\"")
    let other = try await none.request(["a": 1])
    #expect(other.body == nil && other.url == "https://x.example/?a=1")
    let delete = try HTTPTrial("\"DELETE\", \"https://x.example/\", body = \"json\"")
    #expect(try await text(delete.request(["a": 1])) == "{\"a\":1}")
    let empty = try HTTPTrial("\"PATCH\", \"https://x.example/\"")
    #expect(try await text(empty.request()) == "{}")
  }

  @Test("case, call and key stand in the URL by themselves")
  func ownNames() async throws {
    let trial = try HTTPTrial(
      "\"GET\", \"https://x.example/{case}/{key}?call={call}\"", scope: "user")
    let request = try await trial.request(["a": 1], caseID: "o/17", key: "u 1")
    #expect(request.url == "https://x.example/o%2F17/u%201?call=9f3c%2Fo-17%2Fe4%2F2&a=1")
    let number = try await trial.request(key: 7)
    #expect(number.url == "https://x.example/o-17/7?call=9f3c%2Fo-17%2Fe4%2F2")
    let (outcome, requests) = try await trial.perform(caseID: "..", key: 7)
    #expect(outcome.deadReason == "the path must not have .. as a segment" && requests.isEmpty)
  }

  @Test("the key may have another header, in quotes or not, or be left out")
  func keys() async throws {
    let quoted = try HTTPTrial(
      "\"POST\", \"https://x.example/\", key = { header = \"PayPal-Request-Id\", quoted = true }")
    let request = try await quoted.request()
    #expect(value("PayPal-Request-Id", request) == "\"9f3c/o-17/e4/2\"")
    #expect(value("Idempotency-Key", request) == nil)
    let none = try HTTPTrial("\"POST\", \"https://x.example/\", key = false")
    #expect(try await value("Idempotency-Key", none.request()) == nil)
    let get = try HTTPTrial("\"GET\", \"https://x.example/\", key = { header = \"X-Id\" }")
    #expect(try await value("X-Id", get.request()) == "9f3c/o-17/e4/2")
  }

  @Test("arguments that do not fit the file any more make the task dead, and nothing is sent")
  func unfit() async throws {
    let trial = try HTTPTrial("\"GET\", \"https://x.example/{a}\"")
    let (outcome, requests) = try await trial.perform(["b": 1])
    #expect(outcome.deadReason == "a is missing: it stands in the URL" && requests.isEmpty)
  }

  @Test("JSON for servers has keys of maps as texts, and no names in brackets")
  func wireJSON() throws {
    let value: Value = [
      "empty": .map([:]), "list": [1, .nil, [:]], "[1]": "a\n", "map": .map([-1: 2.0]),
    ]
    #expect(
      try WireJSON.text(value)
        == "{\"[1]\":\"a\\n\",\"empty\":{},\"list\":[1,null,{}],\"map\":{\"-1\":2.0}}")
    #expect(throws: CallFault.self) { try WireJSON.text([.number(.nan)]) }
  }
}
