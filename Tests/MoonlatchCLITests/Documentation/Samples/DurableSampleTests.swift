import FlowCases
import FlowHosting
import FlowKernel
import LuaRuntime
import Testing

/// The Swift of the page on durable flows, block for block.
@Suite struct DurableSampleTests: ReadsAsOnPage {
  let desk: Desk

  init() throws { desk = try Desk("DurableFlows") }

  struct Order: Codable { var cents: Int }

  private struct Bank {
    func charge(_ cents: Int, idempotencyKey: String) async throws -> String { "r-\(cents)" }
    func mail(_ text: String) async throws {}
  }

  @Test("a case has the calls of a host")
  func calls() async throws {
    let (bank, flow) = (Bank(), try LoadedFlow(URL(filePath: "order.lua")))
    let orders = try await Cases(of: flow, in: MemoryJournal()) { scopes in
      scopes.root.provide("charge") { (call: CallID, cents: Int) async throws -> String in
        try await bank.charge(cents, idempotencyKey: call.description)
      }
      scopes.root.provide("mail") { (text: String) async throws in try await bank.mail(text) }
    }
    let order = try await orders.create("o-18")
    try await order.dispatch("place", Order(cents: 250), key: "request-81", by: "ann")
    let outcome = try await order.dispatchAndWait("pay")
    print(outcome.isPassed)  // true
    print(try await order.machines["order"] ?? "")  // done
    for try await cents in order.values(of: "cents", as: Int.self) { print(cents) }  // 250
    try expectPrinted(as: "let outcome = try await order")
    try await orders.close()
  }
}
