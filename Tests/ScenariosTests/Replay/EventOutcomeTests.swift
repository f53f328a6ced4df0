import Testing

@testable import FlowKernel
@testable import FlowLanguage
@testable import Scenarios

@Suite struct EventOutcomeTests {
  @Test("the size of an outcome is about that of its texts")
  func size() throws {
    let refusal = Refusal(
      action: "push", rejectedBy: .gate("push"), reason: String(repeating: "x", count: 1_000),
      place: SourcePlace(file: "f.lua", line: 1))
    let why = try #require(ReplayDeviation.RejectionReason(.refused(refusal)))
    #expect(EventOutcome.passed.size < 100)
    #expect((1_000..<1_200).contains(EventOutcome(why: why).size))
    #expect(EventOutcome(why: why, printed: [String(repeating: "y", count: 500)]).size > 1_500)
  }

  @Test("outcomes are equal if their reasons and printed lines are")
  func equal() {
    #expect(EventOutcome(why: nil) == .passed)
    #expect(EventOutcome(why: nil, printed: ["a"]) != .passed)
    #expect(
      ReplayDeviation.RejectionReason(
        .failed(DispatchFailure(kind: .limit, action: "a", message: "m")))?.by
        == "limit")
  }
}
