import LuaRuntime
import Testing

@testable import HostFiles

/// Results of the functions of webhooks.
@Suite struct HookAnswerTests {
  @Test("nothing is ignored, an action has a case and a key, and a call an answer")
  func answers() throws {
    #expect(try HookAnswer(.nil) == .ignored)
    #expect(
      try HookAnswer(["case": "o-17", "action": "settle", "key": "evt_1"])
        == .dispatch(caseID: "o-17", action: "settle", payload: [:], key: "evt_1", given: nil))
    #expect(
      try HookAnswer([
        "case": 17, "action": "settle", "payload": ["a": 1], "key": 4, "create": ["b": 2],
      ])
        == .dispatch(
          caseID: "17", action: "settle", payload: ["a": 1], key: "4", given: ["b": 2]))
    for (create, given) in [(true, [:]), (false, nil)] as [(Value, Value?)] {
      guard
        case .dispatch(_, _, _, _, let found) = try HookAnswer([
          "case": "a", "action": "b", "key": "c", "create": create,
        ])
      else {
        Issue.record("no dispatch")
        return
      }
      #expect(found == given)
    }
    #expect(try HookAnswer(["call": "c/1"]) == .result(call: "c/1", .nil))
    #expect(
      try HookAnswer(["call": "c/1", "result": ["id": 7]]) == .result(call: "c/1", ["id": 7]))
    for (retryable, expected) in [(.nil, true), (true, true), (false, false)] as [(Value, Bool)] {
      var fields: Value = ["call": "c/1", "error": "declined"]
      fields["retryable"] = retryable
      #expect(
        try HookAnswer(fields)
          == .failure(call: "c/1", error: "declined", isRetryable: expected))
    }
  }

  @Test(
    "another result says which field is wrong",
    arguments: [
      (7, "run must return nothing, { case, action, payload, key } or { call, result }, got 7"),
      ([:], "run must return nothing"), (["a"], "run must return nothing"),
      (["case": "a", "action": "b"], "run returned no key, which must be a text of 1 to 1000"),
      (["case": "a", "action": "b", "key": ""], "run returned no key"),
      (["case": "a", "action": "b", "key": true], "run returned no key"),
      (["action": "b", "key": "c"], "run returned no case, which must be a text of 1 to 256"),
      (["case": "a", "key": "c"], "run returned no action, which must be a name in quotes"),
      (
        ["case": "a", "action": "b", "key": "c", "paylod": [:]],
        "run returned a field paylod; did you mean payload?; it returns case, action, payload, key"
      ),
      (
        ["case": "a", "action": "b", "key": "c", "payload": 7],
        "run returned a payload that is not a record"
      ),
      (
        ["case": "a", "action": "b", "key": "c", "create": 7],
        "run returned a create that is neither true nor a part of the state"
      ),
      (["call": ""], "run returned no call"),
      (["call": "c", "key": "k"], "it returns call, result"),
      (["call": "c", "error": 7], "run returned an error that is not a text"),
      (["call": "c", "error": "e", "result": 1], "run returned both an error and a result"),
      (
        ["call": "c", "error": "e", "retryable": 1],
        "run returned a retryable that is neither true nor false"
      ),
      (["call": "c", "retryable": true], "run returned retryable without an error"),
    ] as [(Value, String)])
  func misfits(value: Value, sentence: String) {
    let error = #expect(throws: HookAnswer.Misfit.self) { _ = try HookAnswer(value) }
    #expect(error?.description.contains(sentence) == true, "\(error?.description ?? "")")
  }
}
