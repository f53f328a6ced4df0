import FlowKernel
import FlowLanguage
import LuaRuntime
import Testing

@testable import HostFiles

/// The functions request and response of http capabilities.
@Suite struct HTTPFunctionsTests {
  private func trial(_ functions: String, method: String = "POST") throws -> HTTPTrial {
    try HTTPTrial(
      "\"\(method)\", \"https://x.example/{a}\", headers = { [\"X-A\"] = \"1\" },\n\(functions)",
      variables: ["SECRET": "s3cret-text"])
  }

  private func text(_ request: HTTPTaskRequest) -> String? {
    request.body.map { String(decoding: $0, as: UTF8.self) }
  }

  @Test("request makes query, headers and body in place of the other arguments")
  func request() async throws {
    let trial = try trial(
      """
      request = function(args, call)
        return { query = { of = args.b, list = { 1, 2 } }, headers = { ["x-a"] = "2", ["X-Call"] = call },
          body = { total = args.b + 1 } }
      end
      """)
    let request = try await trial.request(["a": "p", "b": 1])
    #expect(request.url == "https://x.example/p?list=1&list=2&of=1")
    #expect(text(request) == "{\"total\":2}")
    #expect(request.headers.value(of: "X-A") == "2")
    #expect(request.headers.value(of: "X-Call") == "9f3c/o-17/e4/2")
    #expect(request.headers.value(of: "Idempotency-Key") == "9f3c/o-17/e4/2")
    #expect(request.headers.value(of: "Content-Type") == "application/json")
  }

  @Test("request may return nothing, no body, a text, or the fields of a form")
  func requestBodies() async throws {
    let nothing = try trial("request = function() end")
    #expect(try await text(nothing.request(["a": 1, "b": 2])) == "{\"b\":2}")
    let none = try trial("request = function() return {} end")
    #expect(try await none.request(["a": 1, "b": 2]).body == nil)
    let raw = try trial(
      "request = function() return { body = \"<a/>\", headers = { [\"Content-Type\"] = \"text/xml\" } } end"
    )
    let request = try await raw.request(["a": 1])
    #expect(text(request) == "<a/>" && request.headers.value(of: "content-type") == "text/xml")
    let form = try trial(
      "body = \"form\", request = function() return { body = { b = \"x y\" } } end")
    #expect(try await text(form.request(["a": 1])) == "b=x+y")
  }

  @Test(
    "what request returns and cannot be sent makes the task dead, and nothing is sent",
    arguments: [
      (
        "return 7",
        "request must return a table { query = ..., headers = ..., body = ... }, not an integer"
      ),
      (
        "return { url = \"x\" }", "request must return query, headers and body; it has returned url"
      ),
      ("return { query = 7 }", "request: query must be a table of values by name, not an integer"),
      (
        "return { query = { b = { c = 1 } } }",
        "b must be a text, a number or a boolean here, not a record"
      ),
      ("return { headers = { A = \"x\\ny\" } }", "request: the header A must not have line breaks"),
      ("return { headers = { Host = \"x\" } }", "request: the header Host is set by the client"),
      ("return { body = { 0 / 0 } }", "JSON has no number nan"),
    ])
  func unfitRequests(body: String, reason: String) async throws {
    let (outcome, requests) = try await trial("request = function() \(body) end").perform(["a": 1])
    let dead = outcome.deadReason ?? ""
    #expect(dead.hasPrefix("order.host.lua:1: ") && dead.hasSuffix(": \(reason)"), "\(dead)")
    #expect(requests.isEmpty)
  }

