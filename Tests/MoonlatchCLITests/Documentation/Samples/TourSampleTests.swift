import FlowHosting
import FlowKernel
import Foundation
import Testing

/// The Swift of the tour.
@Suite struct TourSampleTests: ReadsAsOnPage {
  let desk: Desk

  init() throws { desk = try Desk("Tour") }

  /// Makes the host of the page's program with a virtual clock, so that a slow machine still pushes within ten seconds.
  private func FlowHost(flow: Foundation.URL, scopes: (inout HostScopes) -> Void) throws
    -> FlowHosting.FlowHost
  {
    try FlowHosting.FlowHost(flow: flow, options: HostOptions(clock: .virtual), scopes: scopes)
  }

  private struct Bank {
    func charge(_ card: String) async throws {}
  }

  @Test("the tour's program runs")
  func program() async throws {
    let bank = Bank()
    let host = try FlowHost(flow: URL(filePath: "turnstile.lua")) { scopes in
      scopes.root.provide("charge") { (card: String) async throws in try await bank.charge(card) }
    }
    print(try await host.dispatchAndWait("tap", ["card": "4711"]))  // tap passed (#1)
    print(try await host.dispatch("push"))  // push passed (#3)
    try expectPrinted(as: "let host =")
  }
}
