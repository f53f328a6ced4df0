import Moonlatch
import Testing

/// The Swift of the README.
@Suite struct ReadmeSampleTests: ReadsAsOnPage {
  let desk: Desk

  init() throws { desk = try Desk("README") }

  @Test("the README's program runs")
  func program() throws {
    let host = try FlowHost(flow: URL(filePath: "turnstile.lua"))
    let subscription = try host.subscribe("takings") { takings in
      if case .success(let coins) = takings { print("takings:", coins) }
    }
    switch try host.dispatch("coin", ["amount": 2]) {
    case .passed(let transition): print(transition.patch)  // a line for each change: coins: 0 -> 2
    case .refused(let refusal): print(refusal)  // refused by gate push: insert a coin first
    case .failed(let failure): print(failure)  // file:line, message, traceback
    }
    print(try host.may("push"))  // granted
    print(try host.view("takings"))  // 2
    subscription.cancel()  // or let go of it
    #expect(
      desk.printed
        == ["takings: 0", "takings: 2", "coins: 0 -> 2\nlocked: true -> false", "granted", "2"])
  }
}
