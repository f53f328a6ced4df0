import LuaRuntime
import Testing

@testable import FlowKernel
@testable import FlowLanguage
@testable import Scenarios

@Suite struct AskedOutcomeTests {
  private let refused = Outcome.refused(
    Refusal(
      action: "push", rejectedBy: .gate("push"), reason: "no coin",
      place: SourcePlace(file: "f", line: 3)))

  private func text(_ kind: String, _ wanted: String, _ outcome: Value) -> String {
    AskedOutcome(kind: kind, action: "push", wanted: wanted, outcome: outcome).description
  }

  @Test("an unexpected outcome is described with the actual one")
  func outcomes() {
    #expect(
      text("outcome", "pass", refused.described)
        == "push was to pass, but it was refused by gate push: no coin")
    #expect(
      text("because", "late", refused.described)
        == "push was to be refused because of \"late\", but it was refused by gate push: no coin")
    #expect(
      text("by", "gate pull", refused.described)
        == "push was to be refused by gate pull, but it was refused by gate push: no coin")
  }

  @Test("a failure names its kind if the kind was expected")
  func failures() {
    let failed = Outcome.described(failed: "payload", reason: "r", text: "action push: r")
    #expect(text("outcome", "pass", failed) == "push was to pass, but it failed: action push: r")
    #expect(
      text("by", "script", failed)
        == "push was to fail by script, but it failed by payload: action push: r")
  }

  @Test("a refusal without a reason has its sentence as the reason")
  func noReason() {
    let silent = Outcome.refused(
      Refusal(
        action: "push", rejectedBy: .gate("push"), reason: nil,
        place: SourcePlace(file: "f", line: 3)))
    #expect(silent.described["reason"] == "gate push gave no reason (f:3)")
    #expect(
      text("outcome", "pass", silent.described)
        == "push was to pass, but it was refused: gate push gave no reason (f:3)")
  }

  @Test("an outcome that never came has its own sentence")
  func never() {
    #expect(
      text(
        "outcome", "be refused from the queue", ["kind": "never", "found": "it was not queued"])
        == "push was to be refused from the queue, but it was not queued")
  }
}
