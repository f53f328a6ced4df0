import FlowHosting
import Testing

/// The Swift of the README.
@Suite struct ReadmeSampleTests: ReadsAsOnPage {
  let desk: Desk

  init() throws { desk = try Desk("README") }

  @Test("the README's program prints why a refund is refused")
  func program() throws {
    let host = try FlowHost(flow: URL(filePath: "refund.lua"))
    try host.dispatch("request", ["amount": 60])
    switch try host.dispatch("approve", ["by": "clerk"]) {
    case .passed(let commit): print(commit.changes)  // a line for each change: returned: 0 -> 60
    case .refused(let refusal): print(refusal)  // refused by gate approve: above 50, ask a manager
    case .failed(let failure): print(failure)  // file:line, message, traceback
    }
    #expect(desk.printed == ["refused by gate approve: above 50, ask a manager"])
  }
}