  @Test("a body that request returns although there is to be none makes the task dead")
  func forbiddenBody() async throws {
    let functions = "body = \"none\", request = function(args) return { body = args.b } end"
    let trial = try trial(functions)
    #expect(try await trial.request(["a": 1]).body == nil)
    for body: Value in ["<a/>", ["c": 1], ""] {
      let (outcome, requests) = try await trial.perform(["a": 1, "b": body])
      #expect(
        outcome.deadReason
          == "order.host.lua:1: request has returned a body, and body = \"none\" says that there is none: "
          + "leave one of them out")
      #expect(requests.isEmpty)
    }
    // The method has none by itself, which request may change.
    let method = try self.trial(
      "request = function() return { body = { 1 } } end", method: "DELETE")
    #expect(try await text(method.request(["a": 1])) == "[1]")
  }

  @Test("response returns the result, of 2xx and of answers")
  func response() async throws {
    let trial = try trial(
      """
      answers = { 402 }, response = function(status, body, headers)
        return { status = status, id = body and body.id, tag = headers["x-tag"] }
      end
      """)
    var called = trial
    let headers = [
      HTTPTaskHeader("Content-Type", "application/json"), HTTPTaskHeader("X-Tag", "a"),
      HTTPTaskHeader("x-tag", "b"),
    ]
    for status in [200, 402] {
      called.response = .received(status: status, headers: headers, body: Array("{\"id\":7}".utf8))
      #expect(
        try await called.perform(["a": 1]).outcome.result
          == ["status": .integer(status), "id": 7, "tag": "a, b"])
    }
    called.response = .received(status: 204, headers: [], body: [])
    #expect(try await called.perform(["a": 1]).outcome.result == ["status": 204])
    called.response = .received(status: 404, headers: [], body: [])
    #expect(try await called.perform(["a": 1]).outcome.failure?.status == 404)
  }

  @Test("fail ends the call with a failure that is final, or may be tried again")
  func fail() async throws {
    var trial = try trial(
      """
      response = function(status, body)
        if body == "later" then return fail("try " .. env.SECRET, true) end
        fail("declined")
      end
      """)
    let headers = [HTTPTaskHeader("Retry-After", "9")]
    trial.response = .received(status: 200, headers: headers, body: Array("later".utf8))
    let later = try await trial.perform(["a": 1]).outcome.failure
    #expect(
      later == CallFailure(message: "charge: try $SECRET", isFinal: false, status: 200, after: 9))
    trial.response = .received(status: 200, headers: headers, body: [])
    let declined = try await trial.perform(["a": 1]).outcome.failure
    #expect(declined == CallFailure(message: "charge: declined", isFinal: true, status: 200))
    let unsent = try self.trial("request = function() fail(\"no rate\") end")
    let (outcome, requests) = try await unsent.perform(["a": 1])
    #expect(outcome.failure == CallFailure(message: "charge: no rate", isFinal: true))
    #expect(requests.isEmpty)
  }

  @Test(
    "an error in a function makes the task dead, with its place",
    arguments: [
      ("local x = body.id", "order.host.lua:2: "),
      ("error(\"no \" .. env.SECRET)", "order.host.lua:2: no $SECRET"),
      ("return env.NONE", "order.host.lua:2: the environment variable NONE is not set"),
      ("while true do end", "order.host.lua:2: the instruction limit is reached"),
      ("count = 1", "order.host.lua:2: "), ("fail(7)", "order.host.lua:2: fail takes a message"),
      ("return function() end", "order.host.lua"),
      ("provide {}", "order.host.lua:2: global provide is not defined"),
    ])
  func errors(body: String, reason: String) async throws {
    let trial = try trial("response = function(status, body) \(body) end")
    let outcome = try await trial.perform(["a": 1]).outcome
    #expect(
      outcome.deadReason?.hasPrefix("response of charge: \(reason)") == true, "\(outcome)")
  }

  @Test("the result of response is checked against the type of the result")
  func typed() async throws {
    let trial = try trial("result = { id = string }, response = function() return { id = 7 } end")
    #expect(
      try await trial.perform(["a": 1]).outcome.deadReason == "result.id must be a string, got 7")
  }

  @Test("functions run at the same time, on the texts from which the file was loaded")
  func concurrent() async throws {
    let folder = try HostFolder()
    try folder.write("return { base = 40 }", to: "numbers.lua")
    let file = try folder.load(
      """
      local numbers = require "numbers"
      provide { charge = http { "GET", "https://x.example/", response = function(_, body)
        return numbers.base + #body
      end } }
      """)
    try folder.write("return { base = 0 }", to: "numbers.lua")
    try folder.write("provide {}")
    let sender = FakeSender(.received(status: 200, headers: [], body: Array("ab".utf8)))
    let performer = try #require(file.tasks(sender: sender)["root.charge"]?.performer)
    let results = await withTaskGroup(of: Value?.self) { group in
      for number in 0..<32 {
        let task = OpenTask(
          call: "c/\(number)", tryNumber: 1, effect: 1, position: "1", scope: "root",
          name: "charge", arguments: [:], kind: .http, queue: "#root.charge", isOnce: false,
          opened: 0, deadline: nil)
        group.addTask {
          await performer.perform(PerformedTask(task, of: "c", attempt: 1)).result
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(results == Array(repeating: 42, count: 32))
  }
}
