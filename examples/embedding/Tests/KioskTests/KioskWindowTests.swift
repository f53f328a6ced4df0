import Foundation
import Kiosk
import KioskWindow
import Moonlatch
import StateBlocks
import Testing

/// A module of the main actor that uses a host, and a test that imports both products.
@MainActor @Suite(.timeLimit(.minutes(1))) struct KioskWindowTests {
  private static let flow = URL(filePath: #filePath)
    .appending(path: "../../../Flows/kiosk.lua").standardizedFileURL

  @Test("a window of the main actor dispatches, reads and follows values of its own types")
  func window() async throws {
    let kiosk = try Kiosk(flow: Self.flow, station: FakeStation())
    let window = KioskWindow(of: kiosk.host)
    #expect(try await window.order("Rome") == "order passed (#1)")
    #expect(try await window.state() == "paying")
    #expect(try await window.pay(1).contains("not enough"))
    try await window.show(1)
    #expect(window.lines == ["paying: Rome"])
  }

  @Test("no name of one product is ambiguous beside the other's")
  func names() throws {
    let counter = Agent(0, name: "counter")
    let subscription: AgentSubscription = try counter.subscribe { _ in }
    let host = try FlowHost(source: "state { n = 0 } function view.n(s) return s.n end")
    let snapshot: Snapshot = try host.snapshot()
    let values: ViewValues<Int> = host.values(of: "n")
    let error: AgentError? = nil
    #expect(snapshot.revision == 0 && error == nil)
    subscription.cancel()
    _ = values
  }
}
