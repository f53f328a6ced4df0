import LuaRuntime
import Testing

@testable import FlowKernel

/// Outcomes of tasks, as journals store them, and failures as `retry` sees them.
@Suite struct TaskOutcomeTests {
  private static let outcomes: [TaskOutcome] = [
    .answer(.nil), .answer(["id": "r-1", "list": [1, 2.5, "é", false]]),
    .failure(CallFailure(message: "", isFinal: false)),
    .failure(CallFailure(message: "mail: é", isFinal: true, status: 402, after: 0.25)),
    .failure(CallFailure(message: "mail: no", isFinal: false, status: -1, after: 3)),
  ]

  @Test("an outcome is decoded as it was encoded, and nothing else is one")
  func coding() {
    for outcome in Self.outcomes {
      let bytes = outcome.bytes
      #expect(TaskOutcome(bytes: bytes) == outcome)
      for count in bytes.indices { #expect(TaskOutcome(bytes: Array(bytes.prefix(count))) == nil) }
      #expect(TaskOutcome(bytes: bytes + [0]) == nil)
    }
    #expect(TaskOutcome(bytes: [7]) == nil)
  }

  @Test("the properties of a failure are a record without those that it does not have")
  func record() {
    #expect(CallFailure(message: "a", isFinal: true).record == ["final": true])
    #expect(
      CallFailure(message: "a", isFinal: false, status: 503, after: 2).record
        == ["final": false, "status": 503, "after": 2.0])
  }

  @Test(
    "an error is that of a failure if nothing but positions stand in front of its message",
    arguments: [
      ("mail: 503", true), ("order.lua:12: mail: 503", true),
      ("my order.lua:1: a/b.lua:345: mail: 503", true), ("again: mail: 503", false),
      ("order.lua:12: again: mail: 503", false), ("order.lua:: mail: 503", false),
      (":12: mail: 503", true), ("12: mail: 503", false), ("mail: 503!", false), ("503", false),
      (" mail: 503", false), ("order.lua:12:mail: 503", false), ("", false),
    ])
  func raised(text: String, isRaised: Bool) {
    let failure = CallFailure(message: "mail: 503", isFinal: true)
    #expect(failure.isRaised(as: text) == isRaised)
  }
}
