import FlowCases
import FlowHosting
import FlowJournal
import FlowKernel
import LuaRuntime
import MoonlatchTesting
import Testing

/// The Swift of the page on durable flows, block for block.
@Suite(.timeLimit(.minutes(2))) struct DurableSampleTests: ReadsAsOnPage {
  let desk: Desk

  init() throws { desk = try Desk("DurableFlows") }

  struct Item: Codable {
    var name: String
    var cents: Int
  }

  private struct Bank {
    func charge(_ cents: Int, idempotencyKey: String) async throws -> String { "r-\(cents)" }
    func mail(_ text: String) async throws {}
  }

  @Test("a host goes on with the order in its journal")
  func one() throws {
    let journal = try SQLiteJournal(file: URL(filePath: "desk.journal"))
    let host = try FlowHost(flow: URL(filePath: "desk.lua"), journal: journal, case: "o-17")
    try host.dispatch("add", Item(name: "tea", cents: 350), key: "request-81")
    try host.dispatch("add", Item(name: "tea", cents: 350), key: "request-81")  // the same request
    print(try host.view("count"))  // 1
    try host.stop()

    let next = try FlowHost(flow: URL(filePath: "desk.lua"), journal: journal, case: "o-17")
    print(try next.view("count"), try next.pendingWork.map(\.action))  // 1 ["expire"]
    try expectPrinted(as: "let next =")
    try next.stop()
    try journal.close()
  }

  @Test("a case has the calls of a host")
  func calls() async throws {
    let (bank, journal) = (Bank(), MemoryJournal())
    let orders = try await Cases(of: LoadedFlow(URL(filePath: "desk.lua")), in: journal) { scopes in
      scopes.root.provide("charge") { (call: CallID, cents: Int) async throws -> String in
        try await bank.charge(cents, idempotencyKey: call.description)
      }
      scopes.root.provide("mail") { (text: String) async throws in try await bank.mail(text) }
    }
    let order = try await orders.create("o-18", given: ["customer": "ann"])
    try await order.dispatch("add", Item(name: "tea", cents: 350), key: "request-82", by: "ann")
    for open in try await orders.list(machine: "order", in: "open") { print(open.id) }  // o-18
    let outcome = try await order.dispatchAndWait("pay")
    print(outcome.isPassed)  // true
    print(try await order.machine("order") ?? "")  // done
    for try await total in order.values(of: "total", as: Int.self) { print(total) }  // 350
    try expectPrinted(as: "let outcome = try await order")
    try await orders.close()
  }

  @Test("a tester goes on with a case after a restart")
  func testing() async throws {
    let (flow, journal) = (try LoadedFlow(URL(filePath: "desk.lua")), MemoryJournal())
    let charge = CapabilityStub("r-1")
    let lend: @Sendable (inout HostScopes) -> Void = { scopes in
      scopes.root.provide("charge", charge)
      scopes.root.provide("mail", CapabilityStub(always: true))
    }
    let tester = try await FlowTester(case: "o-19", of: flow, in: journal, scopes: lend)
    try await tester.send("add", Item(name: "tea", cents: 350)) {
      $0["items"]?.append(["name": "tea", "cents": 350])
    }
    try await tester.advance(.seconds(86_400))
    try await tester.finish(allowing: [.timer])  // the order still expires
    try await tester.close()

    let later = try await FlowTester(case: "o-19", of: flow, in: journal, scopes: lend)
    try await later.send("pay") { $0["order"] = "paying" }
    try await later.receive("paid", ["receipt": "r-1"]) {
      $0["receipt"] = "r-1"
      $0["order"] = "done"
    }
    try await later.finish()
    print(charge.calls.count)  // 1
    try expectPrinted(as: "let later =")
    try await later.close()
  }

  @Test("two nodes serve the cases of one journal")
  func nodes() async throws {
    let (flow, shared) = (try LoadedFlow(URL(filePath: "desk.lua")), SharedMemoryJournal())
    let requestID = "request-83"
    var node = NodeOptions()
    node.lease = .seconds(20)  // so long nobody serves the cases of a node that has died
    let orders = try await Cases(of: flow, in: shared, node: node)
    let others = try await Cases(of: flow, in: shared)  // a second node, in another process
    try await orders.create("o-20")
    try await others["o-20"].dispatch("add", Item(name: "tea", cents: 350), key: requestID)
    let (total, revision) = try await orders["o-20"].view("total", fresh: true)
    print(total, revision)  // 350 1
    try expectPrinted(as: "let (total, revision)")
    try await others.close()
    try await orders.close()
  }
}
